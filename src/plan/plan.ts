/** What a plan is: who runs when, fixed before anything runs; and how it is made. */
import type { Experiment } from '../experiment/experiment.ts';
import { pairOrders, seededDraw, williamsOrders, williamsPeriod } from './order.ts';

/** `counting`: instructions are counted, nothing is timed. */
export type Phase = 'warmup' | 'screening' | 'confirmation' | 'counting';

const PHASES: readonly Phase[] = ['warmup', 'screening', 'confirmation', 'counting'];

export interface PlannedPhase {
  readonly phase: Phase;
  /** Each block lists the arms in the order in which they run; with two arms a block is a pair. */
  readonly blocks: readonly (readonly string[])[];
}

export interface Plan {
  readonly seed: number;
  /** At most one of each phase, in the order of PHASES; phases without blocks are left out. */
  readonly phases: readonly PlannedPhase[];
}

/** The place of one trial. Blocks and positions count from 1, blocks within their phase. */
export interface PlannedTrial {
  readonly phase: Phase;
  readonly block: number;
  readonly position: number;
  readonly arm: string;
}

/**
 * The plan of an experiment: a function of the experiment and the seed alone. More than two arms run in Williams
 * blocks, whose number is rounded up to whole designs.
 */
export function makePlan(experiment: Experiment, seed: number): Plan {
  const arms = experiment.arms.map((arm) => arm.name);
  const counts: Record<Phase, number> = {
    warmup: experiment.design.warmup,
    screening: experiment.design.screening_pairs,
    confirmation: experiment.design.confirmation_pairs,
    counting: experiment.counting?.repeats ?? 0,
  };
  const phases = PHASES.map((phase, stream) => ({ phase, blocks: orders(arms, counts[phase], phase, seed, stream) }));
  return { seed, phases: phases.filter((phase) => phase.blocks.length > 0) };
}

function orders(arms: readonly string[], count: number, phase: Phase, seed: number, stream: number): string[][] {
  const draw = seededDraw(seed, stream);
  // Warm-up measures nothing, and a count does not depend on when it is made: neither need be balanced.
  const whole = arms.length === 2 ? 2 : williamsPeriod(arms.length);
  const balanced = Math.ceil(count / whole) * whole;
  const [a, b] = arms;
  const all =
    arms.length === 2 && a !== undefined && b !== undefined
      ? pairOrders(a, b, balanced, draw)
      : williamsOrders(arms, balanced, draw);
  return phase === 'warmup' || phase === 'counting' ? all.slice(0, count) : all;
}

/** All trials of a plan in the order in which they run. */
export function plannedTrials(plan: Plan): PlannedTrial[] {
  return plan.phases.flatMap(({ phase, blocks }) =>
    blocks.flatMap((arms, index) => arms.map((arm, place) => ({ phase, block: index + 1, position: place + 1, arm }))),
  );
}
