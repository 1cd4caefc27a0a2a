/** Earlier runs of the same experiment, so that rerunning until it passes shows. */
import { closeSync, constants, type Dirent, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AssayError } from '../failures.ts';
import { decodeRecord } from '../journal/codec.ts';
import { checkRecord } from '../journal/record-schema.ts';
import type { EndRecord, RunRecord } from '../journal/records.ts';
import { DEFAULT_PARENT } from './directory.ts';

/** A first line longer than this is not read: its run is then not recognised. */
const FIRST_LINE_BYTES = 8 << 20;
/** An end record is shorter than this. */
const TAIL_BYTES = 4096;
const MOST_RUNS = 1000;

/** The runs that stand beside `run` and whose experiment has the same id, oldest first. */
export function earlierRuns(run: string, experimentId: string): RunRecord['earlier'] {
  return runsIn(dirname(resolve(run)), experimentId).filter(({ name }) => name !== basename(resolve(run)));
}

/** The latest run of an experiment in `assay-runs`, or null. */
export function latestRun(experimentId: string): string | null {
  const latest = existsSync(DEFAULT_PARENT) ? runsIn(DEFAULT_PARENT, experimentId).at(-1) : undefined;
  return latest === undefined ? null : join(DEFAULT_PARENT, latest.name);
}

function runsIn(parent: string, experimentId: string): RunRecord['earlier'] {
  return entriesOf(parent)
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .slice(-MOST_RUNS)
    .flatMap((name) => {
      const path = join(parent, name, 'journal.jsonl');
      const first = firstLineOf(path);
      if (first === null || first.experiment_id !== experimentId) return [];
      return [{ name, started_unix_ms: first.started_unix_ms, finished: endsComplete(path) }];
    })
    .sort((a, b) => a.started_unix_ms - b.started_unix_ms);
}

/** None where the directory may be entered, but not listed. */
function entriesOf(parent: string): Dirent[] {
  try {
    return readdirSync(parent, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The first line of a journal; null where it is none, or too long. */
function firstLineOf(path: string): RunRecord | null {
  const head = readAt(path, 'start', FIRST_LINE_BYTES);
  const end = head.indexOf(10);
  if (end === -1) return null;
  const checked = checkRecord(decodeRecord(head.subarray(0, end)));
  return checked.ok && checked.record.kind === 'run' ? checked.record : null;
}

function endsComplete(path: string): boolean {
  return lastEnd(path)?.reason.kind === 'complete';
}

/** What the last line of a journal says of the end of its run; null where it is another line, or cannot be read. */
export function lastEnd(path: string): EndRecord | null {
  const tail = readAt(path, 'end', TAIL_BYTES);
  const line = tail.subarray(tail.lastIndexOf(10, -2) + 1, tail.length - 1);
  const checked = checkRecord(decodeRecord(line));
  return checked.ok && checked.record.kind === 'end' ? checked.record : null;
}

/**
 * At most `length` bytes from the start or the end of a regular file; none of any other, and none where it cannot be
 * read, since another's directory is no failure of ours.
 */
function readAt(path: string, from: 'start' | 'end', length: number): Buffer {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) return Buffer.alloc(0);
      const buffer = Buffer.alloc(Math.min(length, stat.size));
      return buffer.subarray(
        0,
        readSync(descriptor, buffer, 0, buffer.length, from === 'start' ? 0 : stat.size - buffer.length),
      );
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** Refuses to go on with what was not run: there is nothing to go on with. */
export function refuseImport(journal: string): void {
  if (firstLineOf(journal)?.imported == null) return;
  throw new AssayError({
    kind: 'usage',
    message: 'these results were measured elsewhere and imported: there is no run to go on with',
    remedy: 'Import them again, with the files that are to be added. To see what they show: assay report DIR.',
  });
}
