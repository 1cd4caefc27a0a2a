/** The small files in which a Linux kernel says what a machine is: /proc and /sys, or a tree like them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from './linux-facts.ts';

/** Paths are absolute, as on the machine itself. Nothing here fails: what cannot be read is null, or an empty list. */
export interface MachineFiles {
  /** Where proc and sys are. */
  readonly root: string;
  readonly read: (path: string) => string | null;
  /** The first line, trimmed and printable; null also where it is empty. */
  readonly line: (path: string) => string | null;
  /** The number that the file holds; null where it holds anything else, such as `max`. */
  readonly number: (path: string) => number | null;
  readonly list: (path: string) => readonly string[];
}

export function machineFiles(root: string): MachineFiles {
  const read = (path: string) => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch {
      return null;
    }
  };
  const line = (path: string) => {
    const first = read(path)?.split('\n')[0]?.trim() ?? '';
    return first === '' ? null : printable(first);
  };
  return {
    root,
    read,
    line,
    number: (path) => wholeNumber(line(path)),
    list(path) {
      try {
        return readdirSync(join(root, path)).sort();
      } catch {
        return [];
      }
    },
  };
}

/** Null where the text is none, or too large to be exact. */
export function wholeNumber(text: string | null | undefined): number | null {
  const value = /^-?\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
}
