/** Text of files of /proc and /sys, whose names of programs need be no UTF-8. */
import { readFileSync } from 'node:fs';

/** As latin1: one character a byte. Null where the file is missing or cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
