/** One execution of db_bench under the launcher, and what its output says. */
import { join } from 'node:path';
import { quoteCommand } from '../experiment/command-line.ts';
import { AssayError } from '../failures.ts';
import { readText } from '../io/text-files.ts';
import { stepKey } from '../storage/benchmark/plan.ts';
import { stepColumns } from '../storage/benchmark/step-columns.ts';
import type { StepRecord } from '../storage/benchmark/step-record.ts';
import { type PlannedStep, STEPS, stepArguments, testName } from '../storage/benchmark/steps.ts';
import { bareLaunch } from '../trial/bare-launch.ts';
import { lastWords } from '../trial/last-words.ts';
import type { LaunchAccount, Launcher, LaunchRequest } from '../trial/launch.ts';

const HOUR_MS = 3_600_000;
/** A load has no time of its own; what follows a step, until compactions have caught up, may take hours as well. */
const LONGEST_LOAD_MS = 7 * 24 * HOUR_MS;
const LONGEST_AFTER_MS = 12 * HOUR_MS;
const GRACE_MS = 10_000;
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;
const NO_ROOM = 'No space left on device';

export interface StepSetting {
  readonly launcher: Launcher;
  /** Of the run. */
  readonly directory: string;
  readonly db_bench: string;
  readonly duration_s: number;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Null where the user has stopped it.
 * @param database absolute
 * @param place absolute, an empty directory for what is printed
 * @throws AssayError `machine` where db_bench fails, or did not do what the step asks for
 */
export async function runStep(
  setting: StepSetting,
  planned: PlannedStep,
  database: string,
  place: string,
): Promise<StepRecord | null> {
  const request = requestOf(setting, planned, database, place);
  const account = await setting.launcher.launch(request);
  if (account.outcome.kind === 'cancelled') return null;
  const fault = outcomeFault(account);
  const printed = { stdout: textOf(place, 'stdout'), stderr: textOf(place, 'stderr') };
  if (fault !== null) throw failed(setting.directory, planned, fault, lastWords(printed.stdout, printed.stderr));
  const task = { keys: planned.workload.keys, duration_s: setting.duration_s };
  const found = stepColumns(planned.step, task, printed, account.cpu_ns);
  if (!found.ok) throw failed(setting.directory, planned, found.reason, null);
  return {
    key: stepKey(planned),
    test: testName(planned),
    argv: [...request.argv],
    started: new Date(account.started_unix_ms).toISOString().slice(0, 19),
    wall_ns: account.wall_ns,
    cpu_ns: account.cpu_ns,
    max_rss_bytes: account.max_rss_bytes,
    version: found.version,
    cautions: [...found.cautions],
    columns: { ...found.columns },
  };
}

function requestOf(
  { db_bench, duration_s, env }: StepSetting,
  planned: PlannedStep,
  database: string,
  place: string,
): LaunchRequest {
  return {
    ...bareLaunch([db_bench, ...stepArguments(planned, database, duration_s)], place),
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: env['PATH'] ?? '/usr/bin:/bin', HOME: place, TMPDIR: place },
    timeout_ms: STEPS[planned.step].timed ? duration_s * 1000 + LONGEST_AFTER_MS : LONGEST_LOAD_MS,
    grace_ms: GRACE_MS,
    max_output_bytes: MOST_OUTPUT_BYTES,
    settle: true,
  };
}

/** What was printed, as far as it can be read. */
function textOf(place: string, name: string): string {
  const read = readText(place, name, 2 * MOST_OUTPUT_BYTES);
  return read.ok ? read.text : '';
}

/** A clause. */
function outcomeFault({ outcome }: LaunchAccount): string | null {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 ? null : `db_bench ended with exit code ${outcome.code}`;
    case 'signalled':
      return `db_bench was ended by ${outcome.signal}`;
    case 'timeout':
      return 'db_bench did not end, long after its time';
    case 'output_limit':
      return `db_bench printed more than ${MOST_OUTPUT_BYTES / 2 ** 20} MiB`;
    case 'not_started':
      return `db_bench could not be started (${outcome.step}: ${outcome.code})`;
    case 'cancelled':
    case 'abandoned':
      return null;
  }
}

function failed(directory: string, planned: PlannedStep, fault: string, words: string | null): AssayError {
  const { workload, threads, repetition, step } = planned;
  const where = `${step} of ${workload.name} with ${threads === 1 ? '1 thread' : `${threads} threads`}, repetition ${repetition}`;
  const full = words?.includes(NO_ROOM) === true;
  const again = quoteCommand(['assay', 'variance', 'run', '--resume', directory]);
  const kept = `What it printed is in ${join(directory, 'steps', stepKey(planned))}.`;
  return new AssayError({
    kind: 'machine',
    message: full ? `the disk is full: ${where}` : `${where}: ${fault}${words === null ? '' : `: ${words}`}`,
    remedy: `${full ? 'Free some space' : `${kept} Mend it`}, then go on with: ${again} (what was measured is intact).`,
  });
}
