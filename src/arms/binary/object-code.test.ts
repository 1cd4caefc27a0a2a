import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleArchive, exampleObject, memorySource } from '../../../test/example-archive.ts';
import { exampleElf } from '../../../test/example-elf.ts';
import { codeDigest } from './object-code.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const digest = (bytes: Buffer) => codeDigest(memorySource(bytes));
const of = (options: Parameters<typeof exampleObject>[0]) => digest(exampleObject(options));

describe('codeDigest', () => {
  const calls = ['put', 'get', null];
  const same = of({ calls });

  it('is that of the instructions and of what they refer to by name', () => {
    expect(same).toMatch(/^[0-9a-f]{64}$/);
    expect(of({ calls: ['put', 'pet', null] })).not.toBe(same);
    expect(of({ calls: ['get', 'put', null] })).not.toBe(same);
    expect(of({ calls: ['put', 'get', 'get'] })).not.toBe(same);
    expect(of({ calls: ['put', 'get'] })).not.toBe(same);
    expect(of({ calls, code: Buffer.from('Code') })).not.toBe(same);
    expect(of({ calls, code: Buffer.from('code\0') })).not.toBe(same);
    expect(of({ calls, machine: 183 })).not.toBe(same);
  });

  it('is not that of data, of what is there for debuggers, or of the numbers of symbols', () => {
    expect(of({ calls, data: 'other data' })).toBe(same);
    expect(of({ calls, before: ['.debug_info', '.debug_line'] })).toBe(same);
  });

  it('is none of what is compiled only when it is linked, and of what is no object file', () => {
    expect(of({ calls, before: ['.gnu.lto_.symtab.0123'] })).toBeNull();
    expect(of({ calls, before: ['.llvmbc'] })).toBeNull();
    expect(digest(exampleElf({ text: Buffer.from('code'), dynamic: {}, symbols: [] }))).toBeNull();
    expect(digest(Buffer.from('BC\xc0\xde', 'latin1'))).toBeNull();
    expect(digest(exampleArchive([]))).toBeNull();
    expect(digest(Buffer.alloc(0))).toBeNull();
  });

  it('of a file without machine code is not that of one with it', () => {
    expect(of({ code: Buffer.alloc(0) })).toMatch(/^[0-9a-f]{64}$/);
    expect(of({ code: Buffer.alloc(0) })).not.toBe(of({}));
  });

  it('whatever the bytes, does not fail, and reads a file not more often than so many times', () => {
    const random = xoroshiro128plus(20_260_302);
    const pick = (low: number, high: number) => uniformInt(random, low, high);
    const whole = exampleObject({ calls: ['a', 'b', null, 'c'], before: ['.debug_info'] });
    let understood = 0;
    const rounds = FULL ? 20_000 : 2000;
    for (let round = 0; round < rounds; round++) {
      const bytes = Buffer.from(whole.subarray(0, pick(0, 19) === 0 ? pick(0, whole.length) : whole.length));
      for (let change = pick(1, 6); change > 0 && bytes.length > 0; change--) {
        bytes[pick(0, bytes.length - 1)] = pick(0, 2) === 0 ? pick(0, 255) : pick(0, 9);
      }
      const source = memorySource(bytes);
      if (codeDigest(source) !== null) understood += 1;
      expect(source.read_bytes).toBeLessThanOrEqual(8 * bytes.length + 1000);
    }
    expect(understood).toBeGreaterThan(0.05 * rounds);
    expect(understood).toBeLessThan(0.95 * rounds);
  });

  it('does not read one part for each of many sections that claim it', () => {
    const bytes = exampleObject({ code: Buffer.alloc(4096), before: Array.from({ length: 2000 }, () => '.text') });
    const table = Number(bytes.readBigUInt64LE(40));
    for (let at = 1; at <= 2001; at++) {
      // Every one is machine code, and begins where the file does.
      bytes.writeBigUInt64LE(6n, table + 64 * at + 8);
      bytes.writeBigUInt64LE(0n, table + 64 * at + 24);
      bytes.writeBigUInt64LE(4096n, table + 64 * at + 32);
    }
    const source = memorySource(bytes);
    expect(codeDigest(source)).toBeNull();
    expect(source.read_bytes).toBeLessThan(4 * bytes.length);
  });
});

describe.runIf(FULL)('of what a compiler makes', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'assay-objects-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const SOURCE = `#include <string>
int put(int); int get(int);
static const char* const kNames[] = {"one", "two"};
__attribute__((noinline)) static int own(int x) { return x * 7; }
int call(int x) { return put(own(x)) + kNames[x & 1][0]; }
std::string text(int x) { return x > 3 ? "long enough to need a constant of its own" : std::to_string(x); }
inline int shared(int x) { static int count; return count += x; }
int use(int x) { return shared(x); }
`;
  let serial = 0;
  const compile = (source: string, ...flags: string[]) => {
    const stem = join(directory, `file${serial++}`);
    writeFileSync(`${stem}.cc`, source);
    execFileSync('c++', ['-O2', ...flags, '-c', `${stem}.cc`, '-o', `${stem}.o`]);
    return digest(readFileSync(`${stem}.o`));
  };

  it('debugging information and the name of the file change nothing', () => {
    const plain = compile(SOURCE);
    expect(plain).not.toBeNull();
    expect(compile(SOURCE, '-g')).toBe(plain);
    expect(compile(`// a comment\n${SOURCE}`, '-g3')).toBe(plain);
    expect(compile(SOURCE, '-O1')).not.toBe(plain);
    expect(compile(SOURCE, '-ffunction-sections', '-g')).toBe(compile(SOURCE, '-ffunction-sections'));
  });

  it('another function that is called is found, though the bytes of the code are the same', () => {
    expect(compile(SOURCE.replace('put(own', 'get(own'))).not.toBe(compile(SOURCE));
    expect(compile(SOURCE.replace('* 7', '* 9'))).not.toBe(compile(SOURCE));
  });

  it('what is compiled when it is linked has none', () => {
    expect(compile(SOURCE, '-flto')).toBeNull();
    expect(compile(SOURCE, '-flto', '-ffat-lto-objects')).toBeNull();
  });
});
