/** What a report for people says first, and what must be known to read its results. */
import { uncountedEffect } from './control-parts.ts';
import { uncountedSentence } from './counters.ts';
import { countsOf } from './counts.ts';
import type { ReportInput } from './input.ts';
import { counted, formatLevel } from './numbers.ts';
import { type Escaping, listText } from './plain-text.ts';
import { blockNoun, hasRatio, hasSteps, type ResultRow } from './row.ts';
import { groupedNotes } from './row-notes.ts';
import { say } from './rules.ts';
import { hasEffect } from './statements.ts';

/** Of warnings that are named at the head of a report. */
const MOST_CODES = 6;

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

/** What is compared, and what the intervals are over. */
export function scopeSentence(input: ReportInput, rows: readonly ResultRow[]): string {
  const { analysis } = input;
  const level = formatLevel(analysis.level);
  const [first] = rows;
  const arms = [...new Set(rows.map(({ arm }) => arm))];
  const words = { level, blocks: `${blockNoun(input)}s` };
  const { imported, plan } = input.journal.run;
  const fixed = imported === null ? 'scope.fresh' : 'scope.imported';
  const fresh = say(plan.sequential === null ? fixed : 'scope.sequential', words);
  const intervals = analysis.builds > 1 ? say('scope.builds', { level }) : fresh;
  const parts = [
    ...(first === undefined ? [] : [armsText(arms, first.reference)]),
    ...(hasEffect(input) ? [intervals] : []),
  ];
  return `${parts.join('; ')}.`;
}

function armsText(arms: readonly string[], reference: string): string {
  const [only = ''] = arms;
  return arms.length === 1
    ? say('scope.arms', { arm: only, reference })
    : say('scope.several', { arms: listText(arms), reference });
}

/** The effects without counters, which stand beside those of the confirmation. */
export function uncountedFindings(input: ReportInput, escaping: Escaping): readonly string[] {
  if (input.analysis.state !== 'complete') return [];
  return input.analysis.controls.flatMap((control) => {
    const told = control.primary ? uncountedEffect(control, input, escaping) : null;
    if (told === null) return [];
    return [
      say('opening.uncounted', { ...told, metric: escaping.name(control.metric), arm: escaping.name(control.arm) }),
    ];
  });
}

/** How many warnings there are, and which; null where there are none. */
export function warningsSentence(
  { analysis }: ReportInput,
  escaping: Escaping,
): { readonly count: string; readonly codes: string } | null {
  const { warnings } = analysis;
  if (warnings.length === 0) return null;
  const codes = [...new Set(warnings.map(({ code }) => escaping.prose(code)))];
  const rest = codes.length - MOST_CODES;
  const shown = rest > 0 ? [...codes.slice(0, MOST_CODES), `${rest} more`] : codes;
  return { count: counted(warnings.length, 'warning'), codes: listText(shown) };
}

/** Results are shown where the run has any. */
export function hasResults(input: ReportInput): boolean {
  return input.analysis.state === 'complete' || hasEffect(input);
}

/** What must be known to read the results. */
export function resultNotes(input: ReportInput, rows: readonly ResultRow[], escaping: Escaping): readonly string[] {
  const uncounted = uncountedSentence(input, escaping);
  const noted = rows.flatMap(({ comparison, subject, metric, reason, notes }) =>
    [...(reason === null || comparison.primary ? [] : [reason]), ...notes].map((note) => ({ subject, metric, note })),
  );
  return [
    ...(rows.some((row) => row.comparison.primary) ? [say('note.primary', {})] : []),
    ...(rows.some(hasRatio) ? [say('note.means', { blocks: `${blockNoun(input)}s` })] : []),
    ...(hasSteps(input) ? [levelsNote(input)] : []),
    ...groupedNotes(noted, rows),
    ...(uncounted === null ? [] : [uncounted]),
  ];
}

function levelsNote({ analysis, journal }: ReportInput): string {
  if (journal.run.plan.sequential === null) return say('note.levels', {});
  return say('note.levels-sequential', { level: formatLevel(analysis.level) });
}

/** `text` with a full stop, unless it ends in a mark of its own. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
