/** A run's directory that is written at once is there whole, or as it was before. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createRunDirectory, type RunDirectory } from './directory.ts';

/** What stood at a path before anything was made there. */
interface Before {
  readonly names: ReadonlySet<string>;
  /** The directories that were not there: the path itself first, then its parents. */
  readonly missing: readonly string[];
}

/**
 * Makes the directory and has it filled; where that fails, what was made is removed, and nothing that was there before.
 * @param names of files and folders that `fill` may make in it
 * @param onLeft told where what was made cannot be removed
 * @throws whatever made it fail
 */
export async function wholeOrNothing<Made>(
  path: string,
  names: readonly string[],
  onLeft: () => void,
  fill: (directory: RunDirectory) => Promise<Made>,
): Promise<Made> {
  const before = lookBefore(path);
  try {
    return await fill(createRunDirectory(path, false));
  } catch (error) {
    if (!undo(path, names, before)) onLeft();
    throw error;
  }
}

function lookBefore(path: string): Before {
  const missing: string[] = [];
  let at = resolve(path);
  while (!existsSync(at) && dirname(at) !== at) {
    missing.push(at);
    at = dirname(at);
  }
  return { names: new Set(missing.length === 0 ? namesIn(path) : []), missing };
}

/** None where it is no directory: then none is made of it either. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Whether nothing is left of it. */
function undo(path: string, names: readonly string[], before: Before): boolean {
  try {
    for (const name of names) {
      const made = join(path, name);
      if (!before.names.has(name) && existsSync(made)) rmSync(made, { recursive: true });
    }
    for (const directory of before.missing) {
      if (!existsSync(directory)) continue;
      // What another has put there meanwhile is none of ours, and keeps it.
      if (readdirSync(directory).length > 0) break;
      rmdirSync(directory);
    }
    return true;
  } catch {
    return false;
  }
}
