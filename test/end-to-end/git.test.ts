/** Two revisions of a repository, built and compared by the built program. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { openRig, type Rig } from '../rig.ts';
import { type TinyRepository, tinyRepository } from '../tiny-repository.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
let rig: Rig;
let engine: TinyRepository;
let commits: readonly [string, string];

/** A program whose result line holds the number of the revision. */
const BUILD = `#!/bin/sh
sed "s/COST/$(cat cost)/" bench.in > bench && chmod +x bench && echo "built for $(cat cost)"
`;
const BENCH = `#!/bin/sh\necho '{"metrics": {"cost": COST}}'\n`;

beforeEach(() => {
  rig = openRig();
  engine = tinyRepository(join(rig.directory, 'engine'));
  const before = engine.commit('The first', { cost: '100', 'build.sh': BUILD, 'bench.in': BENCH });
  commits = [before, engine.commit('Does more', { cost: '103' })];
  rig.write('experiment.yaml', experiment('[./build.sh]'));
});
afterEach(() => rig.remove());

const experiment = (build: string) => `
title: two revisions
arms:
  before: {git: {repo: engine, rev: HEAD~1}, build: ${build}}
  after: {git: {repo: engine, rev: main}, build: ${build}}
  again: {of: before}
workload: {command: ["{arm.dir}/bench"]}
metrics: [{name: cost, unit: instructions}]
design: {confirmation: {pairs: 6}, seed: 1}
`;

const run = (cache: string, ...more: string[]) =>
  rig.assay(['run', 'experiment.yaml', '--out', ...more], { ASSAY_CACHE: cache });

test('a plan says which revisions and repositories are not there, and builds nothing', async () => {
  const cache = join(rig.directory, 'cache');
  const env = { ASSAY_CACHE: cache };
  expect(await rig.assay(['plan', 'experiment.yaml'], env)).toMatchObject({ code: 0, stderr: '' });
  rig.write('experiment.yaml', experiment('[./build.sh]').replace('HEAD~1', 'HEAD~7').replace('main', 'absent'));
  const planned = await rig.assay(['plan', 'experiment.yaml'], env);
  expect(planned.code).toBe(0);
  expect(planned.stdout).toContain('18 trials');
  expect(planned.stderr.split('\n').map((line) => line.replace(/ Check the spelling.* git -C .*/, ' ...'))).toEqual([
    'note: arm before: engine has no revision HEAD~7. ...',
    'note: arm after: engine has no revision absent. ...',
    '',
  ]);
  rig.write('experiment.yaml', experiment('[./build.sh]').replaceAll('repo: engine', 'repo: nowhere'));
  const { stderr } = await rig.assay(['plan', 'experiment.yaml', '--json'], env);
  expect(stderr).toMatch(/^note: arm before: there is no directory .*nowhere with a git repository\. [^\n]*\n$/);
  expect(existsSync(cache)).toBe(false);
});

