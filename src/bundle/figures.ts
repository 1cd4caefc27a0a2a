/** The verification record: what a run published beside what its raw output gives. */
import type { Results } from '../report/results-schema.ts';
import type { Recomputed } from './recompute.ts';

interface Figure {
  /** Which metric and arms it is of, and what it is. */
  readonly of: string;
  readonly figure: string;
  readonly value: number | string | null;
}

/** The figures by which a result is quoted. */
export function figuresOf(results: Results): readonly Figure[] {
  return [
    ...comparisonFigures(results.comparisons, ''),
    ...results.controls.flatMap(controlFigures),
    ...results.sides.flatMap(({ name, comparisons }) => comparisonFigures(comparisons, `${name}, `)),
  ];
}

function controlFigures(control: Results['controls'][number]): readonly Figure[] {
  const { name, metric, arm, reference, pairs, change, interval, difference, p_value, outcome } = control;
  const figures: Readonly<Record<string, number | string | null>> = {
    ...{ pairs, change },
    interval_low: interval?.[0] ?? null,
    interval_high: interval?.[1] ?? null,
    difference: difference?.change ?? null,
    ...{ p_value, outcome },
  };
  const of = `control ${name}, ${metric}: ${arm} against ${reference}`;
  return Object.entries(figures).map(([figure, value]) => ({ of, figure, value }));
}

function comparisonFigures(comparisons: Results['comparisons'], where: string): readonly Figure[] {
  return comparisons.flatMap((comparison) => {
    const { metric, arm, reference, means, interval } = comparison;
    const figures: Readonly<Record<string, number | string | null>> = {
      pairs: comparison.pairs,
      reference_mean: means?.reference ?? null,
      arm_mean: means?.arm ?? null,
      change: comparison.change,
      interval_low: interval?.[0] ?? null,
      interval_high: interval?.[1] ?? null,
      sd: comparison.companions?.sd ?? null,
      verdict: comparison.verdict,
    };
    const of = `${where}${metric}: ${arm} against ${reference}`;
    return Object.entries(figures).map(([figure, value]) => ({ of, figure, value }));
  });
}

/** `verification.json`: figures of results.json as published, and as recalculated from the raw output of the trials. */
export function verificationRecord(
  published: Results,
  recalculated: Results,
  { made, absent, large }: Recomputed,
): string {
  const again = figuresOf(recalculated);
  const record = {
    format: 'assay-verification',
    version: 1,
    trials: { from_raw_output: made, raw_output_absent: absent, raw_output_too_large: large },
    figures: figuresOf(published).map(({ of, figure, value }, at) => ({
      ...{ of, figure },
      published: value,
      recalculated: again[at]?.value ?? null,
    })),
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}
