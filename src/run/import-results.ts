/** Makes the directory of a run of results that were measured elsewhere: copies of the files, and the journal that they give. */
import { createHash } from 'node:crypto';
import { realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fewValues } from '../bundle/bounded-json.ts';
import { MOST_OUTPUT_VALUES, MOST_TRIAL_BYTES } from '../bundle/limits.ts';
import type { Emit } from '../events.ts';
import { AssayError } from '../failures.ts';
import { TOOL_NAMES, type ToolName, toolOf } from '../formats/tools.ts';
import { type GivenFile, type ImportOutcome, importRun } from '../imported/import-run.ts';
import { type ImportRequest, type ImportSide, requestText } from '../imported/request.ts';
import { copyName, type NamedSide, sidesOfResults } from '../imported/sides.ts';
import { fileFailure } from '../io/file-failure.ts';
import { makeDirectories } from '../io/make-directories.ts';
import { readRegularFile } from '../io/raw-file.ts';
import { assayVersion, softwareVersions } from '../io/version.ts';
import { JOURNAL_VERSION } from '../journal/records.ts';
import { createJournal } from '../journal/writer.ts';
import { quoteStart } from '../trial/quote.ts';
import { defaultRunPath, type RunDirectory } from './directory.ts';
import { experimentHash } from './first-record.ts';
import { type Identity, identityFinder } from './identity.ts';
import { identityOf, writeIdentity } from './identity-file.ts';
import { REPORT_FILES } from './reports.ts';
import { wholeOrNothing } from './whole-or-nothing.ts';

export interface ImportSetting extends Pick<ImportRequest, 'metrics' | 'interleaved' | 'threshold' | 'margin'> {
  /** One side alone: its one file has the results of all sides. */
  readonly sides: readonly NamedSide[];
  /** Of the results of one file; null: they have their own. */
  readonly names: readonly string[] | null;
  readonly tool: ToolName | null;
  readonly title: string | null;
  /** Null: one in assay-runs. */
  readonly out: string | null;
  readonly env: NodeJS.ProcessEnv;
  readonly emit: Emit;
}

interface ReadFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly text: string;
}

/** What is written, beside the reports. */
const WRITTEN = ['identity.json', 'raw', 'journal.jsonl', 'journal.jsonl.tmp'];

/**
 * Nothing is executed. What fails leaves the place as it was.
 * @param conclude what follows from the journal, its files too
 * @throws AssayError `usage` where the files give no import, `file` where the directory cannot be made
 */
export async function importResults<Outcome>(
  setting: ImportSetting,
  conclude: (directory: RunDirectory) => Promise<Outcome>,
): Promise<Outcome> {
  const paths = [...new Set(setting.sides.flatMap(({ files }) => files.map(realPath)))];
  const files = readAll(paths);
  const tool = setting.tool ?? toolOfAll(files);
  const sides = sidesOf(setting, paths, files, tool);
  const request: ImportRequest = {
    title: setting.title ?? titleOf(tool, sides),
    tool,
    sides,
    files: files.map(({ path }, at) => ({ path: copyName(basename(path), at + 1), name: basename(path) })),
    metrics: setting.metrics,
    interleaved: setting.interleaved,
    threshold: setting.threshold,
    margin: setting.margin,
  };
  const given = files.map(({ bytes, text }, at): GivenFile => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { path: request.files[at]?.path ?? '', bytes: bytes.length, sha256, text };
  });
  const outcome = importRun(request, given);
  if (!outcome.ok) throw usage(outcome.message, outcome.remedy);
  const now = Date.now();
  const path = setting.out ?? defaultRunPath(request.title, now);
  const names = [...WRITTEN, ...REPORT_FILES.map(([name]) => name)];
  const left = () =>
    setting.emit({
      kind: 'limitation',
      message: `What was made of the run is still in ${path}: it could not be removed.`,
      remedy: 'Remove it, or name another directory with --out.',
    });
  const { identity, concluded } = await wholeOrNothing(path, names, left, async (directory) => ({
    identity: await writeRun(directory, { setting, request, files, run: outcome.run, now }),
    concluded: await conclude(directory),
  }));
  setting.emit({ kind: 'directory', path });
  const { metrics } = outcome.run.experiment;
  const kinds = identityFinder(identity)(JSON.stringify([request, metrics.map(({ name }) => name)]));
  if (kinds.length > 0) {
    const message = `Names of files or results hold ${kinds.join(', ')}: they stand in the journal and in reports as they are.`;
    setting.emit({ kind: 'limitation', message, remedy: 'Call them otherwise where strangers shall not see that.' });
  }
  return concluded;
}

interface ToWrite {
  readonly setting: ImportSetting;
  readonly request: ImportRequest;
  readonly files: readonly ReadFile[];
  readonly run: (ImportOutcome & { readonly ok: true })['run'];
  readonly now: number;
}

