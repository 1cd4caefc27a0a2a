/** From the lines of a journal to its meaning. Only the last line may be torn: everything before it was on disk. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import { type Assembled, openJournal } from './assemble.ts';
import { bodyOf, parseBody } from './codec.ts';
import { trialTables } from './columns/trial-table.ts';
import { checkRecord, trialLine } from './record-schema.ts';
import { JOURNAL_VERSION, trialsIn } from './records.ts';

export interface Replay extends Assembled {
  /** The first record as it was written, before what later versions have got its default. */
  readonly first: unknown;
  /** Where the last whole line ends. */
  readonly bytes: number;
  /** Bytes of a torn line after it. */
  readonly torn_bytes: number;
  /** Where the first line with a trial begins; where there is none, `bytes`. */
  readonly head_bytes: number;
}

const CHUNK_BYTES = 1 << 20;
const NOTHING = Buffer.alloc(0);
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
  readJournal(path, reader.push);
  return reader.finish();
}

/**
 * Every line is checked against its checksum and its schema. Lines of the same shape as one before it are not parsed for
 * that (`columns/shape.ts`).
 * @param path what failures call the journal
 * @param accept where a line may be refused before it is parsed: the reason, or null
 */
export function journalReader(
  path: string,
  accept: (line: Buffer) => string | null = () => null,
  mostLineBytes = MAX_LINE_BYTES,
): JournalReader {
  const tables = trialTables(trialLine);
  const journal = openJournal();
  let first: unknown = null;
  let end = 0;
  let bytes = 0;
  let headBytes: number | null = null;
  let pending: Buffer = NOTHING;
  let damaged = false;
  const where = () => `line ${journal.lines() + 1}`;
  const take = (line: Buffer) => {
    if (damaged) throw damage(path, `${where()} does not match its checksum`);
    const refused = line.length > mostLineBytes ? 'is too long' : accept(line);
    if (refused !== null) throw damage(path, `${where()} ${refused}`);
    const body = bodyOf(line);
    const known = body === null ? null : tables.read(body);
    if (known !== null) journal.takeTrials('trial', [known]);
    else if (!takeUnknown(body)) return;
    if (journal.hasTrials()) headBytes ??= bytes;
    bytes += line.length + 1;
  };
  /** False where the line is damaged. */
  const takeUnknown = (body: Buffer | null): boolean => {
    const value = body === null ? null : parseBody(body);
    damaged = value === null;
    if (body === null || value === null) return false;
    refuseLaterFormat(path, value);
    const checked = checkRecord(value);
    if (!checked.ok) throw damage(path, `${where()}: ${checked.problem}`);
    const { record } = checked;
    if (journal.lines() === 0) first = value;
    if (record.kind === 'trial') journal.takeTrials('trial', [tables.learn(body, value, record)]);
    else if (record.kind === 'session') journal.takeTrials('session', trialsIn(record));
    else journal.take(record);
    return true;
  };
  return {
    push(chunk) {
      end += chunk.length;
      let start = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        const line = chunk.subarray(start, at);
        take(pending.length === 0 ? line : Buffer.concat([pending, line]));
        pending = NOTHING;
        start = at + 1;
      }
      pending = Buffer.concat([pending, chunk.subarray(start)]);
      if (pending.length > mostLineBytes) throw damage(path, `${where()} has no end`);
    },
    finish() {
      if (damaged && pending.length > 0) throw damage(path, `${where()} does not match its checksum`);
      const whole = journal.finish();
      if (whole === null) throw damage(path, 'its first line is not there');
      return { ...whole, first, bytes, torn_bytes: end - bytes, head_bytes: headBytes ?? bytes };
    },
  };
}

/**
 * Reads a journal's bytes, a chunk at a time; a chunk is overwritten by the next.
 * Throws `journal` where it is no regular file, `file` where it cannot be read.
 */
export function readJournal(path: string, take: (chunk: Buffer) => void): void {
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
