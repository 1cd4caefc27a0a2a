/** The effect that one session shows, from slices taken in turns (docs/methods.md, "Slices"). */
import type { CounterName } from '../experiment/counters.ts';
import type { SessionSlices } from '../journal/records.ts';
import { countsOf } from '../plan/slice-counts.ts';
import { slicesOf } from '../plan/slices.ts';
import { fitWithin } from './stats/fit-within.ts';
import { compensatedSum, mean, median } from './stats/moments.ts';

/** All are differences of logarithms, arm − reference. */
export interface SessionEffect {
  /** ½(median over the pairs AB + median over the pairs BA), A the reference: of the typical slice. */
  readonly typical: number;
  /** ln of the ratio of Σns/Σoperations (or Σcounts/Σoperations): all that the arms did, rare expensive slices too. */
  readonly total: number;
  /** `typical` of every other quad, and of those between: what a session's own noise makes of it. Null with fewer than four quads. */
  readonly halves: readonly [number, number] | null;
  /** Change of the effect from the session's start to its end; null with fewer than three quads. */
  readonly drift: number | null;
  readonly quads: number;
}

/**
 * A quad of the leader L and the other O is L O O L: two pairs of adjacent slices with the same number of operations, one in each
 * order. Null where there is no quad, or a slice took no time at all (or had no event), which has no logarithm. `arm`: which
 * subject is the arm, the other being the reference. A quad with a slice in which an event never ran is left out.
 */
export function sessionEffect(
  session: SessionSlices,
  arm: 0 | 1,
  what: 'wall' | 'cpu' | CounterName,
): SessionEffect | null {
  const reference = arm === 0 ? 1 : 0;
  const values = fours(session, valuesOf(session, what) ?? []);
  const quads = values.map(({ leader, four }) => {
    const theirs = slicesOf(leader, reference).map((place) => four[place] ?? 0);
    const [first = 0, second = 0] = slicesOf(leader, arm).map((place, at) =>
      Math.log((four[place] ?? 0) / (theirs[at] ?? 0)),
    );
    // The first pair of a quad begins with its leader, the second with the other.
    return leader === reference ? { ab: first, ba: second } : { ab: second, ba: first };
  });
  if (quads.length === 0 || !quads.every(({ ab, ba }) => Number.isFinite(ab) && Number.isFinite(ba))) return null;
  const total = Math.log(sumOf(values, arm) / sumOf(values, reference));
  const of = (parity: number) => typicalOf(quads.filter((_, quad) => quad % 2 === parity));
  const means = quads.map(({ ab, ba }) => (ab + ba) / 2);
  const steps = quads.map((_, quad) => quad);
  const one = quads.map(() => 0);
  const slope = quads.length < 3 ? null : (fitWithin(means, steps, one)?.slope ?? null);
  return {
    typical: typicalOf(quads),
    total,
    halves: quads.length < 4 ? null : [of(0), of(1)],
    drift: slope === null ? null : slope.value * (quads.length - 1),
    quads: quads.length,
  };
}

function typicalOf(quads: readonly { readonly ab: number; readonly ba: number }[]): number {
  return ((median(quads.map(({ ab }) => ab)) ?? 0) + (median(quads.map(({ ba }) => ba)) ?? 0)) / 2;
}

function valuesOf(session: SessionSlices, what: 'wall' | 'cpu' | CounterName): readonly (number | null)[] | null {
  if (what === 'wall') return session.wall_ns;
  return what === 'cpu' ? session.cpu_ns : countsOf(session, what);
}

interface Four {
  readonly leader: 0 | 1;
  readonly four: readonly number[];
}

/** The values of each quad that has all of them. */
function fours({ leader }: SessionSlices, values: readonly (number | null)[]): readonly Four[] {
  return leader.flatMap((each, quad) => {
    const four = values.slice(4 * quad, 4 * quad + 4).filter((value) => value !== null);
    return four.length === 4 ? [{ leader: each, four }] : [];
  });
}

/** Both arms do the same numbers of operations: their quotient is one of times, or of counts. */
function sumOf(values: readonly Four[], subject: 0 | 1): number {
  return compensatedSum(values.flatMap(({ leader, four }) => slicesOf(leader, subject).map((at) => four[at] ?? 0)));
}

export interface Components {
  /** Standard deviation of a session's effect that comes from the noise of its slices; null where no session has enough. */
  readonly within_sd: number | null;
  /** Of the sessions themselves: layout, placement, the machine's mood. */
  readonly between_sd: number;
}

/**
 * Components of the variance of sessions' effects. Two halves of a session differ by its noise alone: the mean of (a − b)²/4 over
 * the sessions is the variance that noise gives the whole session's estimate; what s² has beyond it lies between the sessions.
 */
export function componentsOf(effects: readonly SessionEffect[], sd: number): Components {
  const squares = effects.flatMap(({ halves }) => (halves === null ? [] : [(halves[0] - halves[1]) ** 2 / 4]));
  const within = squares.length === 0 ? null : (mean(squares) ?? 0);
  return {
    within_sd: within === null ? null : Math.sqrt(within),
    between_sd: Math.sqrt(Math.max(0, sd ** 2 - (within ?? 0))),
  };
}

/**
 * The number of quads a session that makes the interval narrowest for a given time: √((set-up cost / cost of a quad) · (σ²within /
 * σ²between)), σ²within that of one quad (Kalibera & Jones 2013, section 8). Null where either variance is not to be seen.
 */
export function bestQuads(
  { within_sd, between_sd }: Components,
  quads: number,
  costs: { readonly setup_ns: number; readonly quad_ns: number },
): number | null {
  if (within_sd === null || within_sd === 0 || between_sd === 0 || costs.quad_ns <= 0) return null;
  const ofQuad = within_sd ** 2 * quads;
  return Math.max(1, Math.round(Math.sqrt((costs.setup_ns / costs.quad_ns) * (ofQuad / between_sd ** 2))));
}
