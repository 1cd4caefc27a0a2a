/** Making a directory with its parents. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and its parents where they are missing. Throws the error of the first step that fails: the recursive
 * mkdir of Node.js says ENOENT where a file system is read-only.
 */
export function makeDirectories(path: string, mode = 0o777): void {
  const parent = dirname(path);
  try {
    makeOne(path, mode);
  } catch (error) {
    if (!isCode(error, 'ENOENT') || parent === path) throw error;
    makeDirectories(parent, mode);
    makeOne(path, mode);
  }
}

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const there = isCode(error, 'EEXIST') ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (there?.isDirectory() !== true) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
