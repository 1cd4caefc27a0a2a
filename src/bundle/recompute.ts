/** Every trial's metrics and checks, computed again from its raw output, one trial after the other. */
import { basename } from 'node:path';
import { canonicalJson } from '../experiment/canonical.ts';
import { checkAccount, checkSessionEnd } from '../journal/record-schema.ts';
import type { Journal, TrialRecord } from '../journal/records.ts';
import { whole } from '../journal/whole.ts';
import { buildOf } from '../plan/builds.ts';
import { type PhaseSetting, phaseSetting } from '../plan/phase-setting.ts';
import { COUNT_FILES, keptCount } from '../trial/count.ts';
import { wordingOf } from '../trial/driver-wording.ts';
import type { FileText, RawOutput } from '../trial/extract.ts';
import type { LaunchAccount } from '../trial/launch.ts';
import { filesRead } from '../trial/raw-output.ts';
import { readOutput } from '../trial/read-output.ts';
import type { SessionHalf } from '../trial/slice-metrics.ts';
import { readSlices, SLICES_FILE } from '../trial/slices-file.ts';
import { rawFolder } from '../trial/trial-name.ts';
import { fewValues } from './bounded-json.ts';
import { collectFaults, type Faults } from './faults.ts';
import { MOST_OUTPUT_VALUES, MOST_TRIAL_BYTES } from './limits.ts';
import { openImportRecomputation } from './recompute-import.ts';
import { refusal } from './refusal.ts';
import { sameValueButIdentity } from './same-text.ts';
import { workOf } from './work.ts';

export interface Recomputed {
  /** As recorded, but the metrics are those of the raw output wherever it is there. */
  readonly journal: Journal;
  /** Trials that were computed again. */
  readonly made: number;
  /** Trials of which raw output is not there, and those that have more of it than is read. */
  readonly absent: number;
  readonly large: number;
  /** Trials that were left out since all together could take longer than they may. */
  readonly slow: number;
  /** Trials without a file that an optional metric or a check reads: that there was none is the word of the journal. */
  readonly without: number;
  /** Where the raw output says something else than the journal. */
  readonly differing: Faults;
}

export interface Recomputation {
  /**
   * Takes a file of raw output; those of one trial come together.
   * @throws AssayError `bundle` where it is of no trial, or not what the journal says
   */
  take(path: string, bytes: Buffer, sha256: string): void;
  finish(): Recomputed;
}

/** Values that JSON in a trial's account may hold. */
const MOST_ACCOUNT_VALUES = 10_000;

/**
 * @param resumed_at how many trials were on record each time the run was resumed
 * @param seconds for all trials together: one that could take longer than is left is not computed
 */
