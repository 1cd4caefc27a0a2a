/** `assay plan`: the order of trials, how long they take, and what they could show. */
import type { Forecast } from '../analysis/forecast.ts';
import type { Experiment } from '../experiment/experiment.ts';
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
    lines.push('', phaseText(phase, blocks.length, experiment));
    blocks.forEach((arms, index) => {
      lines.push(`  ${String(index + 1).padStart(4)}  ${arms.join('  ')}`);
    });
  }
  const { rules } = experiment.reject;
  if (rules.length > 0) lines.push('', `rejected: ${rulesText(rules)}`);
  lines.push('', `time: ${forecast.seconds === null ? 'unknown' : `about ${formatDuration(forecast.seconds)}`}`);
  lines.push(`detectable with 80 % power at the ${formatNumber(experiment.decision.level * 100)} % level:`);
  for (const row of forecast.detectable) {
    const arm = experiment.arms.length === 2 ? '' : `, ${row.arm}`;
    lines.push(`  ${row.metric}${arm}: ${detectableText(row)}`);
  }
  lines.push(
    planned.from === null
      ? 'Time and spread are unknown until the experiment has been run once, or screened: design: {screening: {pairs: 4}}.'
      : `Time and spread are those of ${planned.from}; what it found is not used.`,
  );
  return `${lines.map(escapeText).join('\n')}\n`;
}

function phaseText(phase: Phase, blocks: number, { arms, counting }: Experiment): string {
  if (phase !== 'counting') return `${phase}: ${counted(blocks, arms.length === 2 ? 'pair' : 'block')}`;
  const changed = Object.entries(counting?.params ?? {}).map(([name, value]) => `${name} ${value}`);
  const params = changed.length === 0 ? '' : ` with ${changed.join(', ')}`;
  return `counting: ${counted(blocks, 'trial')} of each arm under ${counting?.tool}${params}, nothing is timed`;
}

function detectableText({ change, kind, unit, from_pairs }: Forecast['detectable'][number]): string {
  if (from_pairs === null) return 'unknown';
  const pairs = counted(from_pairs, 'pair');
  if (change === null) return `unknown: no spread in ${pairs}`;
  const size = kind === 'ratio' ? `${formatNumber(change * 100, 2)} %` : `${formatNumber(change, 2)} ${unit}`;
  return `${size} (spread of ${pairs}, its upper 80 % bound)`;
}
