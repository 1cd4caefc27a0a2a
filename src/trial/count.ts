/** What valgrind counted in a trial: kept with the raw output, read, and made a record of. */
import { join } from 'node:path';
import type { Counting } from '../experiment/experiment.ts';
import { parseCallgrind } from '../formats/callgrind.ts';
import { keepRawFile } from '../io/raw-file.ts';
import type { InstructionCount, RawFile } from '../journal/records.ts';
import { LOG, profileOf } from './counting-tool.ts';
import { countOperations, type FileText, type RawOutput } from './extract.ts';

/** What valgrind left of a trial: a text, or why there is none ("does not exist"). */
export interface CountOutput {
  readonly log: FileText;
  /** Of the process that was started; each that it forks leaves a profile of its own. */
  readonly profile: FileText;
}

/** A failure is a clause without a full stop. */
export type Count =
  | { readonly counted: InstructionCount; readonly failure: null }
  | { readonly counted: null; readonly failure: string };

const PROFILE = 'callgrind.out';
/** What is kept of a trial that was counted, by name. */
export const COUNT_FILES: readonly string[] = [LOG, PROFILE];
const MOST_PROFILE_BYTES = 256 << 20;
const MOST_LOG_BYTES = 16 << 20;
const MOST_FUNCTIONS = 1000;
/** Names of templates can be pages long. */
const LONGEST_NAME = 500;
const NAME_END = 150;

/**
 * Keeps what valgrind left of a trial whose program has ended.
 * @param place the trial's folder
 * @param runPath the run's directory; `folder` is the trial's raw folder within it
 * @throws AssayError `file` where a file cannot be kept
 */
export function keepCount(
  place: string,
  runPath: string,
  folder: string,
): { readonly output: CountOutput; readonly files: readonly RawFile[] } {
  const files: RawFile[] = [];
  const keep = (name: string, as: string, most: number): FileText => {
    const path = join(folder, as);
    const kept = keepRawFile(place, name, most, join(runPath, path));
    if (!kept.ok) return { missing: kept.reason };
    files.push({ path, bytes: kept.bytes.length, sha256: kept.sha256 });
    return kept.bytes.toString('utf8');
  };
  const log = keep(LOG, LOG, MOST_LOG_BYTES);
  const pid = typeof log === 'string' ? pidOf(log) : null;
  const profile =
    pid === null ? { missing: 'is of no known process' } : keep(profileOf(pid), PROFILE, MOST_PROFILE_BYTES);
  return { output: { log, profile }, files };
}

/** The same from a trial's kept files, by their names. */
export function keptCount(read: (name: string) => FileText): CountOutput {
  return { log: read(LOG), profile: read(PROFILE) };
}

function pidOf(log: string): string | null {
  return /^==([0-9]{1,10})==/.exec(log)?.[1] ?? null;
}

/** What was counted: a function of what was kept, and of the result line where that has the number of operations. */
export function readCount(counting: Counting, output: RawOutput, { log, profile }: CountOutput): Count {
  const failed = (failure: string): Count => ({ counted: null, failure });
  if (typeof log !== 'string') return failed(`valgrind's log ${log.missing}`);
  if (pidOf(log) === null) return failed("valgrind's log does not begin as it should");
  if (typeof profile !== 'string') return failed(`callgrind's profile ${profile.missing}`);
  if (profile === '') {
    return failed("callgrind's profile is empty: a program that puts another in its place (exec) is not counted");
  }
  const parsed = parseCallgrind(profile);
  if (!parsed.ok) return failed(`callgrind's profile cannot be read: ${parsed.reason}`);
  if (parsed.instructions === 0) return failed(emptyRegion(counting.region));
  const operations = counting.per === null ? null : countOperations(counting.per, output);
  if (typeof operations === 'string') return failed(operations);
  const functions = functionsOf(parsed.functions);
  const listed = functions.reduce((sum, { instructions }) => sum + instructions, 0);
  const rest = parsed.instructions - listed;
  return { counted: { instructions: parsed.instructions, operations, functions, rest }, failure: null };
}

function emptyRegion(region: string | null): string {
  if (region === null) return 'callgrind counted no instruction';
  return `no function called ${region} was called; functions must be extern "C" and not inlined`;
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
