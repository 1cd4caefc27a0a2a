/**
 * What the counts of instructions say: the range of the repeats of each arm, and what the ranges allow the difference to
 * be. Sums are whole numbers of instructions of whole trials, and are divided last: k more an operation stay exactly k.
 */
import type { Experiment, Param } from '../experiment/experiment.ts';
import type { InstructionCount, Journal, TrialRecord } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import type { CountContrast, CountingSummary, CountRange, Warning } from './analysis.ts';
import { rangeOf } from './stats/moments.ts';
import { listed } from './wording.ts';

const MOST_FUNCTIONS = 15;
/** A function whose difference is a smaller share of the largest one's accounts for nothing that a reader would look at. */
const SMALLEST_SHARE = 1e-3;
const MOST_NAMED = 5;

export interface Counted {
  /** Null where none was asked for, where not all of it has been done, and where it cannot be compared. */
  readonly summary: CountingSummary | null;
  readonly warnings: readonly Warning[];
}

const NO_COUNT: CountRange = { lowest: 0, highest: 0 };
const NOTHING: Counted = { summary: null, warnings: [] };

/** `attempts` are those of the counting. Linear in the number of functions counted, but for sorting. */
export function countingOf({ run, prepared }: Journal, attempts: Attempts): Counted {
  const { experiment, plan } = run;
  const { counting, arms, reference } = experiment;
  const planned = plan.phases.find(({ phase }) => phase === 'counting')?.blocks.length ?? 0;
  const complete = attempts.filter(({ outcome }) => outcome === 'complete');
  if (counting === null || planned === 0 || complete.length !== planned) return NOTHING;
  const trials = complete.trials();
  if (trials.some(({ counted }) => counted === null)) return NOTHING;

  const operations = [...new Set(trials.map(({ counted }) => counted?.operations ?? null))];
  const divisor = operations[0] ?? 1;
  if (operations.length > 1 || divisor < 1) return { summary: null, warnings: [noOperations(operations)] };
  const counts = arms.map(({ name }) => armCounts(name, trials));
  const base = counts.find(({ arm }) => arm === reference);
  if (base === undefined) return NOTHING;
  const summary: CountingSummary = {
    tool: prepared?.counting_tool ?? counting.tool,
    unit: operations[0] == null ? 'trial' : 'operation',
    repeats: planned,
    region: counting.region,
    operations: operations[0] ?? null,
    params: otherParams(experiment),
    arms: counts.map(({ arm, whole }) => ({
      arm,
      lowest: whole.lowest / divisor,
      highest: whole.highest / divisor,
    })),
    contrasts: counts.filter((one) => one !== base).map((one) => contrastOf(base, one, divisor)),
  };
  return { summary, warnings: [] };
}

/** Counts of whole trials cannot be set against each other where the trials did not do the same work. */
function noOperations(found: readonly (number | null)[]): Warning {
  const numbers = found.map((operations) => (operations === null ? 'an unknown number' : String(operations)));
  return {
    code: 'count-operations',
    metric: null,
    message: `The trials in which instructions were counted do not state one number of operations (${listed(numbers, MOST_NAMED)}): their counts are not compared.`,
    remedy:
      'Let every trial do the same work, in all arms; a check of equality on the number of operations tells where it does not.',
  };
}

/** Parameters of the counted trials that some arm had otherwise when it was timed. */
function otherParams({ counting, workload, arms }: Experiment): Readonly<Record<string, Param>> {
  const differs = ([name, value]: readonly [string, Param]): boolean =>
    arms.some((arm) => (arm.params[name] ?? workload.params[name]) !== value);
  return Object.fromEntries(Object.entries(counting?.params ?? {}).filter(differs));
}

/** Of all counts of one arm, in instructions of a whole trial. */
interface ArmCounts {
  readonly arm: string;
  readonly whole: CountRange;
  readonly trials: readonly {
    readonly functions: ReadonlyMap<string, number>;
    /** More than this no function has that the record does not list. */
    readonly most_unlisted: number;
  }[];
}

