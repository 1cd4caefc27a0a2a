/** Two subjects that work in turns, each supervised as any trial is: what native/session.h does. */
import { closeSync, constants, openSync, read, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { LONGEST_LINE, parseReady, type Ready } from '../driver-answers.ts';
import type { LaunchAccount, SessionAccount, SessionFault, SessionRequest } from '../launch.ts';
import { type Fifos, openFifos } from './fifo.ts';
import { runTrial, type TrialHost, unstarted } from './trial.ts';
import type { Channel, TurnsEnd } from './turns.ts';
import { judgeAnswer, REST, TURN, type TurnsInput, WHOSE } from './turns.ts';

type Subject = 0 | 1;
const SUBJECTS = [0, 1] as const;
const LOOK_MS = 20;

export type SessionReply =
  | { readonly kind: 'account'; readonly account: SessionAccount }
  /** The file of slices could not be written: the name of an errno. */
  | { readonly kind: 'unwritten'; readonly code: string };

interface Side {
  readonly fifos: Fifos;
  readonly force: AbortController;
  readonly account: Promise<LaunchAccount>;
  /** Resolves when its process exists, or will not. */
  readonly started: Promise<void>;
  isOver: boolean;
}

/** Reads one answer without blocking this thread; the read itself ends at the latest when the subject does. */
async function readAnswer(channel: Channel) {
  const buffer = Buffer.alloc(LONGEST_LINE);
  for (let used = 0; ; ) {
    const { bytesRead } = await promisify(read)(channel.answers, buffer, used, LONGEST_LINE - used, null);
    used += bytesRead;
    const answer = judgeAnswer(buffer.subarray(0, used), bytesRead === 0);
    if (answer !== null) return answer;
  }
}

/** Rejects only when processes are left that cannot be killed, or the system has no FIFOs. */
export async function runSession(
  request: SessionRequest,
  hostOf: (subject: Subject) => TrialHost,
  cancelled: AbortSignal,
): Promise<SessionReply> {
  const { subjects, slices: path, answer_timeout_ms } = request;
  const hosts = [hostOf(0), hostOf(1)] as const;
  const sides: Side[] = [];
  const reads: Promise<unknown>[] = [];
  let asked = 0;
  const faultOf = (kind: SessionFault['kind'], subject: Subject, answer = ''): SessionFault => ({
    subject,
    kind,
    slice: asked,
    answer: answer.slice(0, 200),
  });
  const whenCancelled = new Promise<'cancelled'>((resolve) => {
    const cancel = () => {
      for (const { force } of sides) force.abort();
      resolve('cancelled');
    };
    if (cancelled.aborted) cancel();
    cancelled.addEventListener('abort', cancel, { once: true });
  });
  const late = async (side: Side): Promise<'late'> => {
    await side.started;
    await delay(answer_timeout_ms, undefined, { ref: false });
    return 'late';
  };

  let file: number;
  try {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
    file = openSync(path, flags, 0o600);
    writeSync(file, 'assay-slices 1\n');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'EIO';
    const first = unstarted(subjects[0], { kind: 'not_started', step: 'slices', code }, hosts[0], 0);
    const second = unstarted(subjects[1], { kind: 'abandoned' }, hosts[1], 0);
    return { kind: 'account', account: { subjects: [first, second], fault: faultOf('ended', 0) } };
  }

  const start = (subject: Subject): Side => {
    const host = hosts[subject];
    const fifos = openFifos(host.scratch, `subject-${subject}`);
    const force = new AbortController();
    let tellStarted = () => {};
    const started = new Promise<void>((resolve) => {
      tellStarted = () => {
        fifos.closeTheirs();
        resolve();
      };
    });
    const watched: TrialHost = {
      ...host,
      subjectStarted(pid) {
        host.subjectStarted(pid);
        tellStarted();
      },
    };
    const side: Side = {
      fifos,
      force,
      started,
      isOver: false,
      account: runTrial(subjects[subject], watched, force.signal, fifos.theirs).finally(() => {
        tellStarted();
        side.isOver = true;
      }),
    };
    sides.push(side);
    return side;
  };

  const setUp = async (subject: Subject): Promise<Ready | SessionFault | 'cancelled'> => {
    const side = start(subject);
    const answer = readAnswer(side.fifos.ours);
    reads.push(answer);
    const first = subject === 1 ? sides[0] : undefined;
    const found = await Promise.race([
      answer,
      late(side),
      whenCancelled,
      ...(first === undefined ? [] : [first.account.then(() => 'other' as const)]),
    ]);
    if (found === 'cancelled') return found;
    if (found === 'other') return faultOf('ended', 0);
    if (found === 'late') return faultOf('stalled', subject);
    const ready = found.problem === null ? parseReady(found.text) : null;
    if (ready === null) return faultOf(found.problem ?? 'garbage', subject, found.text);
    writeSync(file, `ready\t${subject}\t${ready.unit}\t${ready.most ?? '-'}\n`);
    return ready;
  };

  const finish = async (subject: Subject): Promise<SessionFault | null> => {
    const side = sides[subject];
    if (side === undefined) return null;
    try {
      writeSync(side.fifos.ours.requests, 'finish\n');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
    const answer = readAnswer(side.fifos.ours);
    reads.push(answer);
    const whole = Promise.all([answer, side.account]);
    const found = await Promise.race([whole, late(side), whenCancelled]);
    if (found === 'cancelled') return null;
    if (found === 'late') return faultOf('stalled', subject);
    const [{ problem, text }, { outcome }] = found;
    if (problem !== 'ended' || text !== '') return faultOf('unasked', subject, text);
    return outcome.kind === 'exited' ? null : faultOf('ended', subject);
  };

  const ready: Ready[] = [];
  let fault: SessionFault | null = null;
  let write_error: string | null = null;
  for (const subject of SUBJECTS) {
    if (fault !== null || cancelled.aborted) break;
    const found = await setUp(subject);
    if (found === 'cancelled') break;
    if ('kind' in found) fault = found;
    else ready.push(found);
  }
  const [first, second] = ready;
  const [one, other] = sides;
  if (first !== undefined && second !== undefined && one !== undefined && other !== undefined && !cancelled.aborted) {
    const state = new SharedArrayBuffer(8);
    const channels = [one.fifos.ours, other.fifos.ours] as const;
    const input = { channels, ready: [first, second] as const, work: request.work, state, slices: file };
    const end = await watchTurns(input, answer_timeout_ms, (subject) => sides[subject]?.force.abort());
    ({ fault, asked, write_error } = end);
    if (fault === null) asked += 1;
    for (const subject of SUBJECTS) if (fault === null && !cancelled.aborted) fault = await finish(subject);
  }
  await endBoth(sides, fault, fault === null ? 0 : subjects[fault.subject].grace_ms, whenCancelled);
  const accounts = await Promise.all(
    SUBJECTS.map(async (subject): Promise<LaunchAccount> => {
      const account = await (sides[subject]?.account ??
        unstarted(subjects[subject], { kind: 'abandoned' }, hosts[subject], 0));
      return { ...account, outcome: outcomeOf(account, subject, fault, cancelled.aborted) };
    }),
  );
  await Promise.all(reads);
  for (const { fifos } of sides) fifos.closeAnswers();
  closeSync(file);
  if (write_error !== null) return { kind: 'unwritten', code: write_error };
  const [left, right] = accounts;
  if (left === undefined || right === undefined) throw new Error('a session has two subjects');
  return { kind: 'account', account: { subjects: [left, right], fault: cancelled.aborted ? null : fault } };
}

/** Runs the coordinator; whoever does not answer in time is forced to end, and the coordinator sees it end. */
async function watchTurns(
  input: TurnsInput,
  answer_timeout_ms: number,
  force: (subject: Subject) => void,
): Promise<TurnsEnd> {
  const state = new Int32Array(input.state);
  let seen = 0;
  let since = performance.now();
  let stalled: { readonly subject: Subject; readonly kind: 'stalled' | 'busy' } | null = null;
  const watch = setInterval(() => {
    const whose = Atomics.load(state, WHOSE);
    const turn = Atomics.load(state, TURN);
    if (turn !== seen || whose === 0) since = performance.now();
    seen = turn;
    if (stalled !== null || performance.now() - since < answer_timeout_ms) return;
    stalled = { subject: whose % REST === 1 ? 0 : 1, kind: whose > REST ? 'busy' : 'stalled' };
    force(stalled.subject);
  }, LOOK_MS);
  const worker = new Worker(new URL('./turns-worker.js', import.meta.url), { workerData: input });
  try {
    const end = await new Promise<TurnsEnd>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    return named(end, stalled);
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}

/** What the coordinator saw of one that stalled was the end that it was forced to. */
function named(end: TurnsEnd, stalled: Pick<SessionFault, 'subject' | 'kind'> | null): TurnsEnd {
  if (stalled === null || (end.fault !== null && end.fault.subject !== stalled.subject)) return end;
  return { ...end, fault: { slice: end.asked, answer: '', ...end.fault, ...stalled } };
}

/** Lets both see the end of their requests, gives one that can see it the time to end by itself, and forces the rest. */
async function endBoth(
  sides: readonly Side[],
  fault: SessionFault | null,
  grace_ms: number,
  whenCancelled: Promise<unknown>,
): Promise<void> {
  for (const { fifos } of sides) fifos.closeRequests();
  const accounts = Promise.all(sides.map(({ account }) => account));
  if (fault !== null && fault.kind !== 'stalled' && fault.kind !== 'busy') {
    await Promise.race([accounts, whenCancelled, delay(grace_ms)]);
  }
  for (const { force, isOver } of sides) if (!isOver) force.abort();
  await accounts;
}

function outcomeOf(
  { outcome }: LaunchAccount,
  subject: Subject,
  fault: SessionFault | null,
  isCancelled: boolean,
): LaunchAccount['outcome'] {
  if (isCancelled) return { kind: 'cancelled' };
  if (fault === null) return outcome;
  if (fault.subject !== subject) return { kind: 'abandoned' };
  return outcome.kind === 'cancelled' ? { kind: 'timeout' } : outcome;
}
