import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleElf } from '../../../test/example-elf.ts';
import { digestFile } from '../../io/digest.ts';
import type { PreparedArm } from '../prepared-arm.ts';
import { attribute, warningsOf } from './attribution.ts';

const full = process.env['ASSAY_TEST_FULL'] === '1';
let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-attribution-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function armOf(arm: string, ...paths: string[]): Promise<PreparedArm> {
  const digests = await Promise.all(paths.map((path) => digestFile(path)));
  return {
    arm,
    build: 0,
    dir: null,
    command: ['x'],
    commands: {},
    files: paths.map((path, at) => ({ path, sha256: digests[at]?.sha256 ?? '', bytes: digests[at]?.bytes ?? 0 })),
    provenance: {},
    warnings: [],
    shown: [],
    paths,
    trees: [],
    driver: null,
    ...{ keep: [], revision: null, library: null },
  };
}

interface Asked {
  readonly functions?: readonly string[];
  readonly path?: string;
  readonly signal?: AbortSignal;
}

async function compare(before: string | string[], after: string | string[], asked: Asked = {}) {
  const cache = join(root, 'cache');
  mkdirSync(cache, { recursive: true });
  const progress: string[] = [];
  const outcome = await attribute(
    { functions: asked.functions ?? [] },
    [await armOf('before', ...[before].flat()), await armOf('after', ...[after].flat())],
    [{ arm: 'after', reference: 'before' }],
    {
      env: asked.path === undefined ? process.env : { PATH: asked.path },
      cache,
      onProgress: (message) => progress.push(message),
      signal: asked.signal,
    },
  );
  return { outcome, progress, warnings: outcome === null ? [] : warningsOf(outcome, 'after') };
}

