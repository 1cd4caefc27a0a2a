/** What a plan is: who runs when, fixed before anything runs; and how it is made. */
import type { Design, Experiment, Order } from '../experiment/experiment.ts';
import { buildsIn } from './builds.ts';
import {
  type Draw,
  designPeriod,
  interleaved,
  mirroredOrders,
  pairOrders,
  repeatedPairOrders,
  seededDraw,
  williamsOrders,
} from './order.ts';

/** `counting`: instructions are counted, nothing is timed. Controls and side comparisons have phases of their own names. */
export const MAIN_PHASES = ['warmup', 'screening', 'confirmation', 'counting'] as const;
type MainPhase = (typeof MAIN_PHASES)[number];
export type Phase = string;

export interface PlannedPhase {
  readonly phase: Phase;
  /** Each block lists the arms in the order in which they run; with two arms a block is a pair. */
  readonly blocks: readonly (readonly string[])[];
}

/** A confirmation that may end early, at looks after equal counts of both orders (docs/methods.md, "Stopping early"). */
export interface Sequential {
  /** Pairs at the first look, and at the last. */
  readonly min: number;
  readonly max: number;
  /** c² of the confidence sequence, which must stand before the first pair. */
  readonly c2: number;
}

/** In units of the spread of the pairs: a sequence is tightest for effects of about this size. */
const C2 = 1;

export interface Plan {
  /** Null where nothing was drawn: results that were measured elsewhere have the order that they have. */
  readonly seed: number | null;
  /** Null: the confirmation has a fixed number of pairs. */
  readonly sequential: Sequential | null;
  /** At most one of each phase, in the order in which they run; phases without blocks are left out. */
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
 * The plan of an experiment: a function of the experiment and the seed alone. More than two arms run in blocks, by Williams squares
 * unless they are to be mirrored, whose number is rounded up to whole designs. The confirmation of a calibration is drawn run by run, so that each run is
 * balanced by itself, and none of them ends early.
 */
export function makePlan(experiment: Experiment, seed: number): Plan {
  const { design, sides, counting } = experiment;
  const counts: Record<MainPhase, number> = {
    warmup: design.warmup,
    screening: design.screening_pairs,
    confirmation: design.confirmation_pairs,
    counting: counting?.repeats ?? 0,
  };
  const planned = phasesOf(experiment).map((phase, stream): PlannedPhase => {
    const side = sides.find(({ name }) => name === phase);
    const { arms, blocks } = side ?? { arms: design.arms, blocks: counts[phase as MainPhase] };
    const draw = seededDraw(seed, stream);
    const runs = phase === 'confirmation' ? (experiment.calibrates?.runs ?? 1) : 1;
    const drawn = Array.from({ length: runs }, () =>
      orders(design, arms, blocks, phase, buildsIn(experiment, phase), draw),
    );
    return { phase, blocks: drawn.flat() };
  });
  const running = planned.filter(({ blocks }) => blocks.length > 0);
  // Instructions are counted when all that is timed is over.
  const last = running.filter(({ phase }) => phase === 'counting');
  return {
    seed,
    sequential: experiment.calibrates === null ? sequentialOf(experiment) : null,
    phases: [...running.filter(({ phase }) => phase !== 'counting'), ...last],
  };
}

/** The seed of a plan that is run. */
export function seedOf({ seed }: Plan): number {
  if (seed === null) throw new Error('what was imported has no seed, and is not run');
  return seed;
}

/** How a run of the confirmation may end early; null where its number of pairs is fixed. */
export function sequentialOf({ design }: Pick<Experiment, 'design'>): Sequential | null {
  const { sequential, confirmation_pairs } = design;
  return sequential === null ? null : { min: sequential.min_pairs, max: confirmation_pairs, c2: C2 };
}

/** Whether a phase is a control or a side comparison. */
export function isSide(phase: Phase): boolean {
  return !MAIN_PHASES.some((main) => main === phase);
}

/** Every phase that a plan of the experiment may have. Its place here names its stream of draws. */
export function phasesOf({ sides }: Pick<Experiment, 'sides'>): readonly Phase[] {
  return [...MAIN_PHASES, ...sides.map(({ name }) => name)];
}

function orders(
  { order }: Design,
  arms: readonly string[],
  count: number,
  phase: Phase,
  builds: number,
  draw: Draw,
): string[][] {
  // Warm-up measures nothing, and a count does not depend on when it is made: neither need be balanced.
  const whole = designPeriod(arms.length, order);
  const balanced = Math.ceil(count / whole) * whole;
  const [a, b] = arms;
  const all =
    arms.length === 2 && a !== undefined && b !== undefined
      ? pairsOf(a, b, balanced, builds, draw)
      : blocksOf(order, arms, balanced, builds, draw);
  return phase === 'warmup' || phase === 'counting' ? all.slice(0, count) : all;
}

function pairsOf(a: string, b: string, count: number, builds: number, draw: Draw): string[][] {
  return builds === 1 ? pairOrders(a, b, count, draw) : repeatedPairOrders(a, b, count, builds, draw);
}

/** With several builds each has whole squares of its own, as far as the blocks suffice for that. */
function blocksOf(order: Order, arms: readonly string[], count: number, builds: number, draw: Draw): string[][] {
  const ordered = order === 'mirrored' ? mirroredOrders : williamsOrders;
  if (count % (designPeriod(arms.length, order) * builds) !== 0) return ordered(arms, count, draw);
  return interleaved(Array.from({ length: builds }, () => ordered(arms, count / builds, draw)));
}

/** All trials of a plan in the order in which they run. */
export function plannedTrials(plan: Plan): PlannedTrial[] {
  return plan.phases.flatMap(({ phase, blocks }) =>
    blocks.flatMap((arms, index) => arms.map((arm, place) => ({ phase, block: index + 1, position: place + 1, arm }))),
  );
}
