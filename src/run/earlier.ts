/** Earlier runs of the same experiment, so that rerunning until it passes shows. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { decodeRecord } from '../journal/codec.ts';
import type { RunRecord } from '../journal/records.ts';
import { DEFAULT_PARENT } from './directory.ts';

/** A first line longer than this is not read: its run is then not recognised. */
const FIRST_LINE_BYTES = 8 << 20;
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
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .slice(-MOST_RUNS)
    .flatMap((name) => {
      const path = join(parent, name, 'journal.jsonl');
      const first = firstRecord(path);
      if (first === null || first.experiment_id !== experimentId) return [];
      return [{ name, started_unix_ms: first.started_unix_ms, finished: endsComplete(path) }];
    })
    .sort((a, b) => a.started_unix_ms - b.started_unix_ms);
}

function firstRecord(path: string): RunRecord | null {
  const head = readAt(path, 0, FIRST_LINE_BYTES);
  const end = head.indexOf(10);
  if (end === -1) return null;
  const record = decodeRecord(head.toString('utf8', 0, end));
  return record?.kind === 'run' ? record : null;
}

function endsComplete(path: string): boolean {
  const size = statSync(path).size;
  const tail = readAt(path, Math.max(0, size - 4096), 4096).toString('utf8');
  const record = decodeRecord(tail.trimEnd().split('\n').at(-1) ?? '');
  return record?.kind === 'end' && record.reason.kind === 'complete';
}

/** At most `length` bytes; none where the file cannot be read, since another's directory is no failure of ours. */
function readAt(path: string, position: number, length: number): Buffer {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(length, Math.max(0, statSync(path).size - position)));
      return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, position));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return Buffer.alloc(0);
  }
}