/** Side file, copies and journal. */
async function writeRun(directory: RunDirectory, { setting, request, files, run, now }: ToWrite): Promise<Identity> {
  const { experiment, plan, imported, trials } = run;
  const source = { name: 'import.json', directory: process.cwd(), text: requestText(request) };
  const identity = identityOf(experiment, source, setting.env);
  await writeIdentity(directory.identity, identity, source);
  for (const [at, { bytes }] of files.entries()) copy(join(directory.path, request.files[at]?.path ?? ''), bytes);
  const journal = createJournal(directory.journal, {
    kind: 'run',
    version: JOURNAL_VERSION,
    assay: assayVersion(),
    versions: softwareVersions(),
    started_unix_ms: now,
    source: { name: source.name, text: source.text, sha256: createHash('sha256').update(source.text).digest('hex') },
    experiment,
    experiment_id: experimentHash(experiment),
    plan,
    imported,
    machine: null,
    calibration: null,
    earlier: [],
  });
  try {
    journal.append(...trials, { kind: 'end', unix_ms: now, reason: endOf(trials) });
  } finally {
    journal.close();
  }
  return identity;
}

function endOf(trials: readonly { readonly failure: unknown }[]): { readonly kind: 'complete' | 'trial_failed' } {
  return { kind: trials.some(({ failure }) => failure !== null) ? 'trial_failed' : 'complete' };
}

/** The user names these files: a link is followed, to a regular file and nothing else. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw usage(`there is no file ${path}`, 'Check the name.');
    throw fileFailure(error, path, 'read the results');
  }
}

function readAll(paths: readonly string[]): readonly ReadFile[] {
  let left = MOST_TRIAL_BYTES;
  return paths.map((path) => {
    const read = readRegularFile(dirname(path), basename(path), left);
    if (!read.ok) {
      const remedy = `Name regular files, of at most ${MOST_TRIAL_BYTES / 2 ** 20} MiB together.`;
      throw usage(`${path} ${read.reason}`, remedy);
    }
    left -= read.bytes.length;
    if (!fewValues(read.bytes, MOST_OUTPUT_VALUES)) {
      throw usage(`${path} holds more than ${MOST_OUTPUT_VALUES} values`, 'Give a part of it.');
    }
    return { path, bytes: read.bytes, text: decoded(path, read.bytes) };
  });
}

function decoded(path: string, bytes: Buffer): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${path} is not UTF-8 text`, 'Write it anew as UTF-8; PowerShell writes UTF-16 unless told otherwise.');
  }
  return bytes.toString('utf8');
}

/** The one tool whose reader takes every file. */
function toolOfAll(files: readonly ReadFile[]): ToolName {
  const taken = TOOL_NAMES.filter((name) => files.every(({ text }) => toolOf(name).read(text).ok));
  const [only, other] = taken;
  const known = TOOL_NAMES.join(', ');
  if (only === undefined) {
    const alone = files.find(({ text }) => !TOOL_NAMES.some((name) => toolOf(name).read(text).ok));
    const message =
      alone === undefined ? 'the files are not of one tool' : `${alone.path} is no output of a tool that can be read`;
    throw usage(message, `Known are: ${known}. With --tool NAME its reader says what it misses.`);
  }
  if (other !== undefined) {
    throw usage(`the files can be read as output of ${taken.join(' and of ')}`, 'Say which it is with --tool NAME.');
  }
  return only;
}

function sidesOf(
  { sides, names }: ImportSetting,
  paths: readonly string[],
  files: readonly ReadFile[],
  tool: ToolName,
): readonly ImportSide[] {
  if (sides.length > 1) {
    return sides.map(({ arm, files: own }) => {
      const places = own.map((path) => paths.indexOf(realPath(path)));
      const twice = places.find((place, at) => places.indexOf(place) < at);
      if (twice !== undefined)
        throw usage(`${arm} has ${paths[twice]} twice`, 'A file is one measurement, however often it is named.');
      return { arm, files: places, result: null };
    });
  }
  const [file] = files;
  const reading = toolOf(tool).read(file?.text ?? '');
  if (!reading.ok)
    throw usage(
      `${file?.path} is no output of ${toolOf(tool).title} that can be read: ${quoteStart(reading.reason, 300)}`,
      'Name the tool that wrote it with --tool.',
    );
  const found = sidesOfResults(reading.results, names);
  if (!found.ok) throw usage(found.message, found.remedy);
  return found.value;
}

function titleOf(tool: ToolName, sides: readonly ImportSide[]): string {
  const arms = sides.map(({ arm }) => arm);
  const list = arms.length > 4 ? `${arms.slice(0, 3).join(', ')} and ${arms.length - 3} more` : arms.join(', ');
  return `${toolOf(tool).title}: ${list}`;
}

function copy(path: string, bytes: Buffer): void {
  try {
    makeDirectories(dirname(path));
    writeFileSync(path, bytes, { flag: 'wx' });
  } catch (error) {
    throw fileFailure(error, path, 'copy the results');
  }
}

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}
