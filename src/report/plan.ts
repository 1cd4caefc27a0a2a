/** `assay plan`: the order of trials, how long they take, and what they could show. */
import type { Forecast } from '../analysis/forecast.ts';
import type { Experiment, Param, SideDesign, Slices } from '../experiment/experiment.ts';
import { buildsIn, unbalancedBuilds } from '../plan/builds.ts';
import type { Phase, Plan } from '../plan/plan.ts';
import { counted, formatDuration, formatNumber } from './numbers.ts';
import { escapeText } from './plain-text.ts';
import { rulesText } from './statements.ts';
import { formatQuantity } from './units.ts';

export interface PlannedExperiment {
  readonly experiment: Experiment;
  readonly plan: Plan;
  /** False: drawn for this view; a run draws another unless a seed is given. */
  readonly seed_given: boolean;
  readonly forecast: Forecast;
  /** The run that time and spread were taken from. */
  readonly from: string | null;
}

/** The plan as text for people; the JSON form has the same. */
export function planText(planned: PlannedExperiment): string {
  const { experiment, plan, forecast } = planned;
  const lines = [
    experiment.title,
    `${countText(planned)}, seed ${plan.seed}${planned.seed_given ? '' : ' (drawn now; a run draws its own unless a seed is given)'}`,
  ];
  for (const { phase, blocks } of plan.phases) {
    lines.push('', phaseText(phase, blocks, experiment));
    blocks.forEach((arms, index) => {
      lines.push(`  ${String(index + 1).padStart(4)}  ${arms.join('  ')}`);
    });
  }
  const { slices } = experiment.design;
  if (slices !== null) lines.push('', slicesText(slices));
  const unbalanced = unbalancedBuilds(experiment);
  if (unbalanced !== null) lines.push('', `${unbalanced.message} ${unbalanced.remedy}`);
  const { rules } = experiment.reject;
  if (rules.length > 0) lines.push('', `rejected: ${rulesText(rules)}`);
  lines.push(
    '',
    `time: ${timeText(forecast)}${experiment.workload.driver === null ? '' : '; compiling the driver is not in it'}`,
  );
  lines.push(`detectable with 80 % power at the ${formatNumber(experiment.decision.level * 100)} % level:`);
  for (const row of forecast.detectable) {
    const arm = experiment.design.arms.length === 2 ? '' : `, ${row.arm}`;
    lines.push(`  ${row.metric}${arm}: ${detectableText(row, experiment.design.builds, pairWord(experiment))}`);
  }
  lines.push(
    planned.from === null
      ? `Time and spread are unknown until the experiment has been run once, or screened: design: {screening: {${pairWord(experiment)}s: 4}}. A run that is not in assay-runs is named by --from DIR.`
      : `Time and spread are those of ${planned.from}; what it found is not used.`,
  );
  return `${lines.map(escapeText).join('\n')}\n`;
}

function slicesText({ slice_ns, session_ns, operations }: Slices): string {
  const length = operations === null ? formatQuantity(slice_ns, 'ns') : counted(operations, 'operation');
  const found = operations === null ? '; the warm-up finds how many operations that is' : '';
  return `slices of about ${length}, sessions of about ${formatQuantity(session_ns, 'ns')}${found}`;
}

function countText({ experiment, plan, forecast }: PlannedExperiment): string {
  if (experiment.design.slices === null) return `${forecast.trials} trials`;
  const blocks = (counting: boolean) =>
    plan.phases.filter(({ phase }) => (phase === 'counting') === counting).flatMap((phase) => phase.blocks);
  const counts = blocks(true).flat().length;
  return `${counted(blocks(false).length, 'session')}${counts === 0 ? '' : `, ${counted(counts, 'counted trial')}`}`;
}

/** What two trials are together. */
function pairWord({ design }: Experiment): 'session' | 'pair' {
  return design.slices === null ? 'pair' : 'session';
}

function phaseText(phase: Phase, blocks: readonly (readonly string[])[], experiment: Experiment): string {
  if (phase === 'counting') return countingText(blocks.length, experiment);
  const side = experiment.sides.find(({ name }) => name === phase);
  const what = counted(blocks.length, blocks[0]?.length === 2 ? pairWord(experiment) : 'block');
  const builds = buildsIn(experiment, phase);
  const repeated = builds === 1 ? '' : `; number i is of build (i − 1) mod ${builds} of each arm`;
  return `${phase}${side === undefined ? '' : ` (${sideText(side, experiment)})`}: ${what}${repeated}`;
}

function countingText(trials: number, { counting }: Experiment): string {
  const params = valuesText(counting?.params ?? {});
  const changed = params === '' ? '' : ` with ${params}`;
  return `counting: ${counted(trials, 'trial')} of each arm under ${counting?.tool}${changed}, nothing is timed`;
}

/** What a control or comparison is, for a line of the plan. */
function sideText(side: SideDesign, { counters }: Experiment): string {
  const { control, arms, against, command, params, metrics } = side;
  switch (control?.kind) {
    case 'same':
      return `control: ${arms[0]} against itself`;
    case 'rebuild':
      return `control: ${arms[0]} against ${arms[1]}, which is built again`;
    case 'uncounted':
      return 'control: without counters';
    case 'unchanged': {
      const work = [command === null ? '' : 'another command', valuesText(params)].filter((text) => text !== '');
      const read = metrics === null ? '' : `; read: ${metrics.join(', ')}`;
      return `control: other work, ${work.join(', ')}${read}`;
    }
    case undefined: {
      const others = Object.entries(against).map(([arm, reference]) => `, ${arm} against ${reference}`);
      const off = side.counters === 'off' && counters !== 'off' ? ', without counters' : '';
      return `comparison: against ${arms[0]}${others.join('')}${off}`;
    }
  }
}

function valuesText(params: Readonly<Record<string, Param>>): string {
  return Object.entries(params)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function timeText({ seconds, builds }: Forecast): string {
  const trials = seconds === null ? 'unknown' : `about ${formatDuration(seconds)}`;
  if (builds === null) return trials;
  const made = counted(builds.count, 'build');
  return builds.seconds === null
    ? `${trials} for the trials; before them ${made}, whose time is not known until they have been made`
    : `${trials} for the trials; before them ${made}, about ${formatDuration(builds.seconds)} where the cache has none of them`;
}

function detectableText(row: Forecast['detectable'][number], builds: number, pair: string): string {
  const { change, kind, unit, from_pairs, from_builds } = row;
  if (builds > 1 && from_builds === null) {
    return 'unknown: how far builds differ is not known until several have been run';
  }
  if (from_pairs === null && from_builds === null) return 'unknown';
  const pairs = from_pairs === null ? counted(from_builds ?? 0, 'build') : counted(from_pairs, pair);
  if (change === null) return `unknown: no spread in ${pairs}`;
  const size = kind === 'ratio' ? `${formatNumber(change * 100, 2)} %` : `${formatNumber(change, 2)} ${unit}`;
  return `${size} (spread of ${pairs}, its upper 80 % bound)`;
}
