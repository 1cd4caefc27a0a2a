import fc from 'fast-check';
import { expect, it } from 'vitest';
import { draws } from '../../../test/draws.ts';
import { tarOf } from '../archive-file.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { deflateMember, inflateMember } from './gzip.ts';
import { nameFault, nameRegister } from './names.ts';
import { decodeHeader, encodeHeader } from './tar-header.ts';
import { tarReader } from './tar-reader.ts';

it.each([
  ['raw/a b/ü', null],
  ['', 'is empty'],
  ['/a', 'is absolute'],
  ['C:/a', 'is absolute'],
  ['a/../b', 'leads out of the bundle'],
  ['./a', 'is not in its shortest form'],
  ['a//b', 'is not in its shortest form'],
  ['a/', 'is not in its shortest form'],
  ['a\\b', 'has a backslash'],
  ['a\nb', 'has a control character or an invisible one'],
  ['a\u200bb', 'has a control character or an invisible one'],
  ['a\ud800', 'has a control character or an invisible one'],
  ['e\u0301', 'is not in Unicode normal form C'],
  ['ä'.repeat(128), 'is longer than 255 bytes'],
])('the name %j %s', (name, fault) => {
  expect(nameFault(name)).toBe(fault);
});

it.each([
  [['a', 'a'], 'is there twice'],
  [['a', 'A'], 'differs from a by case or Unicode form alone'],
  [['straße', 'STRASSE'], 'differs from straße by case or Unicode form alone'],
  [['a', 'a/b'], 'lies in a, which is a file'],
  [['a/b', 'a'], 'is a folder too'],
  [['a/b', 'A/c'], 'lies in a folder that differs from a by case or Unicode form alone'],
  [['a/b', 'a/c'], null],
])('the last of %j %s', (names, fault) => {
  const register = nameRegister();
  expect(names.map(register).at(-1)).toBe(fault);
});

const name = fc
  .array(fc.stringMatching(/^[a-z0-9ä-]{1,60}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'))
  .filter((text) => nameFault(text) === null && Buffer.byteLength(text.split('/').at(-1) ?? '') <= 100);

it('a header says what it was made of', () => {
  fc.assert(
    fc.property(name, fc.nat(2 ** 31), fc.nat(2 ** 31), (text, bytes, mtime) => {
      expect(decodeHeader(encodeHeader({ name: text, bytes, mtime }))).toEqual({ name: text, bytes, mtime });
    }),
  );
});

it('an archive is read as it was written, in whatever chunks it comes', async () => {
  const files = fc.array(fc.record({ name, content: fc.uint8Array({ maxLength: 2000 }) }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 3000 }), async (written, size) => {
      async function* members() {
        for (const file of written) yield { name: file.name, content: Buffer.from(file.content) };
      }
      const packed: Buffer[] = [];
      for await (const chunk of deflateMember(tarOf(members(), 5))) packed.push(chunk);
      const archive = Buffer.concat(packed);
      const source = {
        bytes: archive.length,
        read: async (position: number, length: number) => archive.subarray(position, position + length),
      };
      const plain: Buffer[] = [];
      for await (const chunk of inflateMember(source, DEFAULT_LIMITS)) plain.push(chunk);
      const tar = Buffer.concat(plain);
      const read: { name: string; content: Buffer[] }[] = [];
      const reader = tarReader({
        begin: (header) => read.push({ name: header.name, content: [] }),
        data: (bytes) => read.at(-1)?.content.push(Buffer.from(bytes)),
        end: () => {},
      });
      for (let at = 0; at < tar.length; at += size) reader.push(tar.subarray(at, at + size));
      reader.finish();
      const whole = read.map(({ content, ...file }) => ({ ...file, content: Buffer.concat(content) }));
      expect(whole).toEqual(written.map((file) => ({ name: file.name, content: Buffer.from(file.content) })));
    }),
    { numRuns: draws(50) },
  );
});
