import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleArchive, exampleObject } from '../../../test/example-archive.ts';
import { exampleElf } from '../../../test/example-elf.ts';
import { inventoryOf, isArchive } from './inventory.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-inventory-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let serial = 0;
function file(bytes: Buffer | string): string {
  const path = join(directory, `lib${serial++}`);
  writeFileSync(path, bytes);
  return path;
}
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

it('lists the object files of a static library, and who made them', () => {
  const [one, two] = [exampleObject({ calls: ['put', 'get'] }), exampleObject()];
  const found = inventoryOf(
    file(
      exampleArchive([
        { field: 'one.o/', content: one },
        { field: 'two.o/', content: two },
        { field: 'notes/', content: 'text' },
      ]),
    ),
  );
  if (typeof found === 'string') throw new Error(found);
  expect(found.objects.map(({ name, bytes, sha256: sum }) => [name, bytes, sum])).toEqual([
    ['one.o', one.length, sha256(one)],
    ['two.o', two.length, sha256(two)],
    ['notes', 4, sha256('text')],
  ]);
  expect(found.objects.map(({ code_sha256 }) => code_sha256 !== null)).toEqual([true, true, false]);
  expect(found.compilers).toEqual([
    { compiler: 'Example compiler 1.0', files: 2 },
    { compiler: 'Other?[2J 2', files: 2 },
  ]);
  expect(found.symbols).toEqual({ defined: 0, undefined: 2 });
});

it('of a shared library lists no object files', () => {
  const symbols = [
    { name: 'put', defined: true },
    { name: 'malloc', defined: false },
  ];
  expect(inventoryOf(file(exampleElf({ text: Buffer.from('code'), dynamic: {}, symbols })))).toEqual({
    objects: [],
    compilers: [],
    symbols: { defined: 1, undefined: 1 },
  });
});

it('says why it cannot tell', () => {
  expect(inventoryOf(file('!<thin>\n'))).toMatch(/^is a thin archive/);
  expect(inventoryOf(file('!<arch>\nx'))).toBe('is a damaged archive');
});

it('knows archives by how they begin', () => {
  expect(['!<arch>\n', '!<thin>\nx', '!<arch>', '', '\x7fELF....'].map((text) => isArchive(file(text)))).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
});
