/**
 * The examples for RocksDB: they are read as they stand, and run in the full suite with Debian's library, the one about
 * revisions with a repository whose build takes that library for its own.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { readExperiment } from '../../src/experiment/parse.ts';
import { openRig, type Rig } from '../rig.ts';
import { tinyRepository } from '../tiny-repository.ts';

const DIRECTORY = fileURLToPath(new URL('../../examples/rocksdb/', import.meta.url));
const example = (name: string) => readFileSync(join(DIRECTORY, name), 'utf8');
const RUN_MS = 600_000;

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

it.each(readdirSync(DIRECTORY))('%s is read without an error', (name) => {
  const read = readExperiment(example(name));
  expect(read.ok ? [] : read.errors).toEqual([]);
});

describe('the template for revisions', () => {
  it('is what init writes, but for the line that editors read', async () => {
    const { code } = await rig.assay(['init', 'mine.yaml', '--template', 'rocksdb-revisions']);
    expect(code).toBe(0);
    const [first = '', ...rest] = rig.read('mine.yaml').split('\n');
    const schema = /^# yaml-language-server: \$schema=(\/.*)$/.exec(first)?.[1] ?? '';
    expect(JSON.parse(readFileSync(schema, 'utf8'))).toHaveProperty('title', 'Assay experiment');
    expect(rest).toEqual(example('revisions.yaml').split('\n').slice(1));
    const planned = await rig.assay(['plan', 'mine.yaml']);
    expect(planned.code).toBe(0);
    // Of the clone that it is to name.
    expect(planned.stderr).toMatch(/^note: arm base: there is no directory .*rocksdb with a git repository\. .*\n$/);
    expect(planned.stdout).toContain('34 trials');
  });

  it('has three marked places', () => {
    const places = [...example('revisions.yaml').matchAll(/^ *# \((\d)\) /gm)].map(([, number]) => number);
    expect(places).toEqual(['1', '2', '3']);
  });

  it('that is not known is a mistake', async () => {
    const { code, stderr } = await rig.assay(['init', 'mine.yaml', '--template', 'leveldb']);
    expect(code).toBe(2);
    expect(stderr).toContain('rocksdb-revisions');
  });
});

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('with the installed library', () => {
  const small = (text: string) => text.replace(/writes: \d+/, 'writes: 20000').replace(/pairs: \d+/, 'pairs: 4');

  const run = async (text: string) => {
    rig.write('experiment.yaml', text);
    const ended = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
    expect(ended.stderr).not.toMatch(/^assay: /m);
    expect([0, 1]).toContain(ended.code);
    const { comparisons }: Analysis = JSON.parse(rig.read('run/results.json'));
    expect(comparisons.map(({ metric }) => metric)).toEqual(['write', 'wall', 'max_rss']);
    return { ...ended, journal: rig.journal('run') };
  };

  it(
    'the control runs',
    async () => {
      const { journal } = await run(small(example('same.yaml')));
      for (const { checks } of journal.trials) expect(checks.length).toBeGreaterThan(5);
      expect(new Set(journal.trials.map(({ metrics }) => (metrics['write'] ?? 0) > 0))).toEqual(new Set([true]));
    },
    RUN_MS,
  );

  it(
    'a branch is compared with its merge base, by the commands of the template',
    async () => {
      const engine = tinyRepository(join(rig.directory, 'rocksdb'));
      const makefile = `static_lib:
\tmkdir include
\tcp -r /usr/include/rocksdb include
\tcp $$(c++ -print-file-name=librocksdb.a) .
\tcc -O2 -c extra.c
\tar q librocksdb.a extra.o
\techo PLATFORM=example >make_config.mk
`;
      const extra = (number: number) => `int assay_extra(int x) { return x + ${number}; }\n`;
      const base = engine.commit('base', { Makefile: makefile, 'extra.c': extra(1) });
      engine.git('checkout', '--quiet', '-b', 'my-branch');
      const mine = engine.commit('mine', { 'extra.c': extra(2) });
      engine.git('checkout', '--quiet', 'main');
      engine.commit('meanwhile', { other: '' });
      engine.git('checkout', '--quiet', 'my-branch');
      engine.write({ 'extra.c': extra(3) });

      await rig.assay(['init', 'template.yaml', '--template', 'rocksdb-revisions']);
      const text = small(rig.read('template.yaml')).replace('repo: &repo ../rocksdb', 'repo: &repo rocksdb');
      const { journal, stdout } = await run(text);
      const [before, after] = journal.prepared?.arms ?? [];
      expect(before?.provenance).toMatchObject({ rev: 'the merge base of main and my-branch', commit: base });
      expect(after?.provenance).toMatchObject({ rev: 'my-branch', commit: mine, parent: base });
      const said = stdout.replace(/\s+/g, ' ');
      expect(said).toContain(
        `base (reference) is the merge base of main and my-branch (${base.slice(0, 12)}) of rocksdb`,
      );
      expect(said).toContain('1 changed file in the work tree of rocksdb is not in my-branch');
      expect(said).toContain('BUILT WITH ASSERTIONS');
      expect(rig.read('run/arms/mine/build.log')).toContain('static_lib DEBUG_LEVEL=0');

      expect(rig.read('run/arms/mine/from-base.diff')).toContain('\n+int assay_extra(int x) { return x + 2; }\n');
      expect(said).toMatch(
        /mine and base: 1 of \d{3} object files of the libraries differ in machine code: extra\.o\./,
      );
      const record = JSON.parse(rig.read('run/arms/mine/library.json'));
      expect(record).toMatchObject({
        ...{ arm: 'mine', library: '{arm.dir}/librocksdb.a', linkage: 'static', objects_left_out: 0 },
        version_in_headers: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        metadata: [{ named: 'make_config.mk', path: 'arms/mine/metadata/1-make_config.mk', bytes: 17 }],
      });
      expect(record.compilers).toContainEqual({ compiler: expect.stringMatching(/^GCC: /), files: 1 });
      expect(record.objects.at(-1)).toMatchObject({ name: 'extra.o', code_sha256: expect.stringMatching(/^\w{64}$/) });
      expect(rig.read('run/report.md')).toMatch(/`arms\/…\/library\.json` \| .*; 2 files of metadata of its build/);
      const bundled = await rig.assay(['bundle', 'run', '--with-binaries']);
      expect(bundled.stderr).not.toMatch(/not in it/);
      expect(bundled.code).toBe(0);
      const names = execFileSync('tar', ['tzf', join(rig.directory, 'run.tar.gz')], { encoding: 'utf8' }).split('\n');
      expect(names).toEqual(expect.arrayContaining(['arms/mine/library.json', 'arms/mine/metadata/1-make_config.mk']));
      // Nothing of the change is linked in: both drivers are one file, which is there once.
      expect(names.filter((name) => name.startsWith('binaries/'))).toEqual([
        ...['binaries/base/driver', 'binaries/base/librocksdb.a', 'binaries/mine/librocksdb.a'],
      ]);
      expect((await rig.assay(['verify', 'run.tar.gz'])).code).toBe(0);
    },
    RUN_MS,
  );
});