function armCounts(arm: string, trials: readonly TrialRecord[]): ArmCounts {
  const counts = trials.flatMap((trial) => (trial.arm === arm && trial.counted !== null ? [trial.counted] : []));
  return { arm, whole: rangeOf(counts.map(({ instructions }) => instructions)), trials: counts.map(byFunction) };
}

function byFunction({ functions, rest }: InstructionCount): ArmCounts['trials'][number] {
  const sums = new Map<string, number>();
  for (const { name, instructions } of functions) sums.set(name, (sums.get(name) ?? 0) + instructions);
  const smallest = functions.at(-1)?.instructions ?? rest;
  return { functions: sums, most_unlisted: Math.min(rest, smallest) };
}

interface FunctionCount extends CountRange {
  /** Some record of the arm lists the function. */
  readonly known: boolean;
}

/** The range of a function over the repeats; where a record does not list it, it may have what is not told there. */
function functionRange({ trials }: ArmCounts, name: string): FunctionCount {
  const values = trials.flatMap(({ functions, most_unlisted }) => {
    const own = functions.get(name);
    return own === undefined ? [0, most_unlisted] : [own];
  });
  return { ...rangeOf(values), known: trials.some(({ functions }) => functions.has(name)) };
}

/** Twice the difference of the middles, which is a whole number. */
function twiceBetween(reference: CountRange, arm: CountRange): number {
  return arm.lowest + arm.highest - reference.lowest - reference.highest;
}

function contrastOf(reference: ArmCounts, arm: ArmCounts, divisor: number): CountContrast {
  const twice = twiceBetween(reference.whole, arm.whole);
  const functions = differing(reference, arm);
  const told = functions.reduce((sum, one) => sum + one.twice, 0);
  const middle = (range: FunctionCount): number | null =>
    range.known ? (range.lowest + range.highest) / 2 / divisor : null;
  const base = reference.whole.lowest + reference.whole.highest;
  return {
    arm: arm.arm,
    reference: reference.arm,
    difference: twice / 2 / divisor,
    range: [
      (arm.whole.lowest - reference.whole.highest) / divisor,
      (arm.whole.highest - reference.whole.lowest) / divisor,
    ],
    change: base === 0 ? null : twice / base,
    functions: functions.map((one) => ({
      name: one.name,
      reference: middle(one.reference),
      arm: middle(one.arm),
      difference: one.twice / 2 / divisor,
      range: [
        (one.arm.lowest - one.reference.highest) / divisor,
        (one.arm.highest - one.reference.lowest) / divisor,
      ] as const,
    })),
    rest: (twice - told) / 2 / divisor,
  };
}

interface Differing {
  readonly name: string;
  readonly reference: FunctionCount;
  readonly arm: FunctionCount;
  readonly twice: number;
}

/**
 * The functions that account for most of a difference, the largest first: none whose difference its own repeats, or what
 * a record leaves out, may explain. A function that no record of an arm lists counts as none there.
 */
function differing(reference: ArmCounts, arm: ArmCounts): readonly Differing[] {
  const names = new Set([...reference.trials, ...arm.trials].flatMap(({ functions }) => [...functions.keys()]));
  const found: Differing[] = [];
  for (const name of names) {
    const before = functionRange(reference, name);
    const after = functionRange(arm, name);
    if (after.lowest <= before.highest && after.highest >= before.lowest) continue;
    const twice = twiceBetween(before.known ? before : NO_COUNT, after.known ? after : NO_COUNT);
    found.push({ name, reference: before, arm: after, twice });
  }
  found.sort((a, b) => Math.abs(b.twice) - Math.abs(a.twice) || (a.name < b.name ? -1 : 1));
  const least = Math.abs(found[0]?.twice ?? 0) * SMALLEST_SHARE;
  return found.filter(({ twice }) => Math.abs(twice) >= least).slice(0, MOST_FUNCTIONS);
}