export function openRecomputation(
  journal: Journal,
  resumed_at: readonly number[],
  seconds = Number.POSITIVE_INFINITY,
): Recomputation {
  const { experiment, imported } = journal.run;
  if (imported !== null) return openImportRecomputation(journal, imported, seconds);
  const owners = ownersOf(journal);
  const heard = firstOfArms(journal.trials, resumed_at);
  const trials = [...journal.trials];
  const differing = collectFaults();
  for (const trial of trials) {
    const missing = unlisted(trial);
    if (missing !== null) differing.add(`${rawFolder(trial, trial.attempt)}: the journal names no ${missing} of it`);
  }
  let current: { readonly index: number; readonly files: Map<string, Buffer>; bytes: number } | null = null;
  let made = 0;
  let large = 0;
  let without = 0;
  let slow = 0;
  let left = seconds;
  const works = new Map<string, ReturnType<typeof workOf>>();

  function close(): void {
    if (current === null) return;
    const { index, files, bytes } = current;
    current = null;
    const trial = trials[index];
    if (trial === undefined) return;
    if (bytes > MOST_TRIAL_BYTES || ![...files.values()].every((file) => fewValues(file, MOST_OUTPUT_VALUES))) {
      large += 1;
      return;
    }
    // Part of it alone says nothing.
    if (files.size < trial.raw.length) return;
    if (mostSeconds(trial, files, bytes) > left) {
      slow += 1;
      return;
    }
    made += 1;
    const begun = performance.now();
    const read = readAgain(trial, files, heard.has(index));
    left -= (performance.now() - begun) / 1000;
    if (typeof read === 'string') {
      differing.add(`${rawFolder(trial, trial.attempt)}: ${read}`);
      return;
    }
    trials[index] = read;
  }

  function mostSeconds(trial: TrialRecord, files: ReadonlyMap<string, Buffer>, total: number): number {
    if (seconds === Number.POSITIVE_INFINITY) return 0;
    if (left <= 0) return Number.POSITIVE_INFINITY;
    const work = works.get(trial.phase) ?? workOf(phaseSetting(experiment, trial.phase));
    works.set(trial.phase, work);
    const folder = rawFolder(trial, trial.attempt);
    const size = (name: string) => files.get(`${folder}/${name}`)?.length ?? 0;
    return work({ stdout: size('stdout'), stderr: size('stderr'), file: (name) => size(`files/${name}`), total });
  }

  /** The record with its metrics computed anew, or in which it differs from its raw output. */
  function readAgain(stored: TrialRecord, files: ReadonlyMap<string, Buffer>, first: boolean): TrialRecord | string {
    const trial = whole(stored);
    const folder = rawFolder(trial, trial.attempt);
    const account = accountOf(files.get(`${folder}/account.json`));
    if (account === null) return 'it has no account.json of the known form';
    const { phase, block, position, arm, attempt } = trial;
    const inPhase = phaseSetting(experiment, phase);
    const build = buildOf(experiment, trial);
    const prepared = journal.prepared?.arms.find((one) => one.arm === arm && one.build === build);
    const own =
      prepared !== undefined && Object.hasOwn(prepared.commands, phase) ? prepared.commands[phase] : undefined;
    const command = own ?? prepared?.command;
    if (!sameValueButIdentity({ phase, block, position, arm, attempt }, account.trial)) {
      return 'its account.json is of another trial';
    }
    if (!sameValueButIdentity(command ?? null, account.command)) return 'its command is another than that of its arm';
    if (!sameValueButIdentity(trial.account, account.account)) return 'its account.json is another than in the journal';
    const text = (name: string) => files.get(`${folder}/${name}`)?.toString('utf8') ?? '';
    const kept = [...filesRead(inPhase)].map((name): readonly [string, FileText] => {
      const bytes = files.get(`${folder}/files/${name}`);
      return [name, bytes === undefined ? { missing: 'was not kept' } : bytes.toString('utf8')];
    });
    const half = halfOf(trial, inPhase, account.session);
    if (half === undefined) return 'its account.json does not say how the session ended';
    const slices = half?.subject === 0 ? slicesFault(trial, files.get(`${folder}/${SLICES_FILE}`)) : null;
    if (slices !== null) return slices;
    const output: RawOutput = {
      stdout: text('stdout'),
      stderr: text('stderr'),
      files: Object.fromEntries(kept),
      account: account.account,
    };
    const fileOf = (name: string): FileText => {
      const bytes = files.get(`${folder}/${name}`);
      return bytes === undefined ? { missing: 'was not kept' } : bytes.toString('utf8');
    };
    const counted = phase === 'counting' ? keptCount(fileOf) : null;
    const again = readOutput(inPhase, output, counted, half);
    const metric = Object.keys({ ...trial.metrics, ...again.metrics }).find(
      (name) => trial.metrics[name] !== again.metrics[name],
    );
    if (metric !== undefined) {
      return `${metric} is ${again.metrics[metric] ?? 'absent'} in the raw output, ${trial.metrics[metric] ?? 'absent'} in the journal`;
    }
    // Why a file was not kept is not known any more, so that sentences about it cannot be compared.
    const isWhole = kept.every(([, file]) => typeof file === 'string');
    if (!isWhole) without += 1;
    const told = (record: Pick<TrialRecord, 'checks' | 'failure' | 'last_words'>) => {
      const { checks, failure, last_words } = record;
      if (isWhole) return { checks, failure, last_words };
      return { checks: checks.map(({ name, ok }) => ({ name, ok })), failure: failure?.kind ?? null, last_words };
    };
    if (!sameValueButIdentity([trial.counted, trial.counters], [again.counted, again.counters])) {
      return 'what it counted is something else than in the journal';
    }
    if (!sameValueButIdentity(trial.operations, again.operations)) {
      return 'the operations that it did are others than in the journal';
    }
    if (!sameValueButIdentity(trial.wording, first ? wordingOf(output.stdout) : null)) {
      return 'what its driver says of the workload is something else than in the journal';
    }
    const codes = ({ reader_warnings }: Pick<TrialRecord, 'reader_warnings'>) =>
      reader_warnings.map(({ code }) => code);
    if (canonicalJson(codes(trial)) !== canonicalJson(codes(again))) {
      return 'what readers say of its output is something else than in the journal';
    }
    if (!sameValueButIdentity(told(trial), told(again))) return 'its checks say something else than in the journal';
    const { metrics, operations, counters } = again;
    return { ...trial, metrics, operations, counted: again.counted, counters };
  }

  return {
    take(path, bytes, sha256) {
      const owner = owners.get(path);
      if (owner === undefined) throw refusal(`${path} is of no trial of the journal`);
      const { index, sha256: recorded } = owner;
      if (sha256 !== recorded) throw refusal(`${path} is not what the journal says: its digest differs`);
      if (current?.index !== index) close();
      current ??= { index, files: new Map(), bytes: 0 };
      current.bytes += bytes.length;
      if (current.bytes > MOST_TRIAL_BYTES) current.files.clear();
      else current.files.set(path, bytes);
    },
    finish() {
      close();
      const absent = journal.trials.length - made - large - slow;
      return { journal: { ...journal, trials }, made, absent, large, slow, without, differing };
    },
  };
}

