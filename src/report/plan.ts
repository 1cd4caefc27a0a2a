/** `assay plan`: the order of trials, how long they take, and what they could show. */
import type { Forecast } from '../analysis/forecast.ts';
import type { Experiment, Param, SideDesign } from '../experiment/experiment.ts';
import { buildsIn, unbalancedBuilds } from '../plan/builds.ts';
import type { Phase, Plan } from '../plan/plan.ts';
import { counted, formatDuration, formatNumber } from './numbers.ts';
import { escapeText } from './plain-text.ts';
import { rulesText } from './statements.ts';

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
    `${forecast.trials} trials, seed ${plan.seed}${planned.seed_given ? '' : ' (drawn now; a run draws its own unless a seed is given)'}`,
  ];
  for (const { phase, blocks } of plan.phases) {
    lines.push('', phaseText(phase, blocks, experiment));
    blocks.forEach((arms, index) => {
      lines.push(`  ${String(index + 1).padStart(4)}  ${arms.join('  ')}`);
    });
  }
  const unbalanced = unbalancedBuilds(experiment);
  if (unbalanced !== null) lines.push('', `${unbalanced.message} ${unbalanced.remedy}`);
  const { rules } = experiment.reject;
  if (rules.length > 0) lines.push('', `rejected: ${rulesText(rules)}`);
  lines.push('', `time: ${forecast.seconds === null ? 'unknown' : `about ${formatDuration(forecast.seconds)}`}`);
  lines.push(`detectable with 80 % power at the ${formatNumber(experiment.decision.level * 100)} % level:`);
  for (const row of forecast.detectable) {
    const arm = experiment.design.arms.length === 2 ? '' : `, ${row.arm}`;
    lines.push(`  ${row.metric}${arm}: ${detectableText(row)}`);
  }
  lines.push(
    planned.from === null
      ? 'Time and spread are unknown until the experiment has been run once, or screened: design: {screening: {pairs: 4}}. A run that is not in assay-runs is named by --from DIR.'
      : `Time and spread are those of ${planned.from}; what it found is not used.`,
  );
  return `${lines.map(escapeText).join('\n')}\n`;
}

function phaseText(phase: Phase, blocks: readonly (readonly string[])[], experiment: Experiment): string {
  if (phase === 'counting') return countingText(blocks.length, experiment);
  const side = experiment.sides.find(({ name }) => name === phase);
  const what = counted(blocks.length, blocks[0]?.length === 2 ? 'pair' : 'block');
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

function detectableText({ change, kind, unit, unit_of_spread, from }: Forecast['detectable'][number]): string {
  if (from === null)
    return unit_of_spread === 'build' ? 'unknown: that takes an earlier run of several builds' : 'unknown';
  const units = counted(from, unit_of_spread);
  if (change === null) return `unknown: no spread in ${units}`;
  const size = kind === 'ratio' ? `${formatNumber(change * 100, 2)} %` : `${formatNumber(change, 2)} ${unit}`;
  return `${size} (spread of ${units}, its upper 80 % bound)`;
}
