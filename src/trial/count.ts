/** What valgrind counted in a trial: kept with the raw output, read, and made a record of. */
import { join } from 'node:path';
import type { Counting } from '../experiment/experiment.ts';
import { parseCallgrind } from '../formats/callgrind.ts';
import { keepRawFile } from '../io/raw-file.ts';
import type { InstructionCount, RawFile } from '../journal/records.ts';
import { LOG, profileOf } from './counting-tool.ts';
import { extractNumber, type RawOutput } from './extract.ts';

export type Count = { readonly files: readonly RawFile[]; readonly log: string } & (
  | { readonly counted: InstructionCount; readonly failure: null }
  /** A clause without a full stop. */
  | { readonly counted: null; readonly failure: string }
);

const MOST_PROFILE_BYTES = 256 << 20;
const MOST_LOG_BYTES = 16 << 20;
const MOST_FUNCTIONS = 1000;
/** Names of templates can be pages long. */
const LONGEST_NAME = 500;
const NAME_END = 150;

/**
 * Reads what valgrind left of a trial whose program has ended.
 * @param place the trial's folder
 * @param runPath the run's directory; `folder` is the trial's raw folder within it
 * @throws AssayError `file` where a file cannot be kept
 */
export function readCount(
  counting: Counting,
  output: RawOutput,
  place: string,
  runPath: string,
  folder: string,
): Count {
  const files: RawFile[] = [];
  const keep = (name: string, as: string, most: number) => {
    const path = join(folder, as);
    const kept = keepRawFile(place, name, most, join(runPath, path));
    if (kept.ok) files.push({ path, bytes: kept.bytes.length, sha256: kept.sha256 });
    return kept;
  };
  const keptLog = keep(LOG, LOG, MOST_LOG_BYTES);
  const log = keptLog.ok ? keptLog.bytes.toString('utf8') : '';
  const failed = (failure: string): Count => ({ files, log, counted: null, failure });
  if (!keptLog.ok) return failed(`valgrind's log ${keptLog.reason}`);
  // Only the process that was started: each that it forks leaves a profile of its own.
  const pid = /^==([0-9]{1,10})==/.exec(log)?.[1];
  if (pid === undefined) return failed("valgrind's log does not begin as it should");
  const profile = keep(profileOf(pid), 'callgrind.out', MOST_PROFILE_BYTES);
  if (!profile.ok) {
    return failed(`callgrind's profile ${profile.reason}`);
  }
  if (profile.bytes.length === 0) {
    return failed("callgrind's profile is empty: a program that puts another in its place (exec) is not counted");
  }
  const parsed = parseCallgrind(profile.bytes.toString('utf8'));
  if (!parsed.ok) return failed(`callgrind's profile cannot be read: ${parsed.reason}`);
  if (parsed.instructions === 0) return failed(emptyRegion(counting.region));
  const operations = operationsOf(counting, output);
  if (typeof operations === 'string') return failed(operations);
  const functions = functionsOf(parsed.functions);
  const listed = functions.reduce((sum, { instructions }) => sum + instructions, 0);
  if (listed > parsed.instructions) return failed("the functions of callgrind's profile are more than its totals");
  const rest = parsed.instructions - listed;
  return { files, log, counted: { instructions: parsed.instructions, operations, functions, rest }, failure: null };
}

function emptyRegion(region: string | null): string {
  if (region === null) return 'callgrind counted no instruction';
  return `no function called ${region} was called; functions must be extern "C" and not inlined`;
}

/** The number of operations, null where it is not asked for, or what is wrong with it. */
function operationsOf({ per }: Counting, output: RawOutput): number | null | string {
  if (per === null || typeof per === 'number') return per;
  const read = extractNumber({ kind: 'result', pointer: per.pointer }, output);
  if (read.kind !== 'number') return `the operations are not known: ${read.reason}`;
  return read.value > 0 ? read.value : `the operations are no positive number, but ${read.value}`;
}

/** The largest, names made fit for a line of a report. */
function functionsOf(all: InstructionCount['functions']): InstructionCount['functions'] {
  const byName = new Map<string, number>();
  for (const { name, instructions } of all) {
    const shown = shownName(name);
    byName.set(shown, (byName.get(shown) ?? 0) + instructions);
  }
  return [...byName]
    .map(([name, instructions]) => ({ name, instructions }))
    .sort((a, b) => b.instructions - a.instructions || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_FUNCTIONS);
}

function shownName(name: string): string {
  const visible = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
  if (visible.length <= LONGEST_NAME) return visible;
  return `${visible.slice(0, LONGEST_NAME - NAME_END)}…${visible.slice(-NAME_END)}`;
}
