/** The turns of a session, over blocking pipes: what native/turns.h does. It runs in a worker (turns-worker.ts). */
import { readSync, writeSync } from 'node:fs';
import { MOST_OPERATIONS } from '../../experiment/slices.ts';
import { type Done, fitsTurn, LONGEST_LINE, parseDone, type Ready } from '../driver-answers.ts';
import type { PlannedQuad, SessionFault, SessionRequest } from '../launch.ts';

type Subject = 0 | 1;

/** Descriptors of the pipes between the coordinator and a subject, on either side. */
export interface Channel {
  readonly requests: number;
  readonly answers: number;
}

/** The coordinator's. */
export interface OwnChannel extends Channel {
  /** The same answers, read without blocking. */
  readonly peek: number;
}

/** Places in the memory that the coordinator shares with whoever watches it: how many turns there were, and whose it is. */
export const TURN = 0;
export const WHOSE = 1;
/** Added to the subject's number from 1, where the coordinator waits for its background work. */
export const REST = 4;

export interface TurnsInput {
  readonly channels: readonly [OwnChannel, OwnChannel];
  readonly ready: readonly [Ready, Ready];
  readonly work: SessionRequest['work'];
  /** Two integers, at `TURN` and `WHOSE`. */
  readonly state: SharedArrayBuffer;
  /** Open for appending; gets the slices at the end. */
  readonly slices: number;
}

export interface TurnsEnd {
  readonly fault: SessionFault | null;
  /** How many slices were asked for. */
  readonly asked: number;
  /** Name of an errno, where the slices could not be written. */
  readonly write_error: string | null;
}

type Answer = { readonly text: string; readonly problem: SessionFault['kind'] | null };

/** One answer; blocks until it is there. What comes after it was not asked for. */
function readAnswer(file: number): Answer {
  const buffer = Buffer.alloc(LONGEST_LINE);
  for (let used = 0; ; ) {
    const got = readSync(file, buffer, used, LONGEST_LINE - used, null);
    used += got;
    const read = judgeAnswer(buffer.subarray(0, used), got === 0);
    if (read !== null) return read;
  }
}

