/** One comparison in words and figures, as every report for people prints it. */
import type { Comparison, Effect } from '../analysis/analysis.ts';
import { pairNoun } from '../analysis/wording.ts';
import type { Metric } from '../experiment/experiment.ts';
import { isTimeUnit } from '../experiment/unit.ts';
import type { ReportInput } from './input.ts';
import {
  changeScale,
  counted,
  decimalsFor,
  formatDuration,
  formatInterval,
  formatLevel,
  formatNumber,
  formatSigned,
  formatTime,
  formatValue,
  percentScale,
  type Scale,
} from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { clause, limit, type Note, notesOf, reasonOf } from './row-notes.ts';
import { say } from './rules.ts';
import { directionWords, unitFor } from './units.ts';

export interface ResultRow {
  readonly comparison: Comparison;
  readonly metric: string;
  readonly arm: string;
  readonly reference: string;
  /** The metric, with both arms where there are more than two. */
  readonly subject: string;
  readonly means: { readonly reference: string; readonly arm: string };
  readonly change: string;
  /** In brackets; `exact` where there is none. */
  readonly interval: string;
  /** Of the interval; empty where there is none. */
  readonly level: string;
  readonly directions: string;
  /** The verdict, short enough for a table. */
  readonly verdict: string;
  /** The verdict with all that makes it believable. */
  readonly finding: string;
  /** Why there is no verdict, for rows whose finding is not printed; null where there is one. */
  readonly reason: Note | null;
  readonly notes: readonly Note[];
  /** What a whole account adds to the table: outermost pairs, throughput, counters for one operation. */
  readonly details: readonly string[];
  /** How changes of this comparison are shown. */
  readonly scale: Scale;
  readonly word: { readonly slower: string; readonly faster: string };
}

/** Where a comparison stands. */
interface Setting {
  /** There are more than two arms, so that a subject needs its own. */
  readonly several: boolean;
  /** The unit of comparison. */
  readonly noun: 'pair' | 'block' | 'session';
}

interface Scales {
  readonly reference: Scale;
  readonly arm: Scale;
  readonly change: Scale;
}

/** At least one. */
export type Rows = readonly [ResultRow, ...ResultRow[]];

const NO_SCALE: Scale = { factor: 1, decimals: 0, suffix: '' };

/**
 * Decimals of a mean: two digits of `width`, its share of the interval's half width, but at least three digits of the
 * mean itself. Counts that are whole stay whole.
 */
function meanDecimals(mean: number, width: number, factor: number): number {
  const digits = mean === 0 ? 0 : decimalsFor(mean * factor, 3);
  return Math.max(0, digits, width === 0 ? 0 : decimalsFor(width * factor));
}

/** Both means have one unit, and one number of decimals unless one is twice the other. A difference has theirs. */
function scalesOf(comparison: Comparison, effect: Effect, per: Metric['per'], escaping: Escaping): Scales {
  const { means, interval, change } = effect;
  const ends = comparison.kind === 'difference' ? [change, ...(interval ?? [])] : [];
  const largest = Math.max(...[means.reference, means.arm, ...ends].map(Math.abs));
  const unit = unitFor(comparison.unit, largest, per, escaping.prose);
  if (comparison.kind === 'difference') {
    const scale = changeScale(change, interval, unit);
    return { reference: scale, arm: scale, change: scale };
  }
  const percent = percentScale(change, interval);
  if (unit.factor === 1 && Number.isInteger(means.reference) && Number.isInteger(means.arm)) {
    const whole = { ...unit, decimals: 0 };
    return { reference: whole, arm: whole, change: percent };
  }
  const half = interval === null ? Math.abs(change) : (interval[1] - interval[0]) / 2;
  // A change may be so near to -100 % that it is rounded to it.
  const share = change > -1 ? half / (1 + change) : 0;
  const scaleOf = (mean: number): Scale => ({ ...unit, decimals: meanDecimals(mean, share * mean, unit.factor) });
  const reference = scaleOf(means.reference);
  const apart = means.arm > 2 * means.reference || means.reference > 2 * means.arm;
  return { reference, arm: apart ? scaleOf(means.arm) : reference, change: percent };
}

interface Verbal {
  readonly verdict: string;
  readonly finding: string;
}

