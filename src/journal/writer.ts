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
import { fileFailure } from '../io/file-failure.ts';
import { encodeRecord } from './codec.ts';
import type { JournalRecord, RunRecord } from './records.ts';

export interface JournalWriter {
  /**
   * Appends one record and waits until it is on disk.
   * Throws `file` where it cannot be written (a full disk); then the journal ends with the record before.
   */
  append(record: JournalRecord): void;
  close(): void;
}

/** Starts a journal with its first record. It must not exist; once it does, its first line is whole. */
export function createJournal(path: string, first: RunRecord): JournalWriter {
  const unfinished = `${path}.tmp`;
  const writer = open(unfinished, constants.O_CREAT | constants.O_TRUNC, null, path);
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

/** Goes on with a journal after its first `bytes` bytes; what follows is a torn line, and is cut off. */
export function continueJournal(path: string, bytes: number): JournalWriter {
  return open(path, 0, bytes, path);
}

/** @param name what failures call the file */
function open(path: string, flags: number, keepBytes: number | null, name: string): JournalWriter {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | flags, 0o644);
    if (keepBytes !== null) ftruncateSync(descriptor, keepBytes);
    fdatasyncSync(descriptor);
    syncDirectory(dirname(path));
  } catch (error) {
    throw fileFailure(error, name, 'open the journal');
  }
  return {
    append(record) {
      const line = Buffer.from(encodeRecord(record));
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
    },
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
