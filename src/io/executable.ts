/** Finding programs as a shell would, without one. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';

/** Whether a path is a regular file that this user may execute. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Why a path cannot be executed, as a sentence of what it is and one of what to do; null where it can be, or is not there. */
export async function executionFault(path: string): Promise<{ message: string; remedy: string } | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || (await isExecutable(path))) return null;
  if (found.isDirectory()) {
    return { message: `${path} is a directory, and no program`, remedy: 'Name the program itself, such as one in it.' };
  }
  return { message: `${path} cannot be executed`, remedy: `If it is a program: chmod +x '${path}'` };
}

/** The first executable of that name on a search path; relative parts of it count from `process.cwd()`. */
export async function findExecutable(name: string, path: string | undefined): Promise<string | null> {
  for (const directory of (path ?? '').split(delimiter)) {
    if (directory === '') continue;
    const candidate = resolve(join(directory, name));
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}
