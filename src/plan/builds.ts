/** Several builds of each arm: which one a block runs, and whether the order of arms is balanced within each. */
import type { Experiment } from '../experiment/experiment.ts';
import { designPeriod } from './order.ts';
import type { Phase, PlannedTrial } from './plan.ts';

/** The build that all arms of a block run, from 0; blocks count from 1. */
export function buildOfBlock(block: number, builds: number): number {
  return (block - 1) % builds;
}

/** The build that a trial runs, from 0. */
export function buildOf(experiment: Experiment, { phase, block }: Pick<PlannedTrial, 'phase' | 'block'>): number {
  return buildOfBlock(block, buildsIn(experiment, phase));
}

/**
 * How many builds of its arms a phase goes through. All of them in the timed phases of the confirmation's arms, and in
 * controls that are compared with these. The first alone where instructions are counted, whose repeats must not differ,
 * and where a build itself is what is looked at.
 */
export function buildsIn({ design, sides }: Pick<Experiment, 'design' | 'sides'>, phase: Phase): number {
  const side = sides.find(({ name }) => name === phase);
  if (side === undefined) return phase === 'counting' ? 1 : design.builds;
  const kind = side.control?.kind;
  return kind === 'uncounted' || kind === 'unchanged' ? design.builds : 1;
}

/** How many builds there are of an arm. */
export function buildsOfArm({ design }: Pick<Experiment, 'design'>, arm: string): number {
  return design.arms.includes(arm) ? design.builds : 1;
}

/** What a user should know where the blocks of the confirmation do not balance the order of arms within each build. */
export function unbalancedBuilds({
  design,
}: Pick<Experiment, 'design'>): { readonly message: string; readonly remedy: string } | null {
  const { arms, builds, confirmation_pairs } = design;
  const period = designPeriod(arms.length, design.order);
  const planned = Math.ceil(confirmation_pairs / period) * period;
  const whole = builds * period;
  if (builds === 1 || planned % whole === 0) return null;
  const blocks = arms.length === 2 ? 'pairs' : 'blocks';
  return {
    message: `The order of arms is not balanced within each of the ${builds} builds: ${planned} ${blocks} are no multiple of ${whole}.`,
    remedy: `Run a multiple of ${whole} ${blocks}, so that an effect of the order cancels out in each build.`,
  };
}