function speak(
  comparison: Comparison,
  effect: Effect,
  row: Pick<ResultRow, 'subject' | 'means' | 'change' | 'interval' | 'level' | 'scale' | 'word'>,
  blocks: string,
  escaping: Escaping,
): Verbal {
  const { verdict } = comparison;
  const { subject, change, scale } = row;
  const interval = effect.plain_interval === null ? row.interval : `${row.interval} at ${row.level}`;
  const pairs = pairsText(comparison, effect, blocks);
  const exact = effect.interval === null;
  const agreeing = String(effect.change > 0 ? effect.directions.up : effect.directions.down);
  const threshold = limit(comparison.threshold, comparison, scale);
  const margin = limit(comparison.margin ?? 0, comparison, scale);
  const detectable = effect.detectable === null ? null : limit(effect.detectable, comparison, scale, 2);
  if (exact && effect.change === 0 && verdict.kind === 'inconclusive') {
    const finding = say('finding.same', { subject, reference_mean: row.means.reference, pairs });
    return { verdict: say('cell.same', {}), finding };
  }
  switch (verdict.kind) {
    case 'slower':
    case 'faster': {
      const word = row.word[verdict.kind];
      const beyond = comparison.threshold > 0;
      const cell = beyond ? say('cell.beyond-threshold', { word, threshold }) : say('cell.beyond', { word });
      if (exact) {
        const means = { reference_mean: row.means.reference, arm_mean: row.means.arm };
        return { verdict: cell, finding: say('finding.exact', { subject, word, change, pairs, ...means }) };
      }
      const words = { subject, word, change, interval, agreeing, pairs };
      const finding = beyond ? say('finding.beyond-threshold', { ...words, threshold }) : say('finding.beyond', words);
      return { verdict: cell, finding };
    }
    case 'equivalent': {
      const { equivalence } = effect;
      if (exact || equivalence === null) {
        const finding = say('finding.equivalent-exact', { subject, margin, change, pairs });
        return { verdict: say('cell.equivalent', { margin }), finding };
      }
      const words = {
        ...{ subject, margin, change, interval, pairs },
        equivalence_level: formatLevel(equivalence.interval_level),
        equivalence_interval: formatInterval(equivalence.interval, scale),
      };
      if (verdict.measurably === null) {
        return { verdict: say('cell.equivalent', { margin }), finding: say('finding.equivalent', words) };
      }
      const measured = { word: row.word[verdict.measurably], size: formatValue(Math.abs(effect.change), scale) };
      return {
        verdict: say('cell.measurably', { ...measured, margin }),
        finding: say('finding.measurably', { ...words, ...measured, agreeing }),
      };
    }
    case 'inconclusive': {
      const reason = clause(verdict.reason, escaping);
      const decided = exact
        ? say('finding.inconclusive-exact', { subject, change, pairs, reason })
        : say('finding.inconclusive', { subject, change, interval, pairs, reason });
      if (detectable === null) return { verdict: say('cell.inconclusive', {}), finding: decided };
      return {
        verdict: say('cell.inconclusive-detectable', { detectable }),
        finding: `${decided}. ${say('finding.detectable', { pairs, detectable })}`,
      };
    }
    case 'invalid':
      return {
        verdict: say('cell.invalid', {}),
        finding: say('finding.invalid', { subject, reason: clause(verdict.reason, escaping) }),
      };
    case 'none':
      return {
        verdict: say('cell.none', {}),
        finding: say('finding.none', { subject, reason: clause(verdict.reason, escaping) }),
      };
  }
}

/** `16 pairs`, `16 pairs in 4 builds`. */
function pairsText(comparison: Comparison, { builds }: Effect, noun: string): string {
  const pairs = counted(comparison.pairs, noun);
  return builds === null ? pairs : `${pairs} in ${counted(builds.means.length, 'build')}`;
}

function directionsOf(effect: Effect): string {
  const { up, down, tied } = effect.directions;
  return `${up} up, ${down} down${tied === 0 ? '' : `, ${tied} tied`}`;
}

function detailsOf(
  comparison: Comparison,
  effect: Effect,
  subject: string,
  metric: Metric | undefined,
  scales: Scales,
  block: string,
): string[] {
  const pairs = pairsText(comparison, effect, block);
  const signed = (value: number) => formatSigned(value, scales.change);
  const details: string[] = [];
  if (comparison.primary) {
    const ends = { smallest: signed(effect.smallest_pair), largest: signed(effect.largest_pair) };
    const words = { ...ends, subject, block };
    const throughput = isTimeUnit(comparison.unit) ? effect.throughput_change : null;
    details.push(
      throughput === null
        ? say('note.pairs', words)
        : say('note.pairs-throughput', { ...words, throughput: signed(throughput) }),
    );
  }
  const decided = comparison.verdict.kind === 'slower' || comparison.verdict.kind === 'faster';
  if (metric?.from.kind === 'counter' && metric.per !== null && decided) {
    const difference = effect.means.arm - effect.means.reference;
    const { factor, suffix } = scales.reference;
    const unit = suffix.replace(/\/op$/, '');
    details.push(
      say('note.counter', {
        subject,
        difference: `${difference > 0 ? '+' : '-'}${formatNumber(Math.abs(difference) * factor, 2)}${unit}`,
        agreeing: String(effect.change > 0 ? effect.directions.up : effect.directions.down),
        pairs,
      }),
    );
  }
  return details;
}

/** The unit of comparison: a pair of two arms, a block of more, a session of two that work in turns. */
export function blockNoun(input: ReportInput): 'pair' | 'block' | 'session' {
  return nounOf(input, input.analysis.arms.length);
}

