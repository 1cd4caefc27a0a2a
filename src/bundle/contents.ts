/** Which files of a run go into its bundle, where each is read from, and what a reader will look for in vain. */
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { compiledInputs } from '../arms/driver/entry.ts';
import type { DriverKit } from '../arms/driver/kit.ts';
import { rocksdbKit } from '../arms/driver/rocksdb-kit.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { Journal } from '../journal/records.ts';
import { readIdentity } from '../run/identity-file.ts';
import { nameRegister } from './archive/names.ts';
import { type Binary, binariesOf, isMachineCode, presentFile } from './binaries.ts';
import type { Manifest } from './manifest.ts';
import { refusal } from './refusal.ts';

/** A file to be packed, under the name that it gets. */
export interface PackedFile {
  readonly path: string;
  /** It is read from `relative` within `root`, never through a link. */
  readonly root: string;
  readonly relative: string;
  /** An executable or library, which is read piece by piece; null for all else. */
  readonly binary: Binary | null;
}

export interface Contents {
  readonly files: readonly PackedFile[];
  readonly absent: Manifest['absent'];
}

/** Whatever the run. */
const ALWAYS_ABSENT: Manifest['absent'] = [
  {
    what: 'databases and directories of the trials',
    why: 'they are removed after each trial; what metrics read of them is in raw/',
  },
];
const NO_BINARIES = { what: 'executables and libraries', why: 'they are packed on request; their digests stand below' };
const NO_REVISIONS = { what: 'a diff of sources', why: 'no arm is a revision of git' };

/** What is not in most bundles, and is told in their README. */
export const USUALLY_ABSENT: ReadonlySet<string> = new Set(
  [{ what: 'identity.json' }, NO_BINARIES, NO_REVISIONS, ...ALWAYS_ABSENT].map(({ what }) => what),
);

export interface ContentOptions {
  /** In which drivers were compiled; null where there is none. */
  readonly cache: string | null;
  readonly keepIdentity: boolean;
  /** Of a file; what arms left that is larger is kept out, with its digest. */
  readonly mostBytes: number;
  readonly withBinaries: boolean;
}

/** Folders of a run that are packed whole. */
const FOLDERS = ['arms'];

/**
 * @param root the run's directory, a real path
 * @throws AssayError `bundle` where a file of the run is no regular file or lies behind a link, or a binary is not any more what
 * was executed
 */
export async function contentsOf(
  root: string,
  journal: Journal,
  { cache, keepIdentity, mostBytes, withBinaries }: ContentOptions,
): Promise<Contents> {
  const files: PackedFile[] = [];
  const absent: Manifest['absent'][number][] = [];
  const fault = nameRegister();
  const add: Add = (path, from = { root, relative: path }) => {
    const reason = fault(path);
    if (reason === null) files.push({ path, binary: null, ...from });
    else absent.push({ what: path, why: `its name ${reason}` });
  };
  add('journal.jsonl');
  if (keepIdentity) add('identity.json');
  else absent.push({ what: 'identity.json', why: 'it says who ran this, and where; the journal has placeholders' });
  for (const path of FOLDERS.flatMap((folder) => filesBelow(root, folder))) {
    const { size } = lstatSync(join(root, path));
    if (size <= mostBytes) add(path);
    else absent.push({ what: path, why: `too large: left out, ${size} bytes, SHA-256 ${await digestOf(root, path)}` });
  }
  addRawOutput(root, journal, add, absent);
  await addDrivers(journal, cache, add, absent);
  absent.push(...absentDiffs(journal));
  if (withBinaries) absent.push(...(await addBinaries(root, journal, mostBytes, add)));
  else absent.push(NO_BINARIES);
  return { files, absent: [...absent, ...ALWAYS_ABSENT] };
}

type Add = (path: string, from?: Pick<PackedFile, 'root' | 'relative'> & Partial<PackedFile>) => void;

/** Why the sources of two arms were not compared. */
function absentDiffs({ run, prepared }: Journal): Manifest['absent'] {
  if (!run.experiment.arms.some(({ source }) => source.kind === 'git')) return [NO_REVISIONS];
  return (prepared?.diffs ?? []).flatMap(({ arm, reference, ...diff }) => {
    const what = `a diff of the sources of ${reference} and ${arm}`;
    if (diff.kind === 'same') return [{ what, why: 'they are the same before their builds' }];
    return diff.kind === 'none' ? [{ what, why: diff.why }] : [];
  });
}

/**
 * Of arms with a driver the driver and its library, of others what their commands start, and machine code that they name.
 * @returns what was left out
 */
