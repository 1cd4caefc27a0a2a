/** From the output of one step to the columns of the table, or to the reason why it does not count. */
import { type DbBenchResult, parseDbBench } from '../../formats/db-bench/output.ts';
import type { TreeReport } from '../../formats/db-bench/tree.ts';
import { writeAmplification } from '../../formats/db-bench/write-amplification.ts';
import type { BesideName } from '../beside.ts';
import { STEPS, type StepName } from './steps.ts';

export type StepColumns =
  | {
      readonly ok: true;
      /** Of RocksDB. */
      readonly version: string | null;
      readonly columns: Readonly<Record<string, number>>;
      /** What db_bench warns of, such as a build with assertions. */
      readonly cautions: readonly string[];
    }
  /** A clause about the step. */
  | { readonly ok: false; readonly reason: string };

const MIB = 2 ** 20;
/** Above it the rate as printed, an integer rounded down, says more than operations and time. */
const LARGE_RATE = 1000;
/** A write amplification whose parts were rounded so much that it may be off by more is left out. */
const ROUNDING = 1.05;
const DIGITS = 4;

/** What the step was to do. */
export interface StepTask {
  /** Pairs in the database. */
  readonly keys: number;
  /** Of a step that goes on for a time. */
  readonly duration_s: number;
}

/** A step that runs for a time never ends before it, but for how it is printed. */
const WHOLE_TIME = 0.99;
/** Of a rate that is operations / time: how far it may be off beside what was rounded when it was printed. */
const RATE_TOLERANCE = 0.02;
const SECONDS_ROUNDING = 0.001;

/**
 * @param stderr has the version, and what went wrong
 * @param cpu_ns of the whole process
 */
export function stepColumns(
  step: StepName,
  task: StepTask,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  cpu_ns: number | null,
): StepColumns {
  const parsed = parseDbBench(`${stderr}\n${stdout}`);
  if (!parsed.ok) return { ok: false, reason: `its output cannot be read: ${parsed.reason}` };
  const { benchmark, writes } = STEPS[step];
  const [result, ...more] = parsed.results.filter(({ name }) => name === benchmark);
  if (more.length > 0) return { ok: false, reason: `db_bench has printed several results of ${benchmark}` };
  if (result === undefined) return { ok: false, reason: `db_bench has printed no result of ${benchmark}` };
  const [error] = parsed.errors;
  if (error !== undefined) return { ok: false, reason: `db_bench says: ${error}` };
  const fault = resultFault(result) ?? taskFault(step, task, result);
  if (fault !== null) return { ok: false, reason: fault };
  const tree = parsed.trees.at(-1);
  return {
    ok: true,
    version: parsed.headers.find(({ version }) => version !== null)?.version ?? null,
    cautions: [...new Set(parsed.headers.flatMap(({ warnings }) => warnings))],
    columns: { ...resultColumns(result), ...besideColumns(result, tree, writes, cpu_ns) },
  };
}

function resultFault({ operationsPerSecond, operations, elapsedNs, found }: DbBenchResult): string | null {
  if (operations === null || elapsedNs === null)
    return 'db_bench prints neither operations nor seconds, as it does since RocksDB 7.3';
  if (operationsPerSecond === null || operations <= 1) return 'no operation was done in its time';
  const seconds = elapsedNs / 1e9;
  const tolerance = RATE_TOLERANCE + 1 / operationsPerSecond + (seconds === 0 ? 1 : SECONDS_ROUNDING / seconds);
  if (Math.abs((operationsPerSecond * seconds) / operations - 1) > tolerance)
    return `${operations} operations in ${seconds} s are no ${operationsPerSecond} a second`;
  if (found !== null && found.found < found.of) {
    return `${found.found} of ${found.of} keys were found, where each is in the database`;
  }
  return null;
}

function taskFault(step: StepName, { keys, duration_s }: StepTask, result: DbBenchResult): string | null {
  const { operations, elapsedNs } = result;
  if (!STEPS[step].timed) return operations === keys ? null : `${operations} of ${keys} pairs were written`;
  const seconds = (elapsedNs ?? 0) / 1e9;
  return seconds < duration_s * WHOLE_TIME ? `it ended after ${seconds} s, and was to run for ${duration_s} s` : null;
}

function resultColumns({ histograms, ...result }: DbBenchResult): Record<string, number> {
  const { operationsPerSecond, operations, elapsedNs, timePerOperationNs, bytesPerSecond } = result;
  const [histogram] = histograms;
  const exact = operations === null || elapsedNs === null || elapsedNs === 0 ? null : (operations * 1e9) / elapsedNs;
  const rate = operationsPerSecond !== null && operationsPerSecond < LARGE_RATE ? exact : operationsPerSecond;
  const percentiles = [...(histogram?.percentilesNs ?? [])].map(([name, ns]) => [`p${name}`, ns / 1000] as const);
  return known({
    ops_sec: rate === null ? null : Number(rate.toPrecision(8)),
    mb_sec: bytesPerSecond === null ? null : bytesPerSecond / MIB,
    usec_op: timePerOperationNs / 1000,
    ...Object.fromEntries(percentiles),
    pmax: histogram === undefined ? null : histogram.maxNs / 1000,
  });
}

function besideColumns(
  { operations, elapsedNs }: DbBenchResult,
  tree: TreeReport | undefined,
  writes: boolean,
  cpu_ns: number | null,
): Record<string, number> {
  const family = tree?.families.find(({ name }) => name === 'default');
  const filled = family?.levels.filter(({ files }) => files !== null && files > 0);
  const stallNs = tree?.stallNs ?? null;
  const columns: Record<BesideName, number | null> = {
    levels: filled?.length ?? null,
    tree_size: family?.sum?.bytes ?? null,
    write_amplification: writes ? amplification(tree) : null,
    stalled_share: writes ? ratio(stallNs, elapsedNs) : null,
    cpu_per_operation: ratio(cpu_ns, operations),
  };
  return known(columns);
}

/** To the digits that mean something; null where there is none. */
function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : Number((part / whole).toPrecision(DIGITS));
}

/** Of what this process wrote, which opened the database for this step alone. */
function amplification(tree: TreeReport | undefined): number | null {
  const found = tree === undefined ? null : writeAmplification(tree);
  return found === null || found.most / found.least > ROUNDING ? null : Number(found.value.toPrecision(DIGITS));
}

function known(columns: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, value]) =>
      value !== null && Number.isFinite(value) ? [[name, value]] : [],
    ),
  );
}