/** The trials that tell what their driver says: the first of each arm, since the run was begun or resumed. */
function firstOfArms(trials: Journal['trials'], resumed_at: readonly number[]): ReadonlySet<number> {
  const first = new Set<number>();
  const heard = new Set<string>();
  for (const [index, { arm }] of trials.entries()) {
    if (resumed_at.includes(index)) heard.clear();
    if (!heard.has(arm)) first.add(index);
    heard.add(arm);
  }
  return first;
}

/** What the account of a half of a session says beside; null for a trial that is none, undefined where it does not say it. */
function halfOf(trial: TrialRecord, { slices }: PhaseSetting, said: unknown): SessionHalf | null | undefined {
  if (slices === null) return null;
  const end = checkSessionEnd(said);
  return end === null ? undefined : { slices: trial.session, subject: trial.position === 1 ? 0 : 1, ...end };
}

/** In what the file of slices says something else than the journal, which numbers are read from; null where it does not. */
function slicesFault({ session }: TrialRecord, bytes: Buffer | undefined): string | null {
  if (bytes === undefined) return session === null ? null : `it has no ${SLICES_FILE}`;
  const read = readSlices(bytes.toString('latin1'));
  if (!read.ok) return `${SLICES_FILE} cannot be read: ${read.reason}`;
  return sameValueButIdentity(session, read.slices) ? null : `${SLICES_FILE} is another than in the journal`;
}

/** A file that every such trial leaves, and that its record does not name: without it, it would seem to be empty. */
function unlisted(trial: TrialRecord): string | null {
  if (trial.account === null) return 'account';
  const folder = rawFolder(trial, trial.attempt);
  const { outcome } = trial.account;
  const due = ['account.json'];
  // A process that was ended with the other of its session may never have been started.
  if (outcome.kind !== 'not_started' && outcome.kind !== 'abandoned') {
    // What is over the limit may be more than is kept; such a trial has failed.
    due.push(...(['stdout', 'stderr'] as const).filter((name) => !isOver(outcome, name)));
  }
  if (trial.phase === 'counting' && trial.failure === null) due.push(...COUNT_FILES);
  if (trial.session !== null && trial.position === 1) due.push(SLICES_FILE);
  const listed = new Set(trial.raw.map(({ path }) => path));
  return due.find((name) => !listed.has(`${folder}/${name}`)) ?? null;
}

function isOver(outcome: LaunchAccount['outcome'], stream: 'stdout' | 'stderr'): boolean {
  return outcome.kind === 'output_limit' && outcome.stream === stream;
}

/** Of each file of raw output: which trial it is of, and its digest. */
function ownersOf(journal: Journal): ReadonlyMap<string, { readonly index: number; readonly sha256: string }> {
  const owners = new Map<string, { readonly index: number; readonly sha256: string }>();
  for (const [index, trial] of journal.trials.entries()) {
    const folder = rawFolder(trial, trial.attempt);
    for (const { path, sha256 } of trial.raw) {
      if (!path.startsWith(`${folder}/`))
        throw refusal(`the journal says that ${basename(path)} lies outside ${folder}`);
      if (owners.has(path)) throw refusal(`the journal names ${path} twice`);
      owners.set(path, { index, sha256 });
    }
  }
  return owners;
}

function accountOf(bytes: Buffer | undefined): {
  readonly trial: unknown;
  readonly command: unknown;
  readonly account: LaunchAccount;
  readonly session: unknown;
} | null {
  if (bytes === undefined || !fewValues(bytes, MOST_ACCOUNT_VALUES)) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value !== 'object' || value === null) return null;
    if (!('trial' in value) || !('command' in value) || !('account' in value)) return null;
    const account = checkAccount(value.account);
    const session = 'session' in value ? value.session : null;
    return account === null ? null : { trial: value.trial, command: value.command, account, session };
  } catch {
    return null;
  }
}
