/** Executables and libraries of a run: which they are, what they are called in a bundle that has them, and where they lay. */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import type { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { Journal, PreparedArm } from '../journal/records.ts';
import { refusal } from './refusal.ts';

/** A file that an arm executes. */
export interface Binary {
  readonly arm: string;
  /** From 0. */
  readonly build: number;
  /** Its place in `files` of the arm's record. */
  readonly at: number;
  /** As the record shows it. */
  readonly shown: string;
  readonly bytes: number;
  readonly sha256: string;
  /** In a bundle that has it; of files that are the same, that of the first. */
  readonly path: string;
}

const DRIVER = '{arm.driver}';
const TREE = '{arm.dir}';
const LONGEST_NAME = 100;

/**
 * The files that may be packed, from the journal alone: of arms with a driver the driver and its library, of others every file
 * that their commands start or name. Of an arm that is another one, none.
 */
export function binariesOf({ run, prepared }: Journal): readonly Binary[] {
  const { arms, workload } = run.experiment;
  const same = new Set(arms.flatMap(({ name, source }) => (source.kind === 'same' ? [name] : [])));
  const taken = new Set<string>();
  const known = new Map<string, string>();
  return (prepared?.arms ?? []).flatMap((arm) => {
    if (same.has(arm.arm)) return [];
    const library = arm.provenance['library_sha256'];
    return arm.files.flatMap(({ path: shown, sha256, bytes }, at): readonly Binary[] => {
      const isWanted = workload.driver === null ? shown !== TREE : shown === DRIVER || sha256 === library;
      if (!isWanted) return [];
      const content = `${sha256} ${bytes}`;
      const path = known.get(content) ?? freshName(arm, shown, at, taken);
      known.set(content, path);
      return [{ arm: arm.arm, build: arm.build, at, shown, bytes, sha256, path }];
    });
  });
}

/** A name that means the same on every system, and that no other file has. */
function freshName({ arm, build }: PreparedArm, shown: string, at: number, taken: Set<string>): string {
  const folder = `binaries/${arm}${build === 0 ? '' : `/build-${build + 1}`}`;
  const last = shown === DRIVER ? 'driver' : shown.slice(shown.lastIndexOf('/') + 1);
  const name =
    last
      .replace(/[^A-Za-z0-9._+-]/g, '-')
      .slice(-LONGEST_NAME)
      .replace(/^\.+/, '') || 'file';
  let path = `${folder}/${name}`;
  for (let next = name; taken.has(path.toLowerCase()); path = `${folder}/${next}`) next = `${at + 1}-${next}`;
  taken.add(path.toLowerCase());
  return path;
}

const CHUNK_BYTES = 1 << 20;
const REMEDY = 'Put it back as it was, for which provenance.json says how it was made; or leave --with-binaries out.';

/**
 * The real path of a binary, where a file of its size still lies.
 * @param path where it lay
 * @throws AssayError `bundle` where it is gone or another
 */
export async function presentFile(binary: Binary, path: string): Promise<string> {
  const { arm, shown, bytes } = binary;
  const real = await realpath(path).catch(() => null);
  const handle = real === null ? null : await opened(real);
  if (real === null || handle === null) throw refusal(`${shown} of ${arm} is not there any more: ${path}`, REMEDY);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw refusal(`${shown} of ${arm} is no regular file any more: ${path}`, REMEDY);
    if (stat.size !== bytes) throw changed(binary);
    return real;
  } finally {
    await handle.close();
  }
}

/** The refusal of a binary that is not what was executed. */
export function changed({ arm, shown }: Binary): AssayError {
  return refusal(`${shown} of ${arm} has changed since it was executed: its digest is not that of the journal`, REMEDY);
}

/** The content of a regular file in pieces; the buffer of one is not used again. @throws AssayError `file` */
export async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  const handle = await opened(path);
  if (handle === null) throw fileFailure(new Error('ENOENT'), path, 'read an executable');
  try {
    yield* chunksOf(handle);
  } finally {
    await handle.close();
  }
}

/** Whether a file is one of machine code: ELF, Mach-O, or a static library. */
export async function isMachineCode(path: string): Promise<boolean> {
  const handle = await opened(path);
  if (handle === null) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0);
    const start = buffer.toString('latin1', 0, bytesRead);
    return start.startsWith('\x7fELF') || start.startsWith('!<arch>\n') || /^[\xce\xcf]\xfa\xed\xfe/.test(start);
  } finally {
    await handle.close();
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Null where there is nothing that can be opened. Never through a link at its end, and never waiting for a pipe. */
function opened(path: string): Promise<FileHandle | null> {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
}
