/** Whether what the journal says of when the run began and ended, and of how, fits to its trials. */
import type { Journal, TrialRecord } from '../../journal/records.ts';

/** So far a clock that is being set right may go back between two records. */
const SLACK_MS = 60_000;

interface Moment {
  readonly what: string;
  readonly unix_ms: number;
}

/** A clause; null where nothing contradicts anything. Whoever moves all of it together is not found out. */
export function courseFault(journal: Journal): string | null {
  return timesFault(journal) ?? endFault(journal);
}

function timesFault({ run, trials, resumptions, end }: Journal): string | null {
  const ran = trials.filter(hasRun);
  const starts = ran.map((trial): Moment => ({ what: nameOf(trial), unix_ms: startOf(trial) }));
  const ends = ran.map((trial): Moment => ({ what: nameOf(trial), unix_ms: endOf(trial) }));
  const resumed = resumptions.map(({ unix_ms }): Moment => ({ what: 'a resumption', unix_ms }));
  const began: Moment = { what: 'its start', unix_ms: run.started_unix_ms };
  const early = [...starts, ...resumed].find(({ unix_ms }) => unix_ms < began.unix_ms - SLACK_MS);
  if (early !== undefined) {
    return `the run began at ${iso(began)}, after ${early.what} (${iso(early)}): one of both is wrong, or the clock was set back`;
  }
  if (end === null) return null;
  const late = [began, ...ends, ...resumed].find(({ unix_ms }) => unix_ms > end.unix_ms + SLACK_MS);
  return late === undefined
    ? null
    : `the run ended at ${iso(end)}, before ${late.what} (${iso(late)}): one of both is wrong, or the clock was set back`;
}

function endFault({ end, trials, prepared }: Journal): string | null {
  if (end?.reason.kind === 'trial_failed' && trials.every(({ failure }) => failure === null)) {
    return 'the run says that it ended with a trial that failed, and none has';
  }
  if (end?.reason.kind !== 'changed') return null;
  const { arm } = end.reason;
  return prepared?.arms.some((one) => one.arm === arm) === true
    ? null
    : `the run says that it ended since ${arm} had changed, which was not prepared`;
}

/** What never started has no times; of what was measured elsewhere nobody knows any. */
function hasRun({ account }: TrialRecord): boolean {
  return account !== null && account.outcome.kind !== 'not_started' && account.started_unix_ms > 0;
}

function startOf({ account }: TrialRecord): number {
  return account?.started_unix_ms ?? 0;
}

function endOf(trial: TrialRecord): number {
  const { started_boot_ns = 0, ended_boot_ns = 0 } = trial.account ?? {};
  return startOf(trial) + (ended_boot_ns - started_boot_ns) / 1e6;
}

function nameOf({ phase, block, position }: TrialRecord): string {
  return `${phase} block ${block}, position ${position}`;
}

function iso({ unix_ms }: { readonly unix_ms: number }): string {
  return new Date(unix_ms).toISOString();
}
