/** `assay plan`: the order of trials, how long they take, and what they could show. */
import type { Experiment, Param, SideDesign, Slices } from '../experiment/experiment.ts';
import { buildsIn, unbalancedBuilds } from '../plan/builds.ts';
import type { Phase } from '../plan/plan.ts';
import { counted } from './numbers.ts';
import { escapeText } from './plain-text.ts';
import { detectionLines, reachLines } from './plan-detection.ts';
import { forecastLines, type PlannedExperiment, pairWord } from './plan-forecast.ts';
import { rulesText } from './statements.ts';
import { formatQuantity } from './units.ts';

/** The plan as text for people; the JSON form has the same. */
export function planText(planned: PlannedExperiment): string {
  const { experiment, plan } = planned;
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
  lines.push('', ...forecastLines(planned), ...detectionLines(planned), ...reachLines(planned));
  for (const { message, remedy } of planned.warnings) lines.push('', `warning: ${message} ${remedy}`);
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
