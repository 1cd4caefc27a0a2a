import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, it } from 'vitest';
import { exampleArchive, memorySource } from '../../../test/example-archive.ts';
import { openArchive } from './archive.ts';
import { withFile } from './facts.ts';

const LONG = 'a_name_of_more_than_fifteen_characters.cc.o';
const OTHER = 'another name with spaces, which is long.o';

/** Names and contents; or what else it is. */
function read(bytes: Buffer): unknown {
  const archive = openArchive(memorySource(bytes));
  if (archive?.kind !== 'whole') return archive?.kind ?? null;
  return archive.members.map((member) => [member.name, member.read(0, member.size)?.toString()]);
}

it('reads short names, long names of GNU, and passes over the index', () => {
  const table = `${LONG}/\n${OTHER}/\n`;
  const bytes = exampleArchive([
    { field: '/', content: '\0\0\0\0' },
    { field: '//', content: table },
    { field: 'short.o/', content: 'one' },
    { field: '/0', content: 'two' },
    { field: `/${LONG.length + 2}`, content: '' },
    { field: 'short.o/', content: 'twin' },
    { field: 'bare', content: 'x' },
  ]);
  expect(read(bytes)).toEqual([
    ['short.o', 'one'],
    [LONG, 'two'],
    [OTHER, ''],
    ['short.o', 'twin'],
    ['bare', 'x'],
  ]);
});

it('reads long names of BSD, which stand before the content', () => {
  const named = (name: string, content: string) => ({
    field: `#1/${name.length}`,
    content: name + content,
  });
  const bytes = exampleArchive([
    named('__.SYMDEF SORTED\0\0\0\0', 'index'),
    named(`${LONG}\0`, 'one'),
    { field: 'short.o', content: 'two' },
    { field: '#1/x', content: 'three' },
    { field: '#1/99', content: 'four' },
  ]);
  expect(read(bytes)).toEqual([
    [LONG, 'one'],
    ['short.o', 'two'],
    ['#1/x', 'three'],
    ['four', ''],
  ]);
});

it('takes a reference that leads nowhere for the name', () => {
  const bytes = exampleArchive([
    { field: '/5', content: 'before the table' },
    { field: '//', content: 'a.o/\n' },
    { field: '/500', content: 'beyond it' },
    { field: '/4', content: 'at the end of a name' },
    { field: '/99999999999999', content: 'x' },
    { field: '', content: 'nameless' },
  ]);
  expect(read(bytes)).toEqual([
    ['/5', 'before the table'],
    ['/500', 'beyond it'],
    ['/4', 'at the end of a name'],
    ['/99999999999999', 'x'],
    ['', 'nameless'],
  ]);
});

it('hides no member whose long name is that of an index', () => {
  const bytes = exampleArchive([
    { field: '//', content: '__.SYMDEF/\n//\n' },
    { field: '/0', content: 'one' },
    { field: '/11', content: 'two' },
  ]);
  expect(read(bytes)).toEqual([
    ['__.SYMDEF', 'one'],
    ['/', 'two'],
  ]);
});

it.each([
  ['a thin archive', exampleArchive([{ field: '/0', content: '' }], '!<thin>\n'), 'thin'],
  ['no archive', Buffer.from('\x7fELF'), null],
  ['an empty file', Buffer.alloc(0), null],
  ['a member that is cut off', exampleArchive([{ field: 'a.o/', content: 'abc', size: '300' }]), 'damaged'],
  ['a header that is cut off', exampleArchive([{ field: 'a.o/', content: 'ab' }]).subarray(0, 50), 'damaged'],
  ['a size that is none', exampleArchive([{ field: 'a.o/', content: 'ab', size: '-2' }]), 'damaged'],
  ['a size in octal of a kind', exampleArchive([{ field: 'a.o/', content: 'ab', size: '0x2' }]), 'damaged'],
  ['bytes after the last member', Buffer.concat([exampleArchive([]), Buffer.from('more')]), 'damaged'],
])('says of %s what it is', (_, bytes, kind) => {
  expect(read(bytes)).toBe(kind);
});