async function addBinaries(
  root: string,
  journal: Journal,
  mostBytes: number,
  add: Add,
): Promise<readonly Manifest['absent'][number][]> {
  const places = placesOf(root);
  const hasDriver = journal.run.experiment.workload.driver !== null;
  const absent: Manifest['absent'][number][] = [];
  const added = new Set<string>();
  for (const binary of binariesOf(journal)) {
    const { arm, build, at, path, bytes, sha256 } = binary;
    const lay = places.find((one) => one.arm === arm && one.build === build)?.paths[at];
    if (lay === undefined) throw unknownPlaces(binary.shown, arm);
    if (added.has(path)) continue;
    added.add(path);
    const real = await presentFile(binary, lay);
    if (!hasDriver && at > 0 && !(await isMachineCode(real))) continue;
    if (bytes <= mostBytes) add(path, { root: '/', relative: real.slice(1), binary });
    else absent.push({ what: path, why: `too large (--max-file-size): left out, ${bytes} bytes, SHA-256 ${sha256}` });
  }
  return absent;
}

/** Where the files of the arms lay; nowhere where the side file is not there. */
function placesOf(root: string): ReturnType<typeof readIdentity>['places'] {
  return isMissing(join(root, 'identity.json')) ? [] : readIdentity(join(root, 'identity.json')).places;
}

function unknownPlaces(shown: string, arm: string): Error {
  return refusal(
    `where ${shown} of ${arm} lay is not known: identity.json is not there, or an earlier Assay wrote it`,
    'Leave --with-binaries out: the digests of what was executed are in the bundle.',
  );
}

function addRawOutput(
  root: string,
  journal: Journal,
  add: (path: string) => void,
  absent: Manifest['absent'][number][],
): void {
  let missing = 0;
  for (const { path } of [...journal.trials.flatMap(({ raw }) => raw), ...(journal.run.imported?.files ?? [])]) {
    if (!path.startsWith('raw/')) throw refusal(`the journal names ${path} as raw output, which is not in raw/`);
    if (isMissing(join(root, path))) missing += 1;
    else add(path);
  }
  if (missing === 0) return;
  absent.push({
    what: `${missing} files of raw output that the journal names`,
    why: 'they are not in the directory of the run, so that what they say cannot be computed again',
  });
}

async function addDrivers(
  journal: Journal,
  cache: string | null,
  add: Add,
  absent: Manifest['absent'][number][],
): Promise<void> {
  for (const { arm, build, provenance } of journal.prepared?.arms ?? []) {
    const digest = provenance['driver_inputs_sha256'];
    // Further builds are of the same source.
    if (digest === undefined || build > 0) continue;
    const inputs = cache === null ? null : await compiledInputs(cache, digest);
    if (inputs === null) {
      absent.push({
        what: `the source of the driver of ${arm}`,
        why: 'what was compiled is not in the cache any more, or has changed since; its digest is in provenance.json',
      });
      continue;
    }
    const kit = await rocksdbKit();
    for (const input of inputs) {
      const name = packedName(input, kit);
      if (name !== null) add(`drivers/${arm}/${name}`, { root: '/', relative: (await realpath(input)).slice(1) });
    }
  }
}

/** From the folder on in which a source or a public header lies; null for headers of the system. */
function packedName(input: string, { directory, headerFolder }: DriverKit): string | null {
  if (input.startsWith(`${directory}/`)) return `source/${input.slice(directory.length + 1)}`;
  const library = input.lastIndexOf(`/${headerFolder}/`);
  return library === -1 ? null : `include/${input.slice(library + 1)}`;
}

/** Of a file of any size. */
async function digestOf(root: string, path: string): Promise<string> {
  const hash = createHash('sha256');
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    const handle = await open(join(root, path), flags);
    for await (const chunk of handle.createReadStream()) hash.update(chunk);
  } catch (error) {
    throw fileFailure(error, join(root, path), 'read a file of the run');
  }
  return hash.digest('hex');
}

/** Regular files in a folder of the run, by name; none where there is no such folder. */
function filesBelow(root: string, folder: string): string[] {
  if (isMissing(join(root, folder))) return [];
  const refuse = (path: string) =>
    refusal(
      `${path} in the directory of the run is no regular file`,
      'Remove it: only files of the run itself are packed.',
    );
  if (!lstatSync(join(root, folder)).isDirectory()) throw refuse(folder);
  const found: string[] = [];
  const pending = [folder];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory()) pending.push(name);
      else if (entry.isFile()) found.push(name);
      else throw refuse(name);
    }
  }
  return found.sort();
}

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return true;
    throw fileFailure(error, path, 'look at a file of the run');
  }
}