test('revisions are compared, kept, and built once', async () => {
  const cache = rig.ownCache();
  engine.write({ cost: 'not committed' });
  expect((await rig.assay(['plan', 'experiment.yaml'], { ASSAY_CACHE: cache })).stderr).toBe(
    'note: 1 changed file in the work tree of engine is not in main, and not in what would be built. What is measured is the commit: commit the changes first if they belong to it.\n',
  );
  const { code, stderr, stdout } = await run(cache, 'run');
  expect(stderr).not.toMatch(/defect/);
  expect(code).toBe(1);
  const { comparisons }: Analysis = JSON.parse(rig.read('run/results.json'));
  expect(comparisons.map(({ arm, verdict }) => [arm, verdict])).toEqual([
    ['after', 'slower'],
    ['again', 'inconclusive'],
  ]);
  expect(stdout).toContain(`before (reference) is HEAD~1 (${commits[0].slice(0, 12)}) of engine`);
  expect(stdout).toContain('prepared again from the source of before');
  expect(stderr.match(/A build runs code of the repository/g)).toHaveLength(1);
  const dirty = '1 changed file in the work tree of engine is not in main, and not in what was built.';
  expect(stderr.replace(/\s+/g, ' ')).toContain(dirty);
  expect(stdout.replace(/\s+/g, ' ')).toContain(dirty.slice(0, -1));

  const { prepared } = rig.journal('run');
  expect(prepared?.arms.map(({ provenance }) => provenance['commit'])).toEqual([commits[0], commits[1], commits[0]]);
  expect(prepared?.arms[1]?.provenance).toMatchObject({
    subject: 'Does more',
    parent: commits[0],
    work_tree: '1 changed file is not in this revision',
  });
  expect(prepared?.arms[0]?.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['{arm.dir}/bench', '{arm.dir}']),
  );
  expect(rig.read('run/arms/after/build.log')).toBe('$ ./build.sh\nbuilt for 103\n');
  expect(readdirSync(join(cache, 'git'))).toHaveLength(3);

  const second = await run(cache, 'run-2');
  expect(second.code).toBe(1);
  expect(second.stderr).not.toMatch(/building|A build runs/);
  const { stdout: listed } = await rig.assay(['cache', 'list'], { ASSAY_CACHE: cache });
  expect(listed.match(/ git {2}engine-/g)).toHaveLength(3);
});

test.runIf(FULL)('a run that goes on takes the commit that it began with, although the branch has moved', async () => {
  const cache = rig.ownCache();
  const slow = experiment('[./build.sh]').replace('"{arm.dir}/bench"', 'sh, -c, "sleep 0.2; {arm.dir}/bench"');
  rig.write('experiment.yaml', slow);
  const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run'], { ASSAY_CACHE: cache });
  while (!existsSync(join(rig.directory, 'run', 'raw'))) await sleep(20);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  const moved = engine.commit('Later', { cost: '200' });
  const resumed = await rig.assay(['run', '--resume', 'run'], { ASSAY_CACHE: cache });
  expect(resumed.code).toBe(1);
  const said = resumed.stderr.replace(/\s+/g, ' ');
  expect(said).toContain(
    `main of engine is ${moved.slice(0, 12)} now: the run goes on with ${commits[1].slice(0, 12)}`,
  );
  expect(said).toContain(`HEAD~1 of engine is ${commits[1].slice(0, 12)} now`);
  expect(said).not.toMatch(/building|A build runs/);
  const { trials, end } = rig.journal('run');
  expect(end?.reason.kind).toBe('complete');
  expect(new Set(trials.map(({ metrics }) => metrics['cost']))).toEqual(new Set([100, 103]));
});

test('a revision that is misspelt fails before anything is built', async () => {
  const cache = rig.ownCache();
  rig.write('experiment.yaml', experiment('[./build.sh]').replace('rev: main', 'rev: mian'));
  const { code, stderr } = await run(cache, 'run');
  expect(code).toBe(3);
  expect(stderr).toContain('arm after: engine has no revision mian');
  expect(stderr).not.toMatch(/building|A build runs/);
});

test('a build that fails says why, and leaves no run', async () => {
  const cache = rig.ownCache();
  rig.write('experiment.yaml', experiment('["echo x.h:1:1: fatal error: zstd.h: No such file or directory; exit 2"]'));
  const { code, stderr } = await run(cache, 'run');
  expect(code).toBe(3);
  expect(stderr).toMatch(/^assay: arm before: the build failed: echo .* exited with 2$/m);
  expect(stderr).toMatch(/^ {4}x\.h:1:1: fatal error: zstd\.h: No such file or directory$/m);
  const log = /The whole log: (\S+)$/m.exec(stderr)?.[1] ?? '';
  expect(readFileSync(log, 'utf8')).toContain('zstd.h');
  expect(existsSync(join(rig.directory, 'run'))).toBe(false);
});
