/**
 * Calibrations on record, in the user's data directory: one file for each machine and workload, the newest, with the known cost that was
 * measured last. They are cited, never executed; what lies there may be anything, and is read as such.
 */
import { isAbsolute, join, resolve } from 'node:path';
import type { Warning } from '../analysis/analysis.ts';
import { AssayError } from '../failures.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import { fileFailure } from '../io/file-failure.ts';
import { homeDirectory } from '../io/home.ts';
import { makeDirectories } from '../io/make-directories.ts';
import { readRegularFile } from '../io/raw-file.ts';
import type { Calibration, KeptCalibration, MetricCalibration } from '../journal/calibration.ts';
import { calibrationSchema } from '../journal/calibration-schema.ts';

const REMEDY = 'Name a directory of your own in ASSAY_DATA.';
/** With all metrics that an experiment may have it comes to less. */
const MOST_BYTES = 1 << 20;

interface Found {
  readonly calibration: Calibration | null;
  /** Why there is none, where a file is there. */
  readonly problem: Warning | null;
}

/**
 * Where Assay keeps what it knows of this machine: `$ASSAY_DATA`, else `assay` in `$XDG_DATA_HOME` (ignored unless absolute), else in
 * `~/.local/share`. Null where there is no home directory either.
 */
function dataDirectory(env: NodeJS.ProcessEnv): string | null {
  const own = env['ASSAY_DATA'];
  if (own !== undefined && own !== '') return resolve(own);
  const xdg = env['XDG_DATA_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'assay');
  const home = env['HOME'] || homeDirectory();
  return home ? join(home, '.local', 'share', 'assay') : null;
}

/** The calibration on record of a machine and a workload. Never throws for what lies there. */
export function findCalibration(env: NodeJS.ProcessEnv, machine_id: string, workload_id: string): Found {
  const data = dataDirectory(env);
  if (data === null) return { calibration: null, problem: null };
  const directory = join(data, 'calibrations');
  const name = nameOf(machine_id, workload_id);
  const path = join(directory, name);
  const none = (problem: string): Found => ({
    calibration: null,
    problem: {
      ...{ code: 'calibration-unreadable', metric: null },
      message: `A calibration is on record and cannot be used: ${path} ${problem}.`,
      remedy: 'Calibrate anew, or name another directory in ASSAY_DATA.',
    },
  });
  const read = readRegularFile(directory, name, MOST_BYTES);
  if (!read.ok) return read.reason === 'does not exist' ? { calibration: null, problem: null } : none(read.reason);
  const calibration = parsed(read.bytes.toString('utf8'));
  if (calibration === null) return none('is no calibration that this Assay can read');
  const isOfThese = calibration.machine_id === machine_id && calibration.workload_id === workload_id;
  return isOfThese ? { calibration, problem: null } : none('is of another machine or workload');
}

/**
 * Keeps a calibration, unless a newer one of this machine and workload is on record.
 * @throws AssayError `usage` where there is no home directory, `file` where it cannot be written
 */
export async function keepCalibration(env: NodeJS.ProcessEnv, calibration: Calibration): Promise<KeptCalibration> {
  const data = dataDirectory(env);
  if (data === null) {
    throw new AssayError({
      kind: 'usage',
      message: 'this user has no home directory to keep the calibration in',
      remedy: REMEDY,
    });
  }
  const { machine_id, workload_id } = calibration;
  const directory = join(data, 'calibrations');
  const path = join(directory, nameOf(machine_id, workload_id));
  const before = findCalibration(env, machine_id, workload_id).calibration;
  const record = before === null ? calibration : joined(calibration, before);
  try {
    makeDirectories(directory, 0o700);
  } catch (error) {
    throw fileFailure(error, directory, 'make the directory of calibrations', REMEDY);
  }
  await writeFileAtomically(path, `${JSON.stringify(record, null, 2)}\n`, 0o600);
  const earlier = before === null || knownIn(calibration) !== null ? null : knownIn(before);
  if (before === null || earlier === null) return { path, earlier_known: null };
  return { path, earlier_known: { unix_ms: earlier.unix_ms ?? before.unix_ms, kept: knownIn(record) !== null } };
}

/**
 * The newer of both. What it costs to measure a known cost again is not asked for with every A/A run: the one that was measured last stays,
 * where the same version of Assay judged as many pairs by the same rule.
 */
function joined(found: Calibration, before: Calibration): Calibration {
  const [newer, older] = before.unix_ms > found.unix_ms ? [before, found] : [found, before];
  const rule = ({ assay, pairs, level, sequential }: Calibration) => [assay, pairs, level, sequential].join();
  if (rule(newer) !== rule(older)) return newer;
  const metrics = newer.metrics.map((metric) => {
    const other = older.metrics.find((each) => each.metric === metric.metric)?.known ?? null;
    return { ...metric, known: lastOf(metric.known, other) };
  });
  return { ...newer, metrics };
}

type Known = MetricCalibration['known'];

function lastOf(one: Known, other: Known): Known {
  return one === null || (other !== null && (other.unix_ms ?? 0) > (one.unix_ms ?? 0)) ? other : one;
}

function knownIn({ metrics }: Calibration): Known {
  return metrics.find(({ known }) => known !== null)?.known ?? null;
}

function parsed(text: string): Calibration | null {
  try {
    const checked = calibrationSchema.safeParse(JSON.parse(text));
    return checked.success ? checked.data : null;
  } catch {
    return null;
  }
}

/** Whatever the ids are, the name is that of a file. */
function nameOf(machine_id: string, workload_id: string): string {
  const plain = (id: string) => id.replace(/[^0-9A-Za-z]/g, '_').slice(0, 64);
  return `${plain(machine_id)}-${plain(workload_id)}.json`;
}
