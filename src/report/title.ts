/** The title of a report for an issue tracker: finding and scope in one sentence. */
import { importedTitle } from './imported.ts';
import type { ReportInput } from './input.ts';
import { formatInterval } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import type { ResultRow } from './row.ts';
import { limit } from './row-notes.ts';
import { say } from './rules.ts';
import { artefactsOf } from './statements.ts';

/** `rows` are those of the results; the experiment's own title stands for a run without a result. */
export function titleOf(input: ReportInput, rows: readonly ResultRow[], escaping: Escaping): string {
  const { analysis } = input;
  const title = escaping.prose(analysis.title);
  if (analysis.state === 'invalid') return say('title.invalid', { title });
  if (analysis.state === 'incomplete') return say('title.incomplete', { title });
  const primary = rows.filter(({ comparison }) => comparison.primary);
  const [only] = primary;
  if (only === undefined) return title;
  const scope = scopeOf(input, primary);
  if (primary.length === 1) return findingOf(only, scope);
  if (analysis.arms.length > 2) {
    return say('title.arms', { findings: byMetric(primary), reference: only.reference, scope });
  }
  const findings = primary.map((row) => say('title.several-one', { subject: row.subject, word: wordOf(row) }));
  return say('title.several', { findings: `${findings.join(', ')} in ${only.arm} against ${only.reference}`, scope });
}

/** `write: b slower, c inconclusive; read: b faster, c faster`. */
function byMetric(rows: readonly ResultRow[]): string {
  const metrics = [...new Set(rows.map(({ metric }) => metric))].map((metric) => {
    const own = rows.filter((row) => row.metric === metric);
    const arms = own.map((row) => say('title.arms-one', { arm: row.arm, word: wordOf(row) })).join(', ');
    return say('title.arms-metric', { metric, arms });
  });
  return metrics.join('; ');
}

function scopeOf(input: ReportInput, primary: readonly ResultRow[]): string {
  const { analysis } = input;
  const { count, artefacts } = artefactsOf(input);
  const { imported } = input.journal.run;
  if (imported !== null) return importedTitle(imported);
  const within = primary.some(({ comparison }) => comparison.layout?.beyond === false);
  return [
    ...(analysis.constructed ? ['constructed workload'] : []),
    'one machine',
    analysis.builds > 1 ? `these ${analysis.builds} builds of each side` : `these ${count} ${artefacts}`,
    ...(within ? [say('title.layout', {})] : []),
  ].join(', ');
}

function findingOf(row: ResultRow, scope: string): string {
  const { comparison, metric, arm, reference, change, interval } = row;
  const { verdict, effect } = comparison;
  const words = { metric, arm, reference, change, scope };
  if (effect === null) return say('title.none', words);
  const exact = effect.interval === null;
  switch (verdict.kind) {
    case 'slower':
    case 'faster': {
      const word = row.word[verdict.kind];
      if (exact) return say('title.exact', { ...words, word });
      if (comparison.threshold === 0) return say('title.beyond', { ...words, word, interval });
      return say('title.beyond-threshold', {
        ...words,
        word,
        interval,
        threshold: limit(comparison.threshold, comparison, row.scale),
      });
    }
    case 'equivalent': {
      const margin = limit(comparison.margin ?? 0, comparison, row.scale);
      if (exact || effect.equivalence === null) return say('title.equivalent-exact', { ...words, margin });
      if (verdict.measurably !== null) {
        return say('title.measurably', { ...words, margin, interval, word: row.word[verdict.measurably] });
      }
      // The interval that lies inside the margin is the one that equivalence was read from.
      return say('title.equivalent', {
        ...words,
        margin,
        interval: formatInterval(effect.equivalence.interval, row.scale),
      });
    }
    case 'inconclusive':
      return exact ? say('title.inconclusive-exact', words) : say('title.inconclusive', { ...words, interval });
    default:
      return say('title.none', words);
  }
}

function wordOf({ comparison, word }: ResultRow): string {
  const { verdict } = comparison;
  switch (verdict.kind) {
    case 'slower':
    case 'faster':
      return word[verdict.kind];
    case 'none':
    case 'invalid':
      return 'without a verdict';
    default:
      return verdict.kind;
  }
}
