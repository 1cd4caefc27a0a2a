/** From the lines of a journal to its meaning. Only the last line may be torn: everything before it was on disk. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import { decodeRecord } from './codec.ts';
import { checkRecord } from './record-schema.ts';
import {
  type EndRecord,
  type InterruptedRecord,
  JOURNAL_VERSION,
  type Journal,
  type JournalRecord,
  type PreparedRecord,
  type ResumedRecord,
  type RunRecord,
  type TrialRecord,
  trialsIn,
} from './records.ts';

export interface Replay {
  readonly journal: Journal;
  /** The first record as it was written, before what later versions have got its default. */
  readonly first: unknown;
  /** How many trials were on record each time the run was resumed. */
  readonly resumed_at: readonly number[];
  /** Where records stand in an order in which Assay writes none; null where all are in order. */
  readonly order_fault: string | null;
  /** Where the last whole line ends. */
  readonly bytes: number;
  /** Bytes of a torn line after it. */
  readonly torn_bytes: number;
}

const CHUNK_BYTES = 1 << 20;
/** A trial's record is a few KiB; the first line holds the experiment (at most 1 MiB) more than once. */
const MAX_LINE_BYTES = 64 << 20;

/** A journal as it comes in, a chunk at a time. Both calls throw as `replayJournal` does. */
export interface JournalReader {
  push(chunk: Buffer): void;
  finish(): Replay;
}

/**
 * Reads a journal from disk, a chunk at a time.
 * Throws `journal` where a line before the last is damaged, a line is no record of this format, the first line is missing,
 * or the version is a later one; `file` where it cannot be read.
 */
export function replayJournal(path: string): Replay {
  const reader = journalReader(path);
  readChunks(path, reader.push);
  return reader.finish();
}

/**
 * @param path what failures call the journal
 * @param accept where a line may be refused before it is parsed: the reason, or null
 */
export function journalReader(
  path: string,
  accept: (line: Buffer) => string | null = () => null,
  mostLineBytes = MAX_LINE_BYTES,
): JournalReader {
  const records: JournalRecord[] = [];
  let first: unknown = null;
  let end = 0;
  let bytes = 0;
  let pending: Buffer = Buffer.alloc(0);
  let damaged = false;
  const take = (line: Buffer) => {
    if (damaged) throw damage(path, `line ${records.length + 1} does not match its checksum`);
    const refused = line.length > mostLineBytes ? 'is too long' : accept(line);
    if (refused !== null) throw damage(path, `line ${records.length + 1} ${refused}`);
    const value = decodeRecord(line.toString('utf8'));
    if (value === null) {
      damaged = true;
      return;
    }
    refuseLaterFormat(path, value);
    const checked = checkRecord(value);
    if (!checked.ok) throw damage(path, `line ${records.length + 1}: ${checked.problem}`);
    if (records.length === 0) first = value;
    records.push(checked.record);
    bytes += line.length + 1;
  };
  return {
    push(chunk) {
      end += chunk.length;
      pending = pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([pending, chunk]);
      let start = 0;
      for (let at = pending.indexOf(10); at !== -1; at = pending.indexOf(10, start)) {
        take(pending.subarray(start, at));
        start = at + 1;
      }
      pending = pending.subarray(start);
      if (pending.length > mostLineBytes) throw damage(path, `line ${records.length + 1} has no end`);
    },
    finish() {
      if (damaged && pending.length > 0) throw damage(path, `line ${records.length + 1} does not match its checksum`);
      const order = { resumed_at: resumedAt(records), order_fault: orderFault(records) };
      return { journal: assemble(records, path), first, ...order, bytes, torn_bytes: end - bytes };
    },
  };
}

function readChunks(path: string, take: (chunk: Buffer) => void): void {
  const read = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      throw fileFailure(error, path, 'read the journal');
    }
  };
  // Opened so that a pipe of that name keeps nobody waiting.
  const descriptor = read(() => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    if (!read(() => fstatSync(descriptor)).isFile()) throw damage(path, 'it is no regular file');
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const size = read(() => readSync(descriptor, chunk));
      if (size === 0) return;
      take(chunk.subarray(0, size));
    }
  } finally {
    closeSync(descriptor);
  }
}

function assemble(records: readonly JournalRecord[], path: string): Journal {
  const [first] = records;
  if (first?.kind !== 'run') throw damage(path, 'its first line is not there');
  const run: RunRecord = first;
  const trials: TrialRecord[] = [];
  const interruptions: InterruptedRecord[] = [];
  const resumptions: ResumedRecord[] = [];
  let prepared: PreparedRecord | null = null;
  let end: EndRecord | null = null;
  for (const record of records) {
    if (record.kind === 'trial' || record.kind === 'session') trials.push(...trialsIn(record));
    else if (record.kind === 'interrupted') interruptions.push(record);
    else if (record.kind === 'resumed') resumptions.push(record);
    else if (record.kind === 'prepared') prepared ??= record;
    else if (record.kind === 'end') end = record;
    // A resumed run has not ended until it says so again.
    if (record.kind === 'resumed') end = null;
  }
  return { run, prepared, trials, interruptions, resumptions, end };
}

function resumedAt(records: readonly JournalRecord[]): readonly number[] {
  let trials = 0;
  return records.flatMap((record) => {
    if (record.kind === 'trial' || record.kind === 'session') trials += trialsIn(record).length;
    return record.kind === 'resumed' ? [trials] : [];
  });
}

/** One run, first; arms prepared once, before any trial; after an end nothing until the run is resumed. */
function orderFault(records: readonly JournalRecord[]): string | null {
  let prepared = false;
  let ended = false;
  for (const [at, { kind }] of records.entries()) {
    const line = `line ${at + 1}`;
    if (at > 0 && kind === 'run') return `${line} is a second run record`;
    if (ended && kind !== 'resumed') return `${line} (${kind}) follows the end of the run, which was not resumed`;
    if (prepared && kind === 'prepared') return `${line} is a second record of prepared arms`;
    if (!prepared && (kind === 'trial' || kind === 'session')) return `${line} is a ${kind} before arms were prepared`;
    if (kind === 'prepared') prepared = true;
    ended = kind === 'end';
  }
  return null;
}

const laterRun = z.object({ kind: z.literal('run'), version: z.int().gt(JOURNAL_VERSION), assay: z.string() });

function refuseLaterFormat(path: string, value: unknown): void {
  const later = laterRun.safeParse(value);
  if (!later.success) return;
  const { version, assay } = later.data;
  throw new AssayError({
    kind: 'journal',
    path,
    message: `has format ${version}, written by Assay ${assay}; this Assay reads up to ${JOURNAL_VERSION}`,
    remedy: `Use Assay ${assay} or later.`,
  });
}

function damage(path: string, what: string): AssayError {
  return new AssayError({
    kind: 'journal',
    path,
    message: `is damaged: ${what}`,
    remedy: 'Restore the file from a copy; the raw output of each trial is still in the raw folder beside it.',
  });
}
