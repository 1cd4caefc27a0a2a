/** The answers to `assay plan --detect` and `--within`. */
import type { Detection, DetectionAnswer, Reach } from '../analysis/detection.ts';
import type { Experiment, Metric } from '../experiment/experiment.ts';
import { formatDuration, formatNumber, grouped } from './numbers.ts';
import {
  blockWord,
  changeText,
  contrastName,
  type PlannedExperiment,
  pairWord,
  powerText,
  unknownText,
} from './plan-forecast.ts';
import { formatQuantity } from './units.ts';

/** Other sessions are worth a word where they save at least this share of the time. */
const WORTHWHILE = 0.1;

/** Nothing where it was not asked. */
export function detectionLines(planned: PlannedExperiment): string[] {
  const { detection, experiment } = planned;
  if (detection === null) return [];
  const { rows, all, others, change, kind } = detection;
  const asked = (row: Detection['rows'][number]) =>
    changeText(change, { kind, unit: row.unit }, experiment, row.metric, 4);
  const first = rows[0];
  const size = first === undefined ? '' : asked(first);
  const each = rows.length > 1 ? ', each by itself' : '';
  const margins = rows
    .filter(({ within_margin, answer }) => within_margin && answer.kind === 'pairs')
    .map(({ metric }) => metric);
  return [
    '',
    `to find a change of ${size} with ${powerText(planned)}${each}:`,
    ...rows.map((row) => `  ${contrastName(row, experiment)}: ${answerText(row, asked(row), planned)}`),
    ...(all === null ? [] : sizeLines(all, planned)),
    ...rows.flatMap(({ answer }) => bestLine(answer)),
    ...(margins.length === 0
      ? []
      : [
          `A change of ${size} lies within the margin of ${unique(margins)}: found, it may read "measurably slower, within the margin".`,
        ]),
    ...others.map(otherText),
  ];
}

function answerText(
  { answer, power, spread, metric, unit }: Detection['rows'][number],
  asked: string,
  { experiment, forecast, plan }: PlannedExperiment,
): string {
  const word = blockWord(experiment);
  switch (answer.kind) {
    case 'unknown':
      return unknownText(spread, experiment);
    case 'within_threshold': {
      const of = experiment.metrics.find(({ name }) => name === metric);
      const limit = changeText(answer.threshold, { kind: of?.kind ?? 'ratio', unit }, experiment, metric, 4);
      return `not possible: ${asked} does not lie beyond the threshold of ${limit}, so that no number of ${word}s calls it slower or faster. Lower the threshold, or ask for more.`;
    }
    case 'too_many': {
      const noun = answer.of === 'pair' ? word : answer.of;
      const slices = answer.of === 'pair' && word === 'pair' ? '; slices may spread less (docs/slices.md)' : '';
      return `more than the ${grouped(answer.most)} ${noun}s that an experiment can have${slices}`;
    }
    case 'pairs': {
      const { size, ends_after } = answer;
      const most = plan.sequential === null ? '' : 'at most ';
      const needed =
        size.builds === null
          ? `${grouped(size.pairs)} ${word}s`
          : `${size.builds} builds of each arm, ${grouped(size.pairs)} ${word}s`;
      const early =
        ends_after === null
          ? ''
          : `, and such a change ends the run after about ${formatNumber(ends_after, 2)} of them`;
      return `${most}${needed}${early}; ${presentText(power, size.builds ?? size.pairs, experiment, forecast)}`;
    }
  }
}

/** What the plan as it stands does. */
function presentText(
  power: number | null,
  needed: number,
  experiment: Experiment,
  forecast: PlannedExperiment['forecast'],
): string {
  const { builds } = experiment.design;
  const planned = builds > 1 ? builds : forecast.pairs;
  if (planned >= needed) return `the ${grouped(planned)} of the plan suffice`;
  const share = power === null ? '' : ` in ${shareText(power)} of runs`;
  return `the ${grouped(planned)} of the plan find it${share}`;
}

/** A chance in whole per cent, and never none or all of it. */
function shareText(power: number): string {
  if (power < 0.01) return 'less than 1 %';
  return `${Math.min(99, Math.round(power * 100))} %`;
}

function sizeLines(all: NonNullable<Detection['all']>, { experiment, plan }: PlannedExperiment): string[] {
  const { confirmation, total } = all.seconds;
  const whole =
    total === null || total === confirmation ? '' : `, ${formatDuration(total)} with all else that the plan has`;
  const builds =
    all.build_seconds === null
      ? ''
      : `; builds: about ${formatDuration(all.build_seconds)} where the cache has none of them`;
  const time =
    confirmation === null
      ? []
      : [`  time: about ${formatDuration(confirmation)} for the confirmation${whole}${builds}`];
  const word = pairWord(experiment);
  const { sequential } = plan;
  const written =
    sequential === null
      ? `confirmation: {${word}s: ${all.pairs}}`
      : `sequential: {min: ${sequential.min}, max: ${Math.max(all.pairs, sequential.min)}}`;
  return [...time, `  in the file: design: {${all.builds === null ? '' : `builds: ${all.builds}, `}${written}}`];
}

function bestLine(answer: DetectionAnswer): string[] {
  if (answer.kind !== 'pairs' || answer.best === null) return [];
  const { session_ns, sessions, seconds, present_seconds } = answer.best;
  if (seconds > (1 - WORTHWHILE) * present_seconds) return [];
  const length = formatQuantity(session_ns, 'ns');
  return [
    `  ${sessions} sessions of about ${length} would take about ${formatDuration(seconds)}: that length uses the time best (slices: {session: ${length}})`,
  ];
}

function otherText({ metric, kind, unit }: Detection['others'][number]): string {
  return kind === 'ratio'
    ? `Of ${metric} nothing is said: it is a ratio, which is asked for in per cent.`
    : `Of ${metric} nothing is said: it is a difference, which is asked for by a number${unit === '' ? '' : ` of ${unit}`}.`;
}

/** Nothing where it was not asked. */
export function reachLines(planned: PlannedExperiment): string[] {
  const { within, experiment, plan, forecast } = planned;
  if (within === null) return [];
  const { seconds, size, pair_seconds, rest_seconds, rows } = within;
  const word = blockWord(experiment);
  const head = `within ${formatDuration(seconds)}`;
  if (pair_seconds === null || rest_seconds === null) {
    return ['', `${head}: unknown, as long as nobody knows how long a ${word} takes`];
  }
  const rest = rest_seconds === 0 ? '' : `, and all else that the plan has ${formatDuration(rest_seconds)}`;
  const each = `a ${word} takes ${formatDuration(pair_seconds)}${rest}`;
  if (size === null) return ['', `${head}: too short to decide anything: ${each}`];
  const most = plan.sequential === null ? '' : 'at most ';
  const builds = size.builds === null ? '' : `${size.builds} builds of each arm, `;
  const made = forecast.builds === null ? '' : '; builds are not in it';
  const capped = within.capped ? ', the most that an experiment can have' : '';
  return [
    '',
    `${head}: ${most}${builds}${grouped(size.pairs)} ${word}s${capped} (${each}${made}), which find with ${powerText(planned)}:`,
    ...rows.map((row) => `  ${contrastName(row, experiment)}: ${reachText(row, experiment)}`),
  ];
}

function reachText(row: Reach['rows'][number], experiment: Experiment): string {
  if (row.spread.sd === null) return unknownText(row.spread, experiment);
  return row.change === null ? 'nothing: too few' : changeText(row.change, row, experiment, row.metric);
}

function unique(names: readonly Metric['name'][]): string {
  return [...new Set(names)].join(', ');
}
