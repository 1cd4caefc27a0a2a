/** Golden files: what a program printed once, read by a person, and must print again. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Compares `actual` with the file at `path`, which is relative to the project. ASSAY_UPDATE_GOLDEN=1 writes the file
 * instead: look at the difference before you commit it.
 */
export function expectGolden(path: string, actual: string): void {
  const file = join(root, path);
  if (process.env['ASSAY_UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, actual);
    return;
  }
  const expected = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(actual, `${path} is not what was printed; ASSAY_UPDATE_GOLDEN=1 writes it anew`).toBe(expected);
}
