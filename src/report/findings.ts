/** What a report for people says first, and what must be known to read its results. */
import { uncountedSentence } from './counters.ts';
import { countsOf } from './counts.ts';
import type { ReportInput } from './input.ts';
import { formatLevel } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { blockNoun, groupsOf, hasRatio, hasSteps, type ResultRow } from './row.ts';
import { say } from './rules.ts';
import { hasEffect } from './statements.ts';

interface Findings {
  /** Primary comparisons whose finding is told. */
  readonly told: readonly ResultRow[];
  /** The one that heads the report; null where there are several, or the run has no result. */
  readonly only: ResultRow | null;
}

/** Of a run without a result only those that have an effect: why it has none stands above them, once. */
export function findingsOf(input: ReportInput, rows: readonly ResultRow[]): Findings {
  const complete = input.analysis.state === 'complete';
  const told = rows.filter(
    ({ comparison }) =>
      comparison.primary && (complete || (comparison.effect !== null && comparison.verdict.kind !== 'invalid')),
  );
  const [first] = told;
  return { told, only: told.length === 1 && first !== undefined && complete ? first : null };
}

/** What was counted, a sentence for each arm: it stands at the head of a report beside the times, and is none. */
export function countFindings(input: ReportInput, rows: readonly ResultRow[], escaping: Escaping): readonly string[] {
  const views = countsOf(input, rows, escaping)?.views ?? [];
  return views.flatMap(({ findings }) => findings.slice(0, 1));
}

/** What is compared, where, and what the intervals are over. */
export function scopeSentence(input: ReportInput, rows: readonly ResultRow[]): string {
  const against = groupsOf(rows).map((group) => `${group[0].arm} against ${group[0].reference}`);
  const intervals = `${formatLevel(input.analysis.level)} intervals over ${input.analysis.builds > 1 ? 'builds' : `${blockNoun(input)}s of fresh processes`}`;
  return `${against.join(', ')}, on one machine${hasEffect(input) ? `; ${intervals}` : ''}.`;
}

/** Results are shown where the run has any. */
export function hasResults(input: ReportInput): boolean {
  return input.analysis.state === 'complete' || hasEffect(input);
}

/** What must be known to read the results. */
export function resultNotes(input: ReportInput, rows: readonly ResultRow[], escaping: Escaping): readonly string[] {
  const uncounted = uncountedSentence(input, escaping);
  return [
    ...(rows.some((row) => row.comparison.primary) ? [say('note.primary', {})] : []),
    ...(rows.some(hasRatio) ? [say('note.means', { blocks: `${blockNoun(input)}s` })] : []),
    ...(hasSteps(input) ? [say('note.levels', {})] : []),
    ...rows.flatMap((row) => (row.reason === null || row.comparison.primary ? row.notes : [row.reason, ...row.notes])),
    ...(uncounted === null ? [] : [uncounted]),
  ];
}

/** `text` with a full stop, unless it ends in a mark of its own. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
