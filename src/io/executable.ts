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

/** The first executable of that name on a search path; relative parts of it count from `process.cwd()`. */
export async function findExecutable(name: string, path: string | undefined): Promise<string | null> {
  for (const directory of (path ?? '').split(delimiter)) {
    if (directory === '') continue;
    const candidate = resolve(join(directory, name));
    if (await isExecutable(candidate)) return candidate;
  }
  return null;
}
