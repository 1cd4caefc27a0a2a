/** Files that are either as they were or complete, whatever stops us. */
import { randomBytes } from 'node:crypto';
import { open, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileFailure } from './file-failure.ts';

/**
 * Writes a file by way of a temporary one beside it, which is on disk before it gets the name. A reader sees the old
 * content or the new one, also after a crash or a full disk.
 * @param mode of the file, before the umask
 * @param another how a user names another path, as `with -o`
 * @throws AssayError `file`
 */
export async function writeFileAtomically(path: string, text: string, mode = 0o666, another?: string): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `.assay-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, text, mode);
    try {
      await rename(temporary, path);
    } catch (error) {
      await unlink(temporary);
      throw error;
    }
    await syncDirectory(directory);
  } catch (error) {
    throw fileFailure(error, path, 'write', undefined, another);
  }
}

/**
 * Writes what a user wants at a path of theirs: a file as `writeFileAtomically` does, through a link where the path is
 * one; a device or pipe by writing to it, since it must not be replaced by a file.
 * @param another how they name another, as `with -o`
 * @throws AssayError `file`
 */
export async function writeOutput(path: string, text: string, another: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const found = await stat(target).catch(() => null);
  if (found === null || found.isFile()) {
    await writeFileAtomically(target, text, 0o666, another);
    return;
  }
  await writeFile(target, text).catch((error: unknown) => {
    throw fileFailure(error, path, 'write', undefined, another);
  });
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(path);
    throw error;
  }
}

/** Puts a directory's entries on disk; some file systems cannot, and need not. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw error;
  } finally {
    await handle.close();
  }
}
