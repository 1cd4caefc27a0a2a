/**
 * How well set-ups repeat: the coefficient of variation of every step, the largest and the mean of each set-up, and the set-ups in which
 * none is above a limit. Pure: series in, numbers and warnings out.
 */
import { coefficientOfVariation, type Deviation, vangelInterval } from '../analysis/stats/coefficient.ts';
import { mean } from '../analysis/stats/moments.ts';
import type { Beside } from './beside.ts';
import { groupsBy } from './groups.ts';
import type { Series, StudyWarning } from './result-series.ts';

export interface VarianceRules {
  readonly steps: readonly string[];
  readonly deviation: Deviation;
  /** The largest coefficient of a good set-up. */
  readonly limit: number;
  /** Of intervals. */
  readonly level: number;
}

/** One step of a cell. */
export interface StepVariance {
  readonly step: string;
  /** In the order in which they ran. */
  readonly values: readonly number[];
  readonly missing: number;
  /** What was said beside each value. */
  readonly beside: readonly Beside[];
  /** With the deviation that was asked for; null for fewer than two values. */
  readonly cv: number | null;
  /** With the sample deviation, which the interval and every other inference are from. */
  readonly sample_cv: number | null;
  /** Vangel's; the upper end is null where the values set none, the whole where there is no spread. */
  readonly interval: { readonly low: number; readonly high: number | null } | null;
}

/** One set-up with one number of threads, under one workload. */
export interface VarianceCell {
  readonly setup: string;
  readonly workload: string;
  readonly threads: number;
  /** Null unless every step has a coefficient: the largest of some is not the largest. */
  readonly max_cv: number | null;
  readonly mean_cv: number | null;
  readonly steps: readonly StepVariance[];
}

export interface SetUp {
  readonly setup: string;
  readonly threads: number;
}

export interface Variance {
  readonly rules: VarianceRules;
  readonly workloads: readonly string[];
  readonly cells: readonly VarianceCell[];
  /** The published point rule, not an inference: every coefficient that was found is at most the limit, in every workload. */
  readonly good: readonly SetUp[];
  readonly warnings: readonly StudyWarning[];
}

/** The study of these series, which have one for each step of a cell. */
export function studyVariance(series: readonly Series[], rules: VarianceRules): Variance {
  const cells = cellsOf(series, rules);
  const workloads = [...new Set(cells.map(({ workload }) => workload))];
  const setups = groupsBy(cells, ({ setup, threads }) => JSON.stringify([setup, threads]));
  const good = [...setups.values()].flatMap((of) => {
    const [first] = of;
    const all = of.length === workloads.length && of.every((cell) => isGood(cell, rules.limit));
    return all && first !== undefined ? [{ setup: first.setup, threads: first.threads }] : [];
  });
  return { rules, workloads, cells, good: good.toSorted(bySetup), warnings: cells.flatMap(warningsOf) };
}

function isGood(cell: VarianceCell, limit: number): boolean {
  return cell.max_cv !== null && cell.max_cv <= limit && cell.steps.every(({ missing }) => missing === 0);
}

function cellsOf(series: readonly Series[], rules: VarianceRules): readonly VarianceCell[] {
  const places = groupsBy(series, ({ setup, workload, threads }) => JSON.stringify([setup, workload, threads]));
  return [...places.values()]
    .flatMap((of) => {
      const [first] = of;
      if (first === undefined) return [];
      const steps = of.map((one) => stepOf(one, rules));
      const found = steps.flatMap(({ cv }) => cv ?? []);
      const whole = found.length === steps.length;
      return [
        {
          ...{ setup: first.setup, workload: first.workload, threads: first.threads },
          max_cv: whole ? Math.max(...found) : null,
          mean_cv: whole ? mean(found) : null,
          steps,
        },
      ];
    })
    .toSorted((a, b) => compareText(a.workload, b.workload) || bySetup(a, b));
}

function stepOf({ step, values, missing, beside }: Series, rules: VarianceRules): StepVariance {
  const sample = coefficientOfVariation(values, 'sample');
  return {
    ...{ step, values, missing, beside },
    cv: rules.deviation === 'sample' ? sample : coefficientOfVariation(values, 'population'),
    sample_cv: sample,
    interval: sample === null ? null : vangelInterval(sample, values.length, rules.level),
  };
}

function warningsOf({ setup, workload, threads, steps }: VarianceCell): StudyWarning[] {
  const where = `${setup}, ${workload}, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
  const absent = steps.filter(({ values, missing }) => values.length + missing === 0).map(({ step }) => step);
  const single = steps.filter(({ values, cv }) => values.length > 0 && cv === null).map(({ step }) => step);
  const counts = [...new Set(steps.flatMap(({ values }) => (values.length > 0 ? [values.length] : [])))];
  const warnings: StudyWarning[] = [];
  if (absent.length > 0) {
    warnings.push({
      code: 'missing-step',
      message: `${where}: there is no result of ${absent.join(', ')}, and so neither a largest nor a mean coefficient`,
      remedy: 'Run it, or leave the step out with --steps.',
    });
  }
  if (single.length > 0) {
    warnings.push({
      code: 'one-repetition',
      message: `${where}: ${single.join(', ')} has a single value, which shows no spread`,
      remedy: 'Repeat it: three times at the least.',
    });
  }
  if (counts.length > 1) {
    warnings.push({
      code: 'uneven-repetitions',
      message: `${where}: steps have ${Math.min(...counts)} to ${Math.max(...counts)} values`,
      remedy: 'Coefficients of few values are less certain: see their intervals.',
    });
  }
  return warnings;
}

function bySetup(a: SetUp, b: SetUp): number {
  return compareText(a.setup, b.setup) || a.threads - b.threads;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