/** The same of so many arms beside the confirmation. */
export function nounOf({ journal }: ReportInput, arms: number): 'pair' | 'block' | 'session' {
  return arms === 2 ? pairNoun(journal.run.experiment.design) : 'block';
}

/** When it ran, and how long trials took together; both of a session run at once. */
export function trialTime(input: ReportInput, between = ', '): string {
  const { trial_seconds, started_unix_ms } = input.analysis;
  const time = formatTime(started_unix_ms);
  if (trial_seconds === null) return say('imported.when', { time });
  const noun = blockNoun(input) === 'session' ? 'session' : 'trial';
  return `${time}${between}${formatDuration(trial_seconds)} of ${noun}s`;
}

/** Whether some interval is not at the level of the run, so that each needs its own beside it. */
export function hasSteps(input: ReportInput): boolean {
  return input.analysis.comparisons.some((comparison) => comparison.effect?.plain_interval != null);
}

/** What heads a column of intervals: with their level, unless each has its own. */
export function intervalTitle(input: ReportInput): string {
  const what = input.journal.run.plan.sequential === null ? 'interval' : 'sequence';
  return hasSteps(input) ? what : `${formatLevel(input.analysis.level)} ${what}`;
}

function metricNamed(input: ReportInput, name: string): Metric | undefined {
  return input.journal.run.experiment.metrics.find((metric) => metric.name === name);
}

/** One comparison, of the confirmation or beside it. */
export function rowOf(comparison: Comparison, input: ReportInput, escaping: Escaping, setting: Setting): ResultRow {
  const metric = metricNamed(input, comparison.metric);
  const { effect } = comparison;
  const name = escaping.name(comparison.metric);
  const arm = escaping.name(comparison.arm);
  const reference = escaping.name(comparison.reference);
  // The total may say something else: then the finding is about the typical slice.
  const what = comparison.slices?.total_agrees === false ? say('subject.typical-slice', { metric: name }) : name;
  const subject = setting.several ? `${what} (${arm} against ${reference})` : what;
  const raw = directionWords(comparison, metric);
  const word = { slower: escaping.prose(raw.slower), faster: escaping.prose(raw.faster) };
  const per = metric?.per ?? null;
  const start = {
    ...{ comparison, metric: name, arm, reference, subject, word },
    reason: reasonOf(comparison, escaping),
  };
  if (effect === null) {
    const reason = 'reason' in comparison.verdict ? clause(comparison.verdict.reason, escaping) : 'no effect';
    const invalid = comparison.verdict.kind === 'invalid';
    return {
      ...start,
      notes: notesOf(comparison, NO_SCALE, setting.noun),
      details: [],
      means: { reference: '-', arm: '-' },
      ...{ change: '-', interval: '-', level: '', directions: '-', scale: NO_SCALE },
      verdict: say(invalid ? 'cell.invalid' : 'cell.none', {}),
      finding: say(invalid ? 'finding.invalid' : 'finding.none', { subject, reason }),
    };
  }
  const scales = scalesOf(comparison, effect, per, escaping);
  const figures = {
    means: {
      reference: formatValue(effect.means.reference, scales.reference),
      arm: formatValue(effect.means.arm, scales.arm),
    },
    change: formatSigned(effect.change, scales.change),
    interval: effect.interval === null ? 'exact' : formatInterval(effect.interval, scales.change),
    level: effect.interval === null ? '' : formatLevel(effect.interval_level),
    directions: directionsOf(effect),
    scale: scales.change,
  };
  const row = {
    ...{ ...start, ...figures },
    notes: notesOf(comparison, scales.change, setting.noun),
    details: detailsOf(comparison, effect, subject, metric, scales, setting.noun),
  };
  const { verdict, finding } = speak(comparison, effect, row, setting.noun, escaping);
  const { layout } = comparison;
  if (layout === null || layout.beyond) return { ...row, verdict, finding };
  const floor = limit(layout.floor, comparison, scales.change);
  return { ...row, verdict, finding: `${finding}. ${say('finding.layout', { floor })}` };
}

/** All comparisons of a run, primary metrics first, otherwise in the order of the analysis. */
export function rowsOf(input: ReportInput, escaping: Escaping): readonly ResultRow[] {
  const setting = { several: input.analysis.arms.length !== 2, noun: blockNoun(input) };
  const rows = input.analysis.comparisons.map((comparison) => rowOf(comparison, input, escaping, setting));
  return [...rows.filter((row) => row.comparison.primary), ...rows.filter((row) => !row.comparison.primary)];
}

/** Rows that share what is compared, in the order of the experiment. */
export function groupsOf(rows: readonly ResultRow[], by: 'arm' | 'metric' = 'arm'): readonly Rows[] {
  const groups = new Map<string, [ResultRow, ...ResultRow[]]>();
  for (const row of rows) {
    const group = groups.get(row.comparison[by]);
    if (group === undefined) groups.set(row.comparison[by], [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** Whether a row shows a change of a ratio. */
export function hasRatio({ comparison }: ResultRow): boolean {
  return comparison.effect !== null && comparison.kind === 'ratio';
}
