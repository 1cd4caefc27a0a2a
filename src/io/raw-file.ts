/**
 * Files in a directory that a stranger's program has filled. Whatever it left there under a name, Assay reads regular
 * files of a bounded size and nothing else: no link leads out of the directory, no pipe keeps it waiting.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileFailure } from './file-failure.ts';
import { makeDirectories } from './make-directories.ts';

export type ReadFile =
  | { readonly ok: true; readonly bytes: Buffer }
  /** A predicate to the file's name: `is a symbolic link`, `does not exist`. */
  | { readonly ok: false; readonly reason: string };

/** A file that was copied out of reach of the program that wrote it. */
export type KeptFile =
  | { readonly ok: true; readonly bytes: Buffer; readonly sha256: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a regular file below `root`. No part of the relative path may be a symbolic link, `..` or empty. The programs
 * that could change the directory should have ended; if one has not, it can gain no more than that another regular file
 * of the same directory is read.
 * @param mostBytes a larger file is refused
 */
export function readRegularFile(root: string, relativePath: string, mostBytes: number): ReadFile {
  const refused = (reason: string): ReadFile => ({ ok: false, reason });
  const parts = relativePath.split('/');
  if (relativePath.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    return refused('is not a plain path within the directory');
  }
  try {
    let path = root;
    for (const part of parts.slice(0, -1)) {
      path = join(path, part);
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return refused('lies behind a symbolic link');
      if (!stat.isDirectory()) return refused('does not exist');
    }
    path = join(path, parts.at(-1) ?? '');
    const named = lstatSync(path);
    const kind = otherKind(named);
    if (kind !== null) return refused(kind);
    return readOpened(path, named, mostBytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    if (code === null) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return refused('does not exist');
    if (code === 'ELOOP') return refused('is a symbolic link');
    return refused(`cannot be read (${code})`);
  }
}

/**
 * Reads a regular file as `readRegularFile` does, and keeps a copy of exactly the bytes that were read.
 * @param copy path of the copy, which must not exist; its directory is made where it is missing
 * @throws AssayError `file` where the copy cannot be written
 */
export function keepRawFile(root: string, relativePath: string, mostBytes: number, copy: string): KeptFile {
  const read = readRegularFile(root, relativePath, mostBytes);
  if (!read.ok) return read;
  try {
    makeDirectories(dirname(copy));
    writeFileSync(copy, read.bytes, { flag: 'wx' });
  } catch (error) {
    throw fileFailure(error, copy, 'keep a raw file');
  }
  return { ...read, sha256: createHash('sha256').update(read.bytes).digest('hex') };
}

/** What it is when it is no regular file. */
function otherKind(stat: Stats): string | null {
  if (stat.isFile()) return null;
  if (stat.isSymbolicLink()) return 'is a symbolic link';
  if (stat.isDirectory()) return 'is a directory';
  if (stat.isFIFO()) return 'is a pipe';
  if (stat.isSocket()) return 'is a socket';
  return 'is a device';
}

function readOpened(path: string, named: Stats, mostBytes: number): ReadFile {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    const kind = otherKind(stat);
    if (kind !== null) return { ok: false, reason: kind };
    if (stat.ino !== named.ino || stat.dev !== named.dev) return { ok: false, reason: 'changed while it was read' };
    const tooLarge: ReadFile = { ok: false, reason: `is larger than ${sizeText(mostBytes)}` };
    if (stat.size > mostBytes) return tooLarge;
    // Files of /proc say that they are empty, and a file may still grow: what counts is what is read.
    const chunks: Buffer[] = [];
    for (let total = 0; ; ) {
      const chunk = Buffer.allocUnsafe(Math.max(4096, stat.size + 1 - total));
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) return { ok: true, bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
      total += count;
      if (total > mostBytes) return tooLarge;
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

function sizeText(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes} bytes`;
}
