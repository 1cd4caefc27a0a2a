/**
 * Where a run stands, for a resume that need not read every line. Beside the journal lies a note of how far the run had come
 * after some line of it. The note counts only where the journal still begins with the very bytes that it was made after; else,
 * and where there is none, the journal is read whole.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { progressOf } from '../analysis/stopping.ts';
import { AssayError } from '../failures.ts';
import { assayVersion } from '../io/version.ts';
import type { Journal } from '../journal/records.ts';
import { journalReader, readJournal, replayJournal } from '../journal/replay.ts';
import type { Extent } from '../journal/writer.ts';
import type { Checkpoint, Progress } from '../plan/progress.ts';
import type { Pace } from '../plan/slices.ts';
import type { RunDirectory } from './directory.ts';

export interface Standing {
  /** Trials and interruptions are those after the note alone. */
  readonly journal: Journal;
  readonly extent: Extent;
  readonly torn_bytes: number;
  readonly progress: Progress;
  /** That the note has; null where it has none, and the attempts of the warm-up must tell. */
  readonly pace: Pace | null;
}

interface Note {
  readonly assay: string;
  readonly extent: Extent;
  readonly checkpoint: Checkpoint;
  readonly pace: Pace | null;
}

const count = z.int().min(0);
const turn = z.object({ block: count, attempt: count, rejected: count, gaps: count });
const note: z.ZodType<Note> = z.object({
  assay: z.string(),
  extent: z.object({ bytes: count, crc32: count, head_bytes: count }),
  checkpoint: z.object({
    phase: count,
    repeat: z.int().min(-1),
    turn,
    repeats: z.array(turn),
    interruptions: z.array(z.tuple([z.string(), z.enum(['resumed', 'gap'])])),
    trials: count,
    failed: z.boolean(),
  }),
  pace: z
    .object({ operations: z.number(), operation_ns: z.number(), unit: z.number(), most: z.number().nullable() })
    .nullable(),
});

/** @throws AssayError as `replayJournal` does */
export function standingOf(directory: RunDirectory): Standing {
  return noted(directory) ?? replayed(directory);
}

function replayed({ journal: path }: RunDirectory): Standing {
  const { journal, bytes, torn_bytes, head_bytes } = replayJournal(path);
  const extent = { bytes, crc32: checksumOf(path, bytes), head_bytes };
  return { journal, extent, torn_bytes, progress: progressOf(journal), pace: null };
}

function checksumOf(path: string, bytes: number): number {
  let sum = 0;
  let at = 0;
  readJournal(path, (chunk) => {
    sum = crc32(chunk.subarray(0, Math.max(0, bytes - at)), sum);
    at += chunk.length;
  });
  return sum;
}

/** More than this after a note is read as a whole journal is. */
const MOST_TAIL_BYTES = 64 << 20;

/** Null where the note does not count, or what follows it is damaged: the whole journal tells then what is wrong. */
function noted({ journal: path, progress: notePath }: RunDirectory): Standing | null {
  const held = readNote(notePath);
  if (held === null) return null;
  const { extent, checkpoint, pace } = held;
  const reader = journalReader(path);
  let at = 0;
  let sum = 0;
  let sumAtNote: number | null = null;
  const tail: Buffer[] = [];
  const between = (chunk: Buffer, from: number, to: number) =>
    chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
  try {
    readJournal(path, (chunk) => {
      reader.push(between(chunk, 0, extent.head_bytes));
      sum = crc32(between(chunk, 0, extent.bytes), sum);
      if (at + chunk.length >= extent.bytes) sumAtNote ??= sum;
      const after = between(chunk, extent.bytes, Number.POSITIVE_INFINITY);
      if (after.length > 0 && at < extent.bytes + MOST_TAIL_BYTES) tail.push(Buffer.from(after));
      at += chunk.length;
    });
    if (sumAtNote !== extent.crc32 || at > extent.bytes + MOST_TAIL_BYTES) return null;
    const rest = Buffer.concat(tail);
    reader.push(rest);
    const { journal, torn_bytes } = reader.finish();
    const bytes = at - torn_bytes;
    const whole = { ...extent, bytes, crc32: crc32(rest.subarray(0, bytes - extent.bytes), sum) };
    return { journal, extent: whole, torn_bytes, progress: progressOf(journal, checkpoint), pace };
  } catch (error) {
    if (error instanceof AssayError) return null;
    throw error;
  }
}

function readNote(path: string): Note | null {
  try {
    const read = note.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return read.success && read.data.assay === assayVersion() ? read.data : null;
  } catch {
    return null;
  }
}

/** At most about so many bytes of a journal are parsed by a resume. */
const BYTES_A_NOTE = 1 << 20;

/**
 * Notes how far the run has come, where the journal has grown enough since the last note.
 * @param every by so many bytes
 */
export function progressNotes(
  directory: RunDirectory,
  extent: () => Extent,
  every = BYTES_A_NOTE,
): (progress: Progress, pace: Pace | null) => void {
  let noted = extent().bytes;
  return (progress, pace) => {
    if (extent().bytes < noted + every) return;
    const checkpoint = progress.checkpoint();
    if (checkpoint === null) return;
    noted = extent().bytes;
    writeNote(directory, { assay: assayVersion(), extent: extent(), checkpoint, pace });
  };
}

/** Whole or not at all: under its name once all of it is written. Where it cannot be, nothing depends on it. */
function writeNote({ progress: path }: RunDirectory, held: Note): void {
  try {
    writeFileSync(`${path}.tmp`, JSON.stringify(held));
    renameSync(`${path}.tmp`, path);
  } catch {
    // The journal has it all.
  }
}
