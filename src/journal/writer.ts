/** The only writer of a journal: whole lines, each on disk before the next trial starts. */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { fileFailure } from '../io/file-failure.ts';
import { encodeRecord } from './codec.ts';
import type { JournalRecord, RunRecord } from './records.ts';

export interface JournalWriter {
  /**
   * Appends records and waits until they are on disk.
   * Throws `file` where it cannot be written (a full disk); then the journal ends with the record before.
   */
  append(...records: readonly JournalRecord[]): void;
  /** What the journal holds by now. */
  extent(): Extent;
  close(): void;
}

/** Where a journal ends, and what it is up to there. */
export interface Extent {
  readonly bytes: number;
  /** Of these bytes. */
  readonly crc32: number;
  /** Where the first line with a trial begins; where there is none yet, `bytes`. */
  readonly head_bytes: number;
}

const NOTHING: Extent = { bytes: 0, crc32: 0, head_bytes: 0 };

/** Starts a journal with its first record. It must not exist; once it does, its first line is whole. */
export function createJournal(path: string, first: RunRecord): JournalWriter {
  const unfinished = `${path}.tmp`;
  const writer = open(unfinished, constants.O_CREAT | constants.O_TRUNC, NOTHING, path);
  writer.append(first);
  try {
    linkSync(unfinished, path);
    unlinkSync(unfinished);
    syncDirectory(dirname(path));
  } catch (error) {
    throw fileFailure(error, path, 'start the journal');
  }
  return writer;
}

/** Goes on with a journal where its last whole line ends; what follows is a torn line, and is cut off. */
export function continueJournal(path: string, extent: Extent): JournalWriter {
  return open(path, 0, extent, path);
}

/** @param name what failures call the file */
function open(path: string, flags: number, kept: Extent, name: string): JournalWriter {
  let extent = kept;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | flags, 0o644);
    ftruncateSync(descriptor, kept.bytes);
    fdatasyncSync(descriptor);
    syncDirectory(dirname(path));
  } catch (error) {
    throw fileFailure(error, name, 'open the journal');
  }
  return {
    append(...records) {
      const line = Buffer.concat(records.map((record) => Buffer.from(encodeRecord(record))));
      let size: number | null = null;
      try {
        ({ size } = fstatSync(descriptor));
        for (let written = 0; written < line.length; ) {
          written += writeSync(descriptor, line, written, line.length - written);
        }
        fdatasyncSync(descriptor);
      } catch (error) {
        if (size !== null) cutOff(descriptor, size);
        throw fileFailure(error, name, 'append to the journal');
      }
      const bytes = extent.bytes + line.length;
      const isHead =
        extent.head_bytes === extent.bytes && !records.some(({ kind }) => kind === 'trial' || kind === 'session');
      extent = { bytes, crc32: crc32(line, extent.crc32), head_bytes: isHead ? bytes : extent.head_bytes };
    },
    extent: () => extent,
    close() {
      closeSync(descriptor);
    },
  };
}

/** Where even this fails, the journal ends with a torn line, which a resume cuts off. */
function cutOff(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size);
  } catch {
    // What is reported is why the append failed.
  }
}

/** A new file's name is on disk only once its directory is. */
function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
