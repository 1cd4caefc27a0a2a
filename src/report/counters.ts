/** What the reports say of counters, beside the metrics that they became. */
import type { CounterSummary } from '../analysis/analysis.ts';
import type { Metric } from '../experiment/experiment.ts';
import type { ReportInput } from './input.ts';
import { formatNumber } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

const SCOPES = {
  region: 'of the measured thread in the timed region',
  process: 'around each process and all that it starts',
} as const;

/** Four digits: 99 % and a little less than that are two things here. */
function shareText(share: number): string {
  return `${formatNumber(share * 100, 4)} %`;
}

function capital(kind: CounterSummary['kind']): string {
  return kind === 'hardware' ? 'Hardware' : 'Software';
}

/** What was counted, and for how much of the time; null where nothing was. */
export function countedSentence({ analysis }: ReportInput): string | null {
  const { counters } = analysis;
  if (counters === null || counters.share === null) return null;
  const { least, most } = counters.share;
  return say('basis.counters', {
    kind: capital(counters.kind),
    scope: counters.scopes.map((scope) => SCOPES[scope]).join(', or '),
    space: counters.kind === 'hardware' ? 'user space only' : 'the kernel included',
    share: least === most ? shareText(least) : `${shareText(least)} to ${shareText(most)}`,
  });
}

/** In the place of the metrics that no trial has; null where there are some, or nobody asked for them. */
export function uncountedSentence({ analysis }: ReportInput, escaping: Escaping): string | null {
  const { counters } = analysis;
  if (counters === null || counters.trials === 0 || counters.counted > 0) return null;
  const reason = escaping.prose(counters.reason ?? 'no trial reported any').replace(/\.$/, '');
  return say('note.no-counters', { kind: capital(counters.kind), reason });
}

/** The metrics that a report has: counters that no trial has are none. */
export function reportedMetrics({ analysis, journal }: ReportInput): readonly Metric[] {
  const compared = new Set(analysis.comparisons.map(({ metric }) => metric));
  return journal.run.experiment.metrics.filter(({ name, from }) => from.kind !== 'counter' || compared.has(name));
}