it('lets no member read beyond itself', () => {
  const archive = openArchive(
    memorySource(
      exampleArchive([
        { field: 'a/', content: 'aa' },
        { field: 'b/', content: 'bb' },
      ]),
    ),
  );
  const [member] = archive?.kind === 'whole' ? archive.members : [];
  expect(member?.read(0, 3)).toBeNull();
  expect(member?.read(-1, 2)).toBeNull();
  expect(member?.read(2, 1)).toBeNull();
  expect(member?.read(1, 1)?.toString()).toBe('a');
});

it('bounds the length of names, one by one and all together', () => {
  const long = exampleArchive([
    { field: '//', content: 'x'.repeat(5000) },
    { field: '/0', content: '1' },
  ]);
  expect(read(long)).toEqual([['x'.repeat(1024), '1']]);
  const many = exampleArchive([
    { field: '//', content: 'x'.repeat(5000) },
    ...Array.from({ length: 40_000 }, () => ({ field: '/0', content: '' })),
  ]);
  expect(read(many)).toBe('damaged');
});

const ROUNDS = process.env['ASSAY_TEST_FULL'] === '1' ? 20_000 : 500;

it('whatever the bytes, does not fail, and reads no more of them than there are', () => {
  const random = xoroshiro128plus(20_260_301);
  const pick = (low: number, high: number) => uniformInt(random, low, high);
  const whole = exampleArchive([
    { field: '/', content: 'index' },
    { field: '//', content: `${LONG}/\n${OTHER}/\n` },
    { field: '/0', content: 'one' },
    { field: '#1/8', content: 'name.o\0\0two' },
    { field: 'short.o/', content: 'three' },
    { field: '/44', content: 'x'.repeat(200) },
  ]);
  const kinds = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = Buffer.from(whole.subarray(0, pick(0, 9) === 0 ? pick(0, whole.length) : whole.length));
    for (let change = pick(0, 4); change > 0 && bytes.length > 8; change--) {
      // Fields of headers count more than contents.
      bytes[pick(8, bytes.length - 1)] =
        pick(0, 1) === 0 ? pick(0, 255) : (' 0123456789/#`\n'.charCodeAt(pick(0, 14)) ?? 0);
    }
    const source = memorySource(bytes);
    const archive = openArchive(source);
    kinds.add(archive?.kind ?? 'none');
    expect(source.read_bytes).toBeLessThanOrEqual(2 * bytes.length + 60);
    for (const member of archive?.kind === 'whole' ? archive.members : []) {
      expect(member.size).toBeGreaterThanOrEqual(0);
      expect(member.read(0, member.size)).not.toBeNull();
      expect(typeof member.name).toBe('string');
    }
  }
  expect([...kinds].sort()).toEqual(['damaged', 'none', 'whole']);
});

it.runIf(process.env['ASSAY_TEST_FULL'] === '1')('reads what `ar` makes as `ar` does', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-archive-'));
  const ar = (...args: string[]) => execFileSync('ar', args, { cwd: directory, encoding: 'utf8' });
  try {
    const names = [LONG, 'short.o', OTHER, 'fifteen_chars_.o', 'sixteen__chars.o', `${'n'.repeat(200)}.o`];
    for (const [at, name] of names.entries()) writeFileSync(join(directory, name), 'x'.repeat(at));
    ar('rcsD', 'lib.a', ...names);
    ar('qD', 'lib.a', 'short.o');
    const listed = ar('t', 'lib.a').trimEnd().split('\n');
    expect(listed).toHaveLength(names.length + 1);
    const found = withFile(join(directory, 'lib.a'), openArchive);
    expect(found?.kind === 'whole' ? found.members.map(({ name }) => name) : found).toEqual(listed);
    expect(found?.kind === 'whole' ? found.members.map(({ size }) => size) : found).toEqual([0, 1, 2, 3, 4, 5, 1]);
    ar('rcsTD', 'thin.a', ...names);
    expect(withFile(join(directory, 'thin.a'), openArchive)).toEqual({ kind: 'thin' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