/** What a subject said that nobody asked for, empty where it has closed its answers; null: nothing. */
function peekAnswer(file: number): string | null {
  const buffer = Buffer.alloc(LONGEST_LINE);
  try {
    return buffer.toString('latin1', 0, readSync(file, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}

/** What the bytes of an answer are so far; null: not yet whole. */
export function judgeAnswer(bytes: Buffer, isEnd: boolean): Answer | null {
  const text = bytes.toString('latin1');
  if (isEnd) return { text, problem: 'ended' };
  const end = text.indexOf('\n');
  if (end < 0) return bytes.length >= LONGEST_LINE ? { text, problem: 'garbage' } : null;
  if (end + 1 !== text.length) return { text, problem: 'unasked' };
  return { text: text.slice(0, end), problem: null };
}

interface Slice {
  readonly quad: PlannedQuad;
  readonly number: number;
  readonly place: number;
  readonly subject: Subject;
  readonly done: Done;
}

/** Characters of a wrong answer that are kept. */
const ANSWER_KEPT = 200;

class FaultFound extends Error {
  readonly fault: SessionFault;
  constructor(kind: SessionFault['kind'], subject: Subject, slice: number, answer: string) {
    super(kind);
    this.fault = { subject, kind, slice, answer: answer.slice(0, ANSWER_KEPT) };
  }
}

/** Gives both their turns until the plan is done or one is at fault, and writes the slices. */
export function takeTurns(input: TurnsInput): TurnsEnd {
  const { channels, work, slices: file } = input;
  const state = new Int32Array(input.state);
  const slices: Slice[] = [];
  const total = [0, 0];
  let asked = 0;

  const ask = (
    subject: Subject,
    request: string,
    whose: number,
  ): { readonly text: string; readonly took_ns: number } => {
    Atomics.add(state, TURN, 1);
    Atomics.store(state, WHOSE, whose);
    const start = process.hrtime.bigint();
    let answer: Answer = { text: '', problem: 'ended' };
    try {
      writeSync(channels[subject].requests, request);
      answer = readAnswer(channels[subject].answers);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
    const took_ns = Number(process.hrtime.bigint() - start);
    Atomics.store(state, WHOSE, 0);
    if (answer.problem !== null) throw new FaultFound(answer.problem, subject, asked, answer.text);
    return { text: answer.text, took_ns };
  };
  const doSlice = (subject: Subject, quad: PlannedQuad, number: number, place: number) => {
    asked += 1;
    const { text, took_ns } = ask(subject, `slice ${quad.prelude} ${quad.operations}\n`, subject + 1);
    const done = parseDone(text);
    if (done === null || !fitsTurn(done.wall_ns, took_ns)) throw new FaultFound('garbage', subject, asked, text);
    if (done.operations !== quad.operations) throw new FaultFound('miscounted', subject, asked, text);
    slices.push({ quad, number, place, subject, done });
    total[subject] = (total[subject] ?? 0) + quad.prelude + quad.operations;
    if (!done.busy) return;
    const rested = ask(subject, 'rest\n', REST + subject + 1);
    if (rested.text !== 'rested') throw new FaultFound('garbage', subject, asked, rested.text);
  };
  const doQuad = (quad: PlannedQuad, number: number) => {
    if (quad.gap_ns > 0) sleepNs(quad.gap_ns);
    for (const subject of [0, 1] as const) {
      const found = peekAnswer(channels[subject].peek);
      if (found !== null) throw new FaultFound(found === '' ? 'ended' : 'unasked', subject, asked, found);
    }
    const other = quad.leader === 0 ? 1 : 0;
    [quad.leader, other, other, quad.leader].forEach((subject, index) => {
      doSlice(subject === 0 ? 0 : 1, quad, number, index + 1);
    });
  };
  const hasRoom = (operations: number): boolean =>
    operations <= MOST_OPERATIONS &&
    input.ready.every(({ most }, subject) => most === null || (total[subject] ?? 0) + 2 * operations <= most);
  /**
   * As the native one: what is cold takes long at first, so that it goes on where slices become shorter. No work is so short that the
   * most operations of a slice take too little time.
   */
  const doRamp = (target_ns: number, settle_slices: number) => {
    let operations = commonUnit(input.ready);
    let stayed = 0;
    let stayed_ns = 0;
    for (let number = 1; hasRoom(operations); number += 1) {
      doQuad({ leader: 0, operations, prelude: 0, gap_ns: 0 }, number);
      const last = slices.slice(-4);
      const isLong = hasTaken(last, target_ns);
      if (!isLong && hasRoom(2 * operations)) {
        operations *= 2;
        stayed = 0;
        stayed_ns = 0;
        continue;
      }
      if (!isLong && 2 * operations > MOST_OPERATIONS) throw new FaultFound('timeless', 0, asked, '');
      stayed += 1;
      for (const { done } of last) stayed_ns += done.wall_ns;
      // The first bound is for a driver that says that it takes no time.
      if (stayed > settle_slices || stayed_ns >= target_ns * settle_slices) return;
    }
  };

  let fault: SessionFault | null = null;
  try {
    if (work.kind === 'ramp') doRamp(work.target_ns, work.settle_slices);
    else for (const [index, quad] of work.quads.entries()) doQuad(quad, index + 1);
  } catch (error) {
    if (!(error instanceof FaultFound)) throw error;
    fault = error.fault;
  }
  return { fault, asked, write_error: writeSlices(file, slices) };
}

function sleepNs(duration_ns: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, duration_ns / 1e6);
}

/** The least number that both count in. */
function commonUnit([first, second]: readonly [Ready, Ready]): number {
  let [a, b] = [first.unit, second.unit];
  while (b !== 0) [a, b] = [b, a % b];
  return (first.unit / a) * second.unit;
}

/** Whether either arm took so long for both of its slices in a quad ABBA; one alone may have been disturbed. */
function hasTaken(quad: readonly Slice[], target_ns: number): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = quad.map(({ done }) => done.wall_ns);
  return Math.min(a, d) >= target_ns || Math.min(b, c) >= target_ns;
}

function writeSlices(file: number, slices: readonly Slice[]): string | null {
  const rows = slices.map(({ quad, number, place, subject, done }) => {
    const { operations, wall_ns, cpu_ns, voluntary, involuntary, counts } = done;
    const columns = [number, place, subject, quad.gap_ns, quad.prelude, operations, wall_ns, cpu_ns, voluntary];
    return `${[...columns, involuntary, ...counts].join('\t')}\n`;
  });
  try {
    const bytes = Buffer.from(rows.join(''));
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EIO';
  }
}
