/** Files below a directory that a stranger may have filled: found without following links, read within bounds. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileFailure } from './file-failure.ts';
import { readRegularFile } from './raw-file.ts';

export interface FoundFiles {
  /** Paths with `/`, relative to the directory, in the order of their characters. */
  readonly files: readonly string[];
  /** There was more: files beyond the bound were not looked at. */
  readonly cut: boolean;
}

const MOST_FILES = 20_000;
const DEEPEST = 16;

/**
 * All files below a directory, whatever they are; symbolic links are files here, and not followed.
 * @throws AssayError `file` where a directory cannot be read
 */
export function filesBelow(directory: string): FoundFiles {
  const files: string[] = [];
  let cut = false;
  const visit = (relative: string, depth: number): void => {
    const path = join(directory, relative);
    let entries: ReturnType<typeof entriesOf>;
    try {
      entries = entriesOf(path);
    } catch (error) {
      throw fileFailure(error, path, 'read the directory', undefined, 'as DIR');
    }
    for (const entry of entries) {
      const name = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.isDirectory() && depth < DEEPEST) visit(name, depth + 1);
      else if (entry.isDirectory() || files.length >= MOST_FILES) cut = true;
      else files.push(name);
    }
  };
  visit('', 0);
  return { files, cut };
}

function entriesOf(path: string) {
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The text of a file that `filesBelow` found, as UTF-8; or why it is not read, as a clause about the file. */
export function readText(
  directory: string,
  file: string,
  mostBytes: number,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
  const read = readRegularFile(directory, file, mostBytes);
  return read.ok ? { ok: true, text: read.bytes.toString('utf8') } : read;
}
