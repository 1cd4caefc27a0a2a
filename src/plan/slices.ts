/** What a session does: quads of slices, drawn from the seed for this session alone (docs/methods.md, "Slices"). */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { median } from '../analysis/stats/moments.ts';
import type { Experiment, Slices } from '../experiment/experiment.ts';
import { MOST_OPERATIONS, MOST_QUADS } from '../experiment/slices.ts';
import type { DriverReady, SessionSlices, TrialRecord } from '../journal/records.ts';
import type { PlannedQuad } from '../trial/launch.ts';
import { type PlannedTrial, phasesOf } from './plan.ts';

/** What the warm-up found. */
export interface Pace {
  /** Nominal, of a slice; a multiple of the unit. */
  readonly operations: number;
  /** Wall time of one: the geometric mean of both arms. */
  readonly operation_ns: number;
  /** Both drivers take multiples of this. */
  readonly unit: number;
  /** What either driver can do in its life; null: any number. */
  readonly most: number | null;
}

/** Which session, of which attempt at it. */
export type SessionPlace = Pick<PlannedTrial, 'phase' | 'block'> & { readonly attempt: number };

/** For a driver that can do a limited number of operations: the slices are made so short that these fit. */
const LEAST_QUADS = 4;
/** Of 2^U(−1, 1): (2 − ½) / (2 ln 2). */
const MEAN_FACTOR = 1.5 / (2 * Math.LN2);
/** Of the nominal slice, before a quad: the longest rest, and the mean of those that are drawn. */
const LONGEST_GAP = 0.5;
const MEAN_GAP = LONGEST_GAP / 2;

/**
 * The pace of a run, from its warm-up: the last session of it that went well. Null before there is one. The wall time of an
 * operation is, of each arm, the median over the slices with most operations, where the session ended up.
 */
export function paceOf(slices: Slices, trials: readonly TrialRecord[]): Pace | null {
  const good = trials.filter(({ phase, failure }) => phase === 'warmup' && failure === null);
  const session = good.findLast((trial) => {
    const other = good.find((each) => each !== trial && each.block === trial.block && each.attempt === trial.attempt);
    return trial.session !== null && trial.session.leader.length > 0 && other !== undefined;
  })?.session;
  return session == null ? null : paceFrom(slices, session);
}

function paceFrom({ slice_ns, operations, prelude }: Slices, session: SessionSlices): Pace | null {
  const [first, second] = [steadyNs(session, 0), steadyNs(session, 1)];
  if (first === null || second === null || first === 0 || second === 0) return null;
  const operation_ns = Math.sqrt(first * second);
  const unit = commonUnit(session.ready);
  const most = leastOf(session.ready.map((ready) => ready.most));
  // A driver does two slices of a quad, which may be twice as long as the nominal one.
  const bound = most === null ? Number.POSITIVE_INFINITY : most / (4 * LEAST_QUADS * (1 + prelude));
  const wanted = Math.min(operations ?? slice_ns / operation_ns, bound, MOST_OPERATIONS / 2);
  return { operations: rounded(wanted, unit), operation_ns, unit, most };
}

/** Of an operation of one subject, in the slices with most operations. */
function steadyNs({ leader, operations, wall_ns }: SessionSlices, subject: 0 | 1): number | null {
  const most = operations.reduce((largest, count) => Math.max(largest, count), 0);
  const times = operations.flatMap((count, quad) =>
    count < most ? [] : slicesOf(leader[quad], subject).map((place) => (wall_ns[4 * quad + place] ?? 0) / count),
  );
  return median(times);
}

/** Places in a quad, from 0, at which a subject works: the leader is first and last. */
export function slicesOf(leader: 0 | 1 | undefined, subject: 0 | 1): readonly [number, number] {
  return leader === subject ? [0, 3] : [1, 2];
}

/** What both units divide; where that is out of reach, the larger: a driver says so if it does not take it. */
function commonUnit([a, b]: SessionSlices['ready']): number {
  const common = (a.unit / gcd(a.unit, b.unit)) * b.unit;
  return common <= MOST_UNIT ? common : Math.max(a.unit, b.unit);
}

const MOST_UNIT = 1e9;

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function leastOf(limits: readonly DriverReady['most'][]): number | null {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The nearest multiple of the unit, but at least one of it. */
function rounded(operations: number, unit: number): number {
  return Math.max(1, Math.round(operations / unit)) * unit;
}

/** Quantities of a session that are drawn, each from a stream of its own. */
const STREAMS = { leader: 0, operations: 1, gap: 2, places: 3 } as const;

/** Numbers from 0 to below 1: of a quantity in one attempt at one session, whatever else is drawn. */
function stream(
  seed: number,
  experiment: Pick<Experiment, 'sides'>,
  { phase, block, attempt }: SessionPlace,
  quantity: keyof typeof STREAMS,
): () => number {
  const name = [phasesOf(experiment).indexOf(phase), block, attempt, STREAMS[quantity]];
  const generator = xoroshiro128plus(
    name.reduce((state, part) => mixed(state ^ Math.imul(part + 1, 0x9e3779b1)), seed),
  );
  // The first numbers are close to the seed.
  for (let skipped = 0; skipped < 16; skipped += 1) generator.next();
  return () => uniformFloat64(generator);
}

/** Every bit of the result depends on every bit of the word (the finaliser of MurmurHash3, Appleby 2008). */
function mixed(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

/**
 * The quads of a session. A fair coin says who leads each; the number of operations is nominal · 2^U(−1, 1), to the unit, and
 * 1 where an operation is a slice; the rest before it is uniform in 0 … ½ nominal slice. There are as many as the session's
 * time is expected to hold, but no more than the drivers can do.
 */
export function quadsOf(
  experiment: Pick<Experiment, 'sides'>,
  slices: Slices,
  seed: number,
  place: SessionPlace,
  pace: Pace,
): PlannedQuad[] {
  const draw = (quantity: keyof typeof STREAMS) => stream(seed, experiment, place, quantity);
  const [coin, length, rest] = [draw('leader'), draw('operations'), draw('gap')];
  const nominal_ns = pace.operations * pace.operation_ns;
  const quads: PlannedQuad[] = [];
  let done = 0;
  for (let left = quadCount(slices, nominal_ns); left > 0; left -= 1) {
    const leader = coin() < 0.5 ? 0 : 1;
    const factor = 2 ** (2 * length() - 1);
    const operations = pace.operations === 1 ? 1 : rounded(pace.operations * factor, pace.unit);
    const prelude = Math.round((slices.prelude * operations) / pace.unit) * pace.unit;
    const gap_ns = Math.round(rest() * LONGEST_GAP * nominal_ns);
    done += 2 * (operations + prelude);
    if (pace.most !== null && done > pace.most && quads.length > 0) break;
    quads.push({ leader, operations, prelude, gap_ns });
  }
  return quads;
}

function quadCount({ session_ns, prelude }: Slices, nominal_ns: number): number {
  const expected_ns = nominal_ns * (4 * MEAN_FACTOR * (1 + prelude) + MEAN_GAP);
  return Math.min(MOST_QUADS, Math.max(1, Math.round(session_ns / expected_ns)));
}

/** Which place, 1 or 2, the first and the second subject of a session get: paths have an effect of their own. */
export function placesOf(
  experiment: Pick<Experiment, 'sides'>,
  seed: number,
  place: SessionPlace,
): readonly [1, 2] | readonly [2, 1] {
  return stream(seed, experiment, place, 'places')() < 0.5 ? [1, 2] : [2, 1];
}
