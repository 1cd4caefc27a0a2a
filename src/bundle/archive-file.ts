/** Writes an archive: under another name first, so that what has the name is whole and verified. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AssayError } from '../failures.ts';
import { fileFailure } from '../io/file-failure.ts';
import { deflateMember } from './archive/gzip.ts';
import { BLOCK_BYTES, encodeHeader } from './archive/tar-header.ts';

/** A file of an archive: at hand, or read piece by piece while it is written. */
export type Member = { readonly name: string } & (
  | { readonly content: Buffer }
  | { readonly bytes: number; readonly pieces: AsyncIterable<Buffer> }
);

/** The uncompressed archive of files: the same bytes for the same files. */
export async function* tarOf(members: AsyncIterable<Member>, mtime: number): AsyncGenerator<Buffer> {
  for await (const member of members) {
    const bytes = 'content' in member ? member.content.length : member.bytes;
    yield encodeHeader({ name: member.name, bytes, mtime });
    if ('content' in member) yield member.content;
    else yield* member.pieces;
    const over = bytes % BLOCK_BYTES;
    if (over > 0) yield Buffer.alloc(BLOCK_BYTES - over);
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/**
 * Writes an archive durably, and gives it its name once `check` has not thrown. Whatever happens, there is the whole file or
 * none, and no other file is left.
 * @returns its bytes
 * @throws AssayError `usage` where there is something of that name and `force` is not set; `file`
 */
export async function writeArchive(
  path: string,
  force: boolean,
  members: AsyncIterable<Member>,
  mtime: number,
  check: (temporary: string) => Promise<void>,
): Promise<number> {
  if (!force && (await lstat(path).catch(() => null)) !== null) throw taken(path);
  const temporary = join(dirname(path), `.assay-${randomBytes(8).toString('hex')}.tmp`);
  const acting = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw fileFailure(
        error,
        path,
        'write the bundle',
        'Name another place with -o, or see what is wrong with this one.',
      );
    });
  const handle = await acting(open(temporary, 'wx', 0o666));
  try {
    const bytes = await acting(writeAll(handle, deflateMember(tarOf(members, mtime))));
    await check(temporary);
    await acting(giveName(temporary, path, force));
    return bytes;
  } finally {
    await unlink(temporary).catch(() => {});
  }
}

async function writeAll(handle: FileHandle, chunks: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return bytes;
}

/** A link takes no name that is taken; where the file system has none, a rename must do. */
async function giveName(temporary: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(temporary, path);
  try {
    await link(temporary, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST') throw taken(path);
    if ((await lstat(path).catch(() => null)) !== null) throw taken(path);
    await rename(temporary, path);
  }
}

function taken(path: string): AssayError {
  return new AssayError({
    kind: 'usage',
    message: `${path} exists`,
    remedy: 'Name another file with -o, or replace it with --force.',
  });
}
