import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../../test/draws.ts';
import { exampleElf } from '../../../test/example-elf.ts';
import { openArchive } from './archive.ts';
import { type ByteSource, dynamicFacts, openElf, sectionDigest, visitSymbols } from './elf.ts';

function sourceOf(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) =>
      offset >= 0 && offset + length <= bytes.length ? bytes.subarray(offset, offset + length) : null,
  };
}

function member(name: string, bytes: Buffer): Buffer {
  const header = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`;
  return Buffer.concat([Buffer.from(header), bytes, Buffer.alloc(bytes.length % 2, '\n')]);
}

/** All that can be asked about bytes; what matters is that it ends without throwing. */
function readAll(bytes: Buffer): void {
  const source = sourceOf(bytes);
  const archive = openArchive(source);
  for (const one of archive?.kind === 'whole' ? archive.members : [source]) {
    const elf = openElf(one);
    if (elf === null) continue;
    dynamicFacts(elf);
    sectionDigest(elf, '.text');
    visitSymbols(elf, () => undefined);
  }
}

const example = exampleElf({
  text: Buffer.from('machine code'),
  dynamic: { 1: ['libz.so.1', 'libc.so.6'], 14: ['libengine.so.2'], 15: ['/opt/a:/opt/b'] },
  symbols: [
    { name: '__assert_fail', defined: false },
    { name: 'engine_open', defined: true },
  ],
});

describe('an ELF file', () => {
  it('is read', () => {
    const elf = openElf(sourceOf(example));
    if (elf === null) throw new Error('not opened');
    const symbols: [string, boolean][] = [];
    expect(visitSymbols(elf, (name, defined) => symbols.push([name, defined]))).toBe(2);
    expect(symbols).toEqual([
      ['__assert_fail', false],
      ['engine_open', true],
    ]);
    expect(elf.kind).toBe('shared');
    expect(sectionDigest(elf, '.text')).toBe(createHash('sha256').update('machine code').digest('hex'));
    expect(sectionDigest(elf, '.data')).toBeNull();
    expect(dynamicFacts(elf)).toEqual({
      needed: ['libz.so.1', 'libc.so.6'],
      soname: 'libengine.so.2',
      rpath: ['/opt/a', '/opt/b'],
      runpath: [],
    });
  });

  it('that is cut off anywhere is no surprise', () => {
    for (let length = 0; length < example.length; length++) readAll(example.subarray(0, length));
    // The section headers come last.
    expect(openElf(sourceOf(example.subarray(0, example.length - 1)))).toBeNull();
  });

  it('with any bytes changed is no surprise', () => {
    const change = fc.tuple(fc.nat(example.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0x40));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), fc.boolean(), (changes, archived) => {
        const bytes = archived
          ? Buffer.concat([Buffer.from('!<arch>\n'), member('a.o/', example)])
          : Buffer.from(example);
        for (const [at, value] of changes) bytes[at] = value;
        readAll(bytes);
      }),
      { numRuns: draws(3000), seed: 1 },
    );
  });

  it('of a string table without an end takes no time for each symbol', () => {
    const symbols = Array.from({ length: 20_000 }, () => ({ name: 'x'.repeat(600), defined: true }));
    const elf = openElf(sourceOf(exampleElf({ text: Buffer.alloc(0), dynamic: {}, symbols, shareNames: true })));
    const lengths = new Set<number>();
    if (elf !== null) visitSymbols(elf, (name) => lengths.add(name.length));
    expect([...lengths]).toEqual([512]);
  });
});

describe('an archive', () => {
  const whole = (...members: Buffer[]) => openArchive(sourceOf(Buffer.concat([Buffer.from('!<arch>\n'), ...members])));

  it('lists its members without the index', () => {
    const found = whole(
      member('/', Buffer.from('index')),
      member('//', Buffer.from('a_long_name.o/\n')),
      member('a.o/', Buffer.from('first')),
      member('#1/8', Buffer.from('b.o\0\0\0\0\0second')),
      member('#1/12', Buffer.from('__.SYMDEF\0\0\0index')),
    );
    const contents = found?.kind === 'whole' ? found.members.map((one) => one.read(0, one.size)?.toString()) : null;
    expect(contents).toEqual(['first', 'second']);
    expect(found?.kind === 'whole' ? found.members[0]?.read(1, 5) : null).toBeNull();
  });

  it('that is thin, damaged or none is told apart', () => {
    expect(openArchive(sourceOf(Buffer.from('!<thin>\n')))).toEqual({ kind: 'thin' });
    expect(openArchive(sourceOf(Buffer.from('text')))).toBeNull();
    expect(whole(Buffer.from('no header'))).toEqual({ kind: 'damaged' });
    expect(whole(member('a.o/', Buffer.from('cut off')).subarray(0, 62))).toEqual({ kind: 'damaged' });
  });
});
