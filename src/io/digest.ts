/** SHA-256 of files and of whole directory trees, in bounded memory. */
import { createHash, type Hash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { open, readdir, readlink } from 'node:fs/promises';
import { fileFailure } from './file-failure.ts';

export interface DigestedFile {
  readonly sha256: string;
  readonly bytes: number;
}

export interface DigestedTree {
  readonly sha256: string;
  /** Regular files. */
  readonly files: number;
  /** Sum of the sizes of regular files. */
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 20;

/**
 * SHA-256 of a regular file; symbolic links are followed. Never blocks on a pipe.
 * @returns null where the path is not a regular file, or holds more than `most` bytes
 * @throws AssayError `file` where it cannot be read
 */
export async function digestFile(path: string, most = Number.MAX_SAFE_INTEGER): Promise<DigestedFile | null> {
  try {
    const digested = await digestOpened(path, constants.O_RDONLY | constants.O_NONBLOCK, most);
    return digested === null ? null : { sha256: digested.sha256, bytes: digested.bytes };
  } catch (error) {
    throw fileFailure(error, path, 'read');
  }
}

/**
 * Digest of everything in a directory that a program running from it can see, except times and owners: names, kinds,
 * executable bits, contents, targets of links. Two installations of the same package have the same digest.
 *
 * The digest is the SHA-256 of `assay-tree-1\n` and one entry a name, directories in depth first order, the names of
 * one directory sorted by their bytes: `d PATH NUL`, `f X SHA256 PATH NUL` (X is `x` where the owner may execute it,
 * else `-`), `l PATH NUL TARGET NUL`, and `o PATH NUL` for anything else, PATH relative to the directory.
 * @throws AssayError `file` where something cannot be read
 */
export async function digestTree(directory: string): Promise<DigestedTree> {
  const hash = createHash('sha256').update('assay-tree-1\n');
  const totals = { files: 0, bytes: 0 };
  await addDirectory(hash, totals, Buffer.from(directory), Buffer.alloc(0));
  return { sha256: hash.digest('hex'), ...totals };
}

interface Totals {
  files: number;
  bytes: number;
}

const NUL = Buffer.from([0]);
const SLASH = Buffer.from('/');

/** Paths are bytes throughout: a name need not be UTF-8. */
async function addDirectory(hash: Hash, totals: Totals, path: Buffer, relative: Buffer): Promise<void> {
  for (const entry of await listSorted(path)) {
    const child = Buffer.concat([path, SLASH, entry.name]);
    const name = relative.length === 0 ? entry.name : Buffer.concat([relative, SLASH, entry.name]);
    if (entry.isDirectory()) {
      hash.update('d ').update(name).update(NUL);
      await addDirectory(hash, totals, child, name);
    } else {
      try {
        await addLeaf(hash, totals, child, name, entry);
      } catch (error) {
        throw fileFailure(error, child.toString(), 'read');
      }
    }
  }
}

async function addLeaf(hash: Hash, totals: Totals, path: Buffer, name: Buffer, entry: Dirent<Buffer>): Promise<void> {
  if (entry.isSymbolicLink()) {
    const target = await readlink(path, { encoding: 'buffer' });
    hash.update('l ').update(name).update(NUL).update(target).update(NUL);
    return;
  }
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const file = entry.isFile() ? await digestOpened(path, flags, Number.MAX_SAFE_INTEGER) : null;
  if (file === null) {
    hash.update('o ').update(name).update(NUL);
    return;
  }
  hash
    .update(`f ${file.executable ? 'x' : '-'} ${file.sha256} `)
    .update(name)
    .update(NUL);
  totals.files += 1;
  totals.bytes += file.bytes;
}

async function listSorted(path: Buffer): Promise<readonly Dirent<Buffer>[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true, encoding: 'buffer' });
    return entries.sort((a, b) => Buffer.compare(a.name, b.name));
  } catch (error) {
    throw fileFailure(error, path.toString(), 'read');
  }
}

/** Null where what was opened is no regular file, or larger than `most` bytes. */
async function digestOpened(
  path: string | Buffer,
  flags: number,
  most: number,
): Promise<(DigestedFile & { readonly executable: boolean }) | null> {
  const handle = await open(path, flags);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > most) return null;
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, stat.size + 1));
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    return { sha256: hash.digest('hex'), bytes, executable: (stat.mode & constants.S_IXUSR) !== 0 };
  } finally {
    await handle.close();
  }
}
