/** Which files of a run go into its bundle, where each is read from, and what a reader will look for in vain. */
import { createHash } from 'node:crypto';
import { constants, lstatSync, readdirSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { compiledInputs } from '../arms/driver/build.ts';
import type { DriverKit } from '../arms/driver/kit.ts';
import { rocksdbKit } from '../arms/driver/rocksdb-kit.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { Journal } from '../journal/records.ts';
import { nameRegister } from './archive/names.ts';
import type { Manifest } from './manifest.ts';
import { refusal } from './refusal.ts';

/** A file to be packed, under the name that it gets. */
export interface PackedFile {
  readonly path: string;
  /** It is read from `relative` within `root`, never through a link. */
  readonly root: string;
  readonly relative: string;
}

export interface Contents {
  readonly files: readonly PackedFile[];
  readonly absent: Manifest['absent'];
}

/** Whatever the run. */
export const ALWAYS_ABSENT: Manifest['absent'] = [
  {
    what: 'databases and directories of the trials',
    why: 'they are removed after each trial; what metrics read of them is in raw/',
  },
  { what: 'executables and libraries', why: 'their digests are in provenance.json' },
];

/** Folders of a run that are packed whole. */
const FOLDERS = ['arms'];

/**
 * @param root the run's directory, a real path
 * @param mostBytes of a file; what arms left that is larger is kept out, with its digest
 * @param cache in which drivers were compiled; null where there is none
 * @throws AssayError `bundle` where a file of the run is no regular file or lies behind a link
 */
export async function contentsOf(
  root: string,
  journal: Journal,
  cache: string | null,
  keepIdentity: boolean,
  mostBytes: number,
): Promise<Contents> {
  const files: PackedFile[] = [];
  const absent: Manifest['absent'][number][] = [];
  const fault = nameRegister();
  const add = (path: string, from: Pick<PackedFile, 'root' | 'relative'> = { root, relative: path }) => {
    const reason = fault(path);
    if (reason === null) files.push({ path, ...from });
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
  return { files, absent: [...absent, ...ALWAYS_ABSENT] };
}

function addRawOutput(
  root: string,
  journal: Journal,
  add: (path: string) => void,
  absent: Manifest['absent'][number][],
): void {
  let missing = 0;
  for (const { path } of journal.trials.flatMap(({ raw }) => raw)) {
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
  add: (path: string, from: Pick<PackedFile, 'root' | 'relative'>) => void,
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