/** The one comparison that is expected. */
async function comparison(...args: Parameters<typeof compare>) {
  const { outcome } = await compare(...args);
  const [only, ...others] = outcome?.comparisons ?? [];
  if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} comparisons`);
  return only;
}

function file(name: string, bytes: Buffer | string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

function elf(name: string, text: string): string {
  return file(name, exampleElf({ text: Buffer.from(text), dynamic: {}, symbols: [] }));
}

describe('without a compiler', () => {
  test('the same bytes are the same program, and nothing is started', async () => {
    expect(await comparison(elf('a1', 'code'), elf('a2', 'code'), { path: '/none' })).toMatchObject({
      ...{ arm: 'after', reference: 'before', file: 'executable', same_file: true, same_text: true },
      ...{ functions: null, differing: [], disassemblies: [] },
    });
  });

  test('without objdump the rest is told, with a warning', async () => {
    const { outcome, warnings } = await compare(elf('b1', 'code'), elf('b2', 'other code'), { path: '/none' });
    expect(outcome?.comparisons).toMatchObject([{ same_file: false, same_text: false, functions: null }]);
    expect(warnings.map(({ code }) => code)).toEqual(['machine-code-not-compared']);
    expect(warnings[0]?.message).toContain('there is no objdump');
    expect(warnings[0]?.remedy).toContain('apt install binutils');
  });

  test('scripts have no machine code', async () => {
    const { outcome, warnings } = await compare(file('s1', '#!/bin/sh\n'), file('s2', '#!/bin/sh\n:'));
    expect(outcome?.comparisons).toEqual([]);
    expect(warnings[0]?.message).toBe('the commands of after and before name no two programs of machine code');
  });

  test('a program that both start counts only where nothing else differs', async () => {
    const shared = elf('taskset', 'taskset');
    const { outcome } = await compare([shared, elf('c1', 'one')], [shared, elf('c2', 'two')], { path: '/none' });
    expect(outcome?.comparisons.map(({ arm_path }) => arm_path)).toEqual([join(root, 'c2')]);
    expect(await comparison([shared], [shared], { path: '/none' })).toMatchObject({ same_file: true });
  });
});

const PROGRAM = `
#include <stdio.h>
static int calls;
__attribute__((noinline)) double scale(double x) { return x * 1.25; }
__attribute__((noinline)) int choose(int x) {
  switch (x) {
    case 0: return 5;
    case 1: return 99;
    case 2: puts("two"); return 7;
    case 3: return 1234;
    case 4: return x * calls;
    default: return calls++;
  }
}
__attribute__((noinline)) int twice(int x) { return choose(x) + choose(x + 1); }
int main(int count, char **words) { printf("%f %d %s\\n", scale(count), twice(count), words[0]); return 0; }
`;
const ADDED = `
#include <stdio.h>
int added(int x) { printf("a text that moves all others %d\\n", x); return x * 77; }
`;

function compiled(name: string, source: string, flags: readonly string[] = []): string {
  const c = file(`${name}.c`, source);
  execFileSync('gcc', ['-O2', '-g', ...flags, '-o', join(root, name), c], { cwd: dirname(c) });
  return join(root, name);
}

describe.runIf(full)('programs of a compiler', () => {
  test.each([
    ['position-independent', []],
    ['at fixed addresses', ['-no-pie', '-fno-pie']],
    ['linked statically', ['-static']],
  ])('%s: one changed number is found, whatever moves', async (kind, flags) => {
    const before = compiled(`${kind}/before`, PROGRAM, flags);
    const after = compiled(`${kind}/after`, ADDED + PROGRAM.replace('1234', '4321'), flags);
    const found = await comparison(before, after);
    expect(found).toMatchObject({ same_text: false, symbols: 'all', rest: 0 });
    expect(found.functions).toMatchObject({ differ: 1, only_in_arm: 1, only_in_reference: 0 });
    expect(found.functions?.same).toBeGreaterThan(5);
    expect(found.differing.map(({ name, reference_bytes }) => [name, reference_bytes === null])).toEqual([
      ['added', true],
      ['choose', false],
    ]);
    expect(found.disassemblies).toEqual(['arms/before-vs-after/executable-01-choose.txt']);
  });

  test('a changed constant is a changed function, although its bytes are the same', async () => {
    const found = await comparison(compiled('k1', PROGRAM), compiled('k2', PROGRAM.replace('1.25', '1.26')));
    expect(found).toMatchObject({ same_text: true, same_data: false, functions: null });
    const moved = await comparison(join(root, 'k1'), compiled('k3', ADDED + PROGRAM.replace('1.25', '1.26')));
    expect(moved.differing.map(({ name }) => name)).toEqual(['added', 'scale']);
  });

  test('built twice in different directories, it is the same', async () => {
    const found = await comparison(compiled('here/x', PROGRAM), compiled('a/longer/place/x', PROGRAM));
    expect(found).toMatchObject({ same_file: false, same_text: true, same_data: true, functions: null, differing: [] });
  });

  test('linked in another order, everything moves and nothing differs', async () => {
    const parts = ['int f(int x) { return x * 3; }', 'int g(int x) { return x / 7; }', PROGRAM];
    const files = parts.map((text, at) => file(`order/${at}.c`, text));
    const linked = (name: string, order: readonly string[]) => {
      execFileSync('gcc', ['-O2', '-o', join(root, name), ...order]);
      return join(root, name);
    };
    const found = await comparison(linked('order/a', files), linked('order/b', files.toReversed()));
    expect(found).toMatchObject({ same_text: false, functions: { differ: 0, only_in_arm: 0, only_in_reference: 0 } });
  });

  test('a named function, in both disassemblies', async () => {
    const after = compiled('n2', PROGRAM.replace('return 99', 'puts("one"); return 98'));
    const asked = { functions: ['choose', 'tw*', 'missing'] };
    const { outcome, warnings } = await compare(compiled('n1', PROGRAM), after, asked);
    expect(outcome?.comparisons[0]?.named.map(({ name, same }) => [name, same])).toEqual([
      ['choose', false],
      ['twice', true],
    ]);
    const text = outcome?.files[0]?.text ?? '';
    expect(text).toMatch(/^choose\n\nbefore: \d+ bytes; .*\nafter: \d+ bytes; /);
    expect(text).toMatch(/ > +[0-9a-f]+ {2}call +<puts@plt>\n/);
    expect(text).toMatch(/ \| +[0-9a-f]+ {2}mov +\$0x62,%eax\n/);
    expect(text).not.toMatch(/\(%rip\)/);
    expect(warnings.map(({ code }) => code)).toEqual(['function-not-shown']);
    expect(warnings[0]?.message).toContain('there is no function missing');
  });

  test('a named function where the text is the same', async () => {
    const [before, after] = [compiled('q/1/x', PROGRAM), compiled('q/2/2/x', PROGRAM)];
    const found = await comparison(before, after, { functions: ['choose'] });
    expect(found).toMatchObject({ same_text: true, functions: null, named: [{ name: 'choose', same: true }] });
    expect(found.disassemblies).toHaveLength(1);
  });

  test('without symbols functions cannot be named', async () => {
    const stripped = (name: string, source: string) => {
      execFileSync('strip', [compiled(name, source)]);
      return join(root, name);
    };
    const found = await comparison(stripped('t1', PROGRAM), stripped('t2', ADDED + PROGRAM));
    expect(found).toMatchObject({ same_text: false, symbols: 'none', functions: null, differing: [] });
  });

  test('of a stripped library the exported functions are told apart', async () => {
    const library = (name: string, source: string) => {
      execFileSync('strip', [compiled(name, source, ['-shared', '-fPIC', '-fno-semantic-interposition'])]);
      return join(root, name);
    };
    const main = compiled('main', PROGRAM);
    const source = PROGRAM.replace(
      'static int calls;',
      'static int calls; static __attribute__((noinline)) int hidden(int x) { return x * 5 + calls; } int shown(int x) { return hidden(x) + hidden(x * 2); }',
    );
    const [before, after] = [library('l1.so', source), library('l2.so', ADDED + source.replace('1234', '4321'))];
    const found = await comparison([main, before], [main, after]);
    expect(found).toMatchObject({ file: 'library', symbols: 'exported', functions: { differ: 1, only_in_arm: 1 } });
    expect(found.differing.map(({ name }) => name)).toEqual(['added', 'choose']);
  });

  test('names made to harm do not reach reports, files or paths', async () => {
    const plain = `f_${'x'.repeat(600)}`;
    const evil = `\x1b[31mred/../../x\n\x07`.padEnd(plain.length, 'x');
    const hostile = (name: string, number: number) => {
      const source = `__attribute__((noinline)) int ${plain}(int x) { return x * ${number}; } int main(int c, char **v) { return ${plain}(c); }`;
      const bytes = readFileSync(compiled(name, source)).toString('latin1').replaceAll(plain, evil);
      return file(name, Buffer.from(bytes, 'latin1'));
    };
    const { outcome } = await compare(hostile('h1', 3), hostile('h2', 77));
    const found = outcome?.comparisons[0];
    expect(found?.functions).toMatchObject({ differ: 1, only_in_arm: 0, only_in_reference: 0 });
    expect(JSON.stringify(outcome)).not.toMatch(/\\u00[01]|\\x1b/);
    expect(outcome?.files[0]?.path).toMatch(/^arms\/before-vs-after\/executable-01-[A-Za-z0-9_-]{1,60}\.txt$/);
    expect(found?.differing[0]?.name).toMatch(/^\ufffd\[31mred\/\.\.\/\.\.\/x\ufffd\ufffdx{400,}…$/);
  });

  test('a huge function is compared, and its file cut', async () => {
    const body = (number: number) =>
      Array.from({ length: 8_000 }, (_, at) => `x[${at % 977}] += ${at === 7_900 ? number : at};`).join('\n');
    const source = (number: number) =>
      `volatile int x[1000]; void huge(void) {\n${body(number)}\n} int main(void) { huge(); return 0; }`;
    const { outcome } = await compare(
      compiled('huge1', source(1), ['-O0']),
      compiled('huge2', source(70_000), ['-O0']),
    );
    expect(outcome?.comparisons[0]?.differing.map(({ name }) => name)).toEqual(['huge']);
    expect(Buffer.byteLength(outcome?.files[0]?.text ?? '')).toBeLessThanOrEqual(1 << 20);
    expect(outcome?.files[0]?.text).toMatch(/\nCut here: the rest is left out\.\n$/);
  });

  test('what was found is in the cache, and is not taken from there for other files', async () => {
    const before = compiled('cached1', PROGRAM.replace('1234', '11'));
    const after = compiled('cached2', PROGRAM.replace('1234', '12'));
    const first = await compare(before, after);
    const hidden = join(root, 'bin');
    mkdirSync(hidden);
    // Tells its version like the real one and disassembles nothing.
    const version = execFileSync('objdump', ['--version']).toString().split('\n')[0] ?? '';
    writeFileSync(join(hidden, 'objdump'), `#!/bin/sh\n[ "$1" = --version ] && echo '${version}' || exit 1\n`);
    chmodSync(join(hidden, 'objdump'), 0o755);
    expect(first.progress).toEqual([
      'telling functions of cached1 of before apart',
      'telling functions of cached2 of after apart',
    ]);
    const again = await compare(before, after, { path: hidden });
    expect(again.outcome?.comparisons[0]?.functions).toEqual(first.outcome?.comparisons[0]?.functions);
    const other = await compare(before, compiled('cached3', PROGRAM.replace('1234', '13')), { path: hidden });
    expect(other.warnings[0]?.message).toContain('objdump could not disassemble');
  });

  test('the user stops it', async () => {
    const hidden = join(root, 'hanging');
    mkdirSync(hidden);
    writeFileSync(
      join(hidden, 'objdump'),
      '#!/bin/sh\n[ "$1" = --version ] && echo hanging 1 || exec /bin/sleep 600\n',
    );
    chmodSync(join(hidden, 'objdump'), 0o755);
    const [before, after] = [compiled('w1', PROGRAM), compiled('w2', ADDED + PROGRAM)];
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    expect((await compare(before, after, { path: hidden, signal: stop.signal })).outcome).toBeNull();
  });

  test('a damaged file is told, and nothing is thrown', async () => {
    const whole = readFileSync(compiled('d1', PROGRAM));
    for (let at = 0; at < 40; at++) {
      const damaged = Buffer.from(whole);
      // Bytes of the headers, of the symbols and of the code.
      for (let step = 0; step < 50; step++) damaged[(at * 2654435761 + step * 40503) % damaged.length] = at * 37 + step;
      const path = file(`damaged-${at}`, damaged);
      expect((await compare(join(root, 'd1'), path)).outcome).not.toBeNull();
    }
  });
});
