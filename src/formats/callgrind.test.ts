import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { type CallgrindProfile, parseCallgrind } from './callgrind.ts';

const HEAD = `# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 7
cmd:  ./bench 1000
part: 1

desc: I1 cache:
desc: Trigger: Program termination

positions: line
events: Ir
summary: 160

`;

const SMALL = `${HEAD}
ob=(1) /opt/engine/bench
fl=(1) bench.cc
fn=(1) run(int)
10 20
+2 5
cfn=(2) Engine::put(char const*)
cob=(2) /usr/lib/libengine.so.1
cfi=(2) engine.cc
calls=3 40
+1 135
fi=(3) inline.h
7 10
fe=(1)
* 5

ob=(2)
fl=(2)
fn=(2)
40 100
cfn=(2)
calls=1 40
-1 60

fn=(3) Engine::put(char const*)'2
40 20

totals: 160
`;

/** A file of one function, after the header. */
const bodyOf = (body: string) => parseCallgrind(`${HEAD}${body}`);

function functionsOf(profile: CallgrindProfile): Record<string, number> {
  if (!profile.ok) throw new Error(profile.reason);
  return Object.fromEntries(profile.functions.map(({ name, instructions }) => [name, instructions]));
}

describe('a callgrind file', () => {
  it('gives self cost by function: calls are not in it, inlined code and recursion are', () => {
    const profile = parseCallgrind(SMALL);
    expect(profile).toEqual({
      ok: true,
      instructions: 160,
      functions: [
        { name: 'Engine::put(char const*)', instructions: 120 },
        { name: 'run(int)', instructions: 40 },
      ],
    });
    expect(parseCallgrind(SMALL.replaceAll('\n', '\r\n'))).toEqual(profile);
  });

  it('finds the instructions among positions and events', () => {
    const text = 'positions: instr line\nevents: Dr Ir Dw\nfn=f\n0x400 3 1 2 3\n+4 * 5 6\n-4 +1 9\ntotals: 15 8 3\n';
    expect(parseCallgrind(text)).toEqual({ ok: true, instructions: 8, functions: [{ name: 'f', instructions: 8 }] });
  });

  it('adds parts, and functions of one name in different files', () => {
    const part = (costs: string, sum: number) => `part: 1\nevents: Ir\nsummary: ${sum}\n${costs}\ntotals: ${sum}\n`;
    const text = [
      'version: 1\n',
      part('ob=(1) /a.so\nfn=(1) f\n1 2\nob=(2) /b.so\nfn=(2) f\n1 3', 5),
      part('fn=(1)\n1 10', 10),
    ].join('');
    expect(parseCallgrind(text)).toEqual({ ok: true, instructions: 15, functions: [{ name: 'f', instructions: 15 }] });
  });

  it('puts code without names together, by the file that it is in', () => {
    const body = `ob=(1) /usr/lib/libz.so.1
fn=(1) ???
0 5
fn=(2) 0x00000000000010c0
0 7
fn=(3) (below main)
0 2
ob=(2) /opt/b
fn=(1)
0 1
ob=(3) ???
fn=(4) 0x1f
0 3
totals: 18
`;
    expect(functionsOf(bodyOf(body))).toEqual({
      '??? (libz.so.1)': 12,
      '??? (unknown file)': 3,
      '(below main)': 2,
      '??? (b)': 1,
    });
  });

  it('keeps to names: quotes and parentheses of C++ are a part of them', () => {
    const names = ["operator()(char) const::{lambda()#1}'2", "f(std::array<int, '2'>)", '(anonymous namespace)::g()'];
    const body = names.map((name, index) => `fn=(${index + 1}) ${name}\n0 ${index + 1}\n`).join('');
    expect(functionsOf(bodyOf(`${body}totals: 6\n`))).toEqual({
      'operator()(char) const::{lambda()#1}': 1,
      "f(std::array<int, '2'>)": 2,
      '(anonymous namespace)::g()': 3,
    });
    expect(functionsOf(bodyOf('fn=__proto__\n0 1\nfn=constructor\n0 2\ntotals: 3\n'))).toEqual(
      Object.fromEntries([
        ['__proto__', 1],
        ['constructor', 2],
      ]),
    );
  });

  it('may have counted nothing', () => {
    expect(bodyOf('\ntotals: 0\n')).toEqual({ ok: true, instructions: 0, functions: [] });
  });

  it.each([
    ['', 'it ends before its totals'],
    [HEAD, 'it ends before its totals'],
    [SMALL.replace('totals: 160\n', ''), 'it ends before its totals'],
    [`${SMALL}fn=(1)\n1 2\n`, 'it ends before its totals'],
    [
      SMALL.replace('fn=(2)\n40', 'fn=(9)\n40'),
      'line 33 has a number in the place of a name that was not given before',
    ],
    [SMALL.replace('10 20', '10 x'), 'line 19 has a cost that is no number'],
    [SMALL.replace('10 20', `10 ${'9'.repeat(17)}`), 'line 19 has a cost that is no number'],
    [SMALL.replace('events: Ir', 'events: Dr'), 'line 12 names events without Ir, the instructions executed'],
    [SMALL.replace('events: Ir\n', ''), 'line 18 has costs before the events are named'],
    [SMALL.replace('calls=3 40\n+1 135\n', 'calls=3 40\n'), 'line 25 is not of the format'],
    [SMALL.replace('fn=(1) run(int)\n', ''), 'line 18 has costs of no function'],
    [SMALL.replace('totals: 160', 'totals: many'), 'line 42 has totals that are no numbers'],
    [`${SMALL}\0\0\0`, 'line 43 is not of the format'],
    [`events: Ir\n${'totals: 9007199254740991\n'.repeat(2)}`, 'its totals are too large'],
  ])('says what is wrong (%#)', (text, reason) => {
    expect(parseCallgrind(text)).toEqual({ ok: false, reason });
  });

  it('is read without a fault of the reader, whatever it holds', () => {
    const lines = SMALL.split('\n');
    const piece = fc.oneof(
      fc.constantFrom(
        ...lines,
        '(',
        '(1)',
        'fn=',
        'fn=(1',
        'calls=',
        '+',
        '*',
        '0x',
        'totals:',
        'events:',
        'positions:',
      ),
      fc.string({ maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.constantFrom('\n', ' ', ''), (pieces, between) => {
        const profile = parseCallgrind(pieces.join(between));
        if (!profile.ok) return profile.reason.length > 0 && profile.reason.length < 200;
        const numbers = [profile.instructions, ...profile.functions.map(({ instructions }) => instructions)];
        return numbers.every((value) => Number.isFinite(value) && value >= 0);
      }),
      { seed: 1, numRuns: draws(2000) },
    );
  });

  it('with a byte changed is the same, another, or refused', () => {
    fc.assert(
      fc.property(fc.nat(SMALL.length - 1), fc.nat(0x17f), (at, code) => {
        const profile = parseCallgrind(SMALL.slice(0, at) + String.fromCharCode(code) + SMALL.slice(at + 1));
        return profile.ok ? Number.isSafeInteger(profile.instructions) : profile.reason.length < 200;
      }),
      { seed: 2, numRuns: draws(2000) },
    );
  });

  it('takes linear time', () => {
    const lines = (n: number) => `${HEAD}fn=(1) f\n${'+1 1\n'.repeat(n)}totals: ${n}\n`;
    const long = `${HEAD}fn=(1) ${'a'.repeat(2_000_000)}${"'".repeat(100_000)}\n0 1\ntotals: 1\n`;
    const profile = parseCallgrind(lines(500_000));
    expect(profile.ok && profile.instructions).toBe(500_000);
    expect(parseCallgrind(long).ok).toBe(true);
    expect(parseCallgrind(`${HEAD}fn=f\n0${' '.repeat(2_000_000)}1\ntotals: 1\n`).ok).toBe(true);
  }, 20_000);
});

test.runIf(process.env['ASSAY_TEST_FULL'] === '1')(
  'what valgrind itself writes is read: all costs are of a function, and add up',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'assay-callgrind-'));
    try {
      const source = join(directory, 'bench.c');
      writeFileSync(
        source,
        `#include <stdio.h>
        __attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        int main(void) { printf("%u\\n", fib(15)); return 0; }`,
      );
      execFileSync('cc', ['-O1', '-g', '-fno-optimize-sibling-calls', source, '-o', join(directory, 'bench')]);
      const out = join(directory, 'callgrind.out');
      const options = ['--tool=callgrind', `--callgrind-out-file=${out}`, `--log-file=${join(directory, 'log')}`];
      execFileSync('valgrind', [...options, join(directory, 'bench')], { stdio: 'pipe' });
      const profile = parseCallgrind(readFileSync(out, 'utf8'));
      if (!profile.ok) throw new Error(profile.reason);
      const sum = profile.functions.reduce((total, { instructions }) => total + instructions, 0);
      expect(sum).toBe(profile.instructions);
      expect(profile.functions.map(({ name }) => name)).toContain('fib');
      expect(profile.functions.filter(({ name }) => name.startsWith('fib'))).toHaveLength(1);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);
