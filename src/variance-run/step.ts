/** One execution of db_bench under the launcher, and what its output says. */
import { join } from 'node:path';
import { quoteCommand } from '../experiment/command-line.ts';
import { AssayError } from '../failures.ts';
import { readText } from '../io/text-files.ts';
import { formatDuration } from '../report/numbers.ts';
import { stepKey } from '../storage/benchmark/plan.ts';
import { stepColumns } from '../storage/benchmark/step-columns.ts';
import type { StepRecord } from '../storage/benchmark/step-record.ts';
import { type PlannedStep, stepArguments, testName } from '../storage/benchmark/steps.ts';
import { type TimeRules, timeLimit } from '../storage/benchmark/time-limit.ts';
import { bareLaunch } from '../trial/bare-launch.ts';
import { lastWords } from '../trial/last-words.ts';
import type { LaunchAccount, Launcher, LaunchRequest } from '../trial/launch.ts';

const GRACE_MS = 10_000;
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;
const NO_ROOM = 'No space left on device';

export interface StepSetting {
  readonly launcher: Launcher;
  /** Of the run. */
  readonly directory: string;
  readonly db_bench: string;
  readonly rules: TimeRules;
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
  const fault = outcomeFault(account, planned, setting.rules);
  const printed = { stdout: textOf(place, 'stdout'), stderr: textOf(place, 'stderr') };
  if (fault !== null) throw failed(setting, planned, fault, lastWords(printed.stdout, printed.stderr));
  const task = { keys: planned.workload.keys, duration_s: setting.rules.duration_s };
  const found = stepColumns(planned.step, task, printed, account.cpu_ns);
  if (!found.ok) throw failed(setting, planned, { clause: found.reason }, null);
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
  { db_bench, rules, env }: StepSetting,
  planned: PlannedStep,
  database: string,
  place: string,
): LaunchRequest {
  return {
    ...bareLaunch([db_bench, ...stepArguments(planned, database, rules.duration_s)], place),
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: env['PATH'] ?? '/usr/bin:/bin', HOME: place, TMPDIR: place },
    timeout_ms: timeLimit(planned.step, rules) * 1000,
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

interface Fault {
  readonly clause: string;
  /** What to do, where there is more to say than to mend it. */
  readonly remedy?: string;
}

function outcomeFault({ outcome }: LaunchAccount, { step }: PlannedStep, rules: TimeRules): Fault | null {
  switch (outcome.kind) {
    case 'exited':
      return outcome.code === 0 ? null : { clause: `db_bench ended with exit code ${outcome.code}` };
    case 'signalled':
      return { clause: `db_bench was ended by ${outcome.signal}` };
    case 'timeout':
      return {
        clause: `db_bench had not ended after ${formatDuration(timeLimit(step, rules))}, and was ended`,
        remedy: `Look what held it up, such as a disk that hangs (where it only needs longer, measure anew ${rules.small ? 'without --small' : 'with fewer --keys'})`,
      };
    case 'output_limit':
      return { clause: `db_bench printed more than ${MOST_OUTPUT_BYTES / 2 ** 20} MiB` };
    case 'not_started':
      return { clause: `db_bench could not be started (${outcome.step}: ${outcome.code})` };
    case 'cancelled':
    case 'abandoned':
      return null;
  }
}

function failed(
  { directory }: StepSetting,
  planned: PlannedStep,
  { clause, remedy }: Fault,
  words: string | null,
): AssayError {
  const { workload, threads, repetition, step } = planned;
  const where = `${step} of ${workload.name} with ${threads === 1 ? '1 thread' : `${threads} threads`}, repetition ${repetition}`;
  const full = words?.includes(NO_ROOM) === true;
  const again = quoteCommand(['assay', 'variance', 'run', '--resume', directory]);
  const kept = `What it printed is in ${join(directory, 'steps', stepKey(planned))}.`;
  return new AssayError({
    kind: 'machine',
    message: full ? `the disk is full: ${where}` : `${where}: ${clause}${words === null ? '' : `: ${words}`}`,
    remedy: `${full ? 'Free some space' : `${kept} ${remedy ?? 'Mend it'}`}, then go on with: ${again} (what was measured is intact).`,
  });
}
