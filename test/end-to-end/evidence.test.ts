/** What a run keeps of its arms, from the build to the bundle, by the built program. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRig, type Rig } from '../rig.ts';
import { tinyRepository } from '../tiny-repository.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

function unpacked(rig: Rig, archive: string): string {
  const folder = `${archive}.unpacked`;
  mkdirSync(join(rig.directory, folder));
  execFileSync('tar', ['xzf', join(rig.directory, archive), '-C', join(rig.directory, folder)]);
  return folder;
}

describe('revisions', () => {
  const BUILD = `#!/bin/sh\nsed "s/COST/$(cat cost)/" bench.in > bench && chmod +x bench && echo "built for $(cat cost)"\n`;
  const EXPERIMENT = `
title: evidence
arms:
  before: {git: {repo: engine, rev: HEAD~1}, build: &build [./build.sh]}
  after: {git: {repo: engine, rev: main}, build: *build}
  rebuilt: {of: after}
  part: {of: after, patch: part.patch}
  stranger: {git: {repo: elsewhere, rev: main}, build: *build}
workload: {command: ["{arm.dir}/bench"]}
metrics: [{name: cost, unit: instructions}]
design: {confirmation: {pairs: 2, arms: [before, after]}, seed: 1}
comparisons:
  parts: {arms: [after, rebuilt, part, stranger], blocks: 4, against: {part: rebuilt}}
`;
  let rig: Rig;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    rig = openRig();
    env = { ASSAY_CACHE: rig.ownCache() };
    const files = {
      cost: '100\n',
      'build.sh': BUILD,
      'bench.in': `#!/bin/sh\nsleep 0.1; echo '{"metrics": {"cost": COST}}'\n`,
    };
    tinyRepository(join(rig.directory, 'elsewhere')).commit('The first', files);
    const engine = tinyRepository(join(rig.directory, 'engine'));
    engine.commit('The first', files);
    engine.commit('Does more', { cost: '103\n' });
    rig.write('part.patch', '--- a/cost\n+++ b/cost\n@@ -1 +1 @@\n-103\n+101\n');
    rig.write('experiment.yaml', EXPERIMENT);
    // Stopped and resumed: what was kept before the first trial stays.
    const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run'], env);
    while (child.exitCode === null && !existsSync(join(rig.directory, 'run', 'raw'))) await sleep(20);
    const kept = rig.read('run/arms/after/from-before.diff');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect((await rig.assay(['run', '--resume', 'run'], env)).code).toBe(1);
    expect(rig.read('run/arms/after/from-before.diff')).toBe(kept);
    expect(rig.journal('run').end?.reason.kind).toBe('complete');
  });
  afterAll(() => rig.remove());

  test('what differs between their sources is kept, patches included, and why something is not', () => {
    const { prepared } = rig.journal('run');
    expect(prepared?.diffs).toMatchObject([
      { kind: 'diff', arm: 'after', reference: 'before', files: 1, lines_added: 1, lines_removed: 1 },
      { kind: 'same', arm: 'rebuilt', reference: 'after' },
      { kind: 'diff', arm: 'part', reference: 'rebuilt' },
      { kind: 'none', arm: 'stranger', reference: 'after', why: 'after and stranger come from two repositories' },
    ]);
    expect(rig.read('run/arms/after/from-before.diff')).toMatch(
      /\n--- a\/cost\n\+\+\+ b\/cost\n@@ -1 \+1 @@\n-100\n\+103\n$/,
    );
    const part = rig.read('run/arms/part/from-rebuilt.diff');
    expect(part.endsWith(rig.read('part.patch'))).toBe(true);
    const report = rig.read('run/report.md');
    expect(report).toContain(
      '| `arms/after/from-before.diff` | what differs between the sources of `before` and `after`: 1 file, 1 line added, 1 line removed |',
    );
    expect(report).toContain('The sources of `after` and `rebuilt` are the same before their builds.');
    expect(report).toContain('is not among them: after and stranger come from two repositories.');
  });

  test('the bundle has it, verifies, and says what is not there', async () => {
    const bundled = await rig.assay(['bundle', 'run'], env);
    expect(bundled.stderr).toMatch(/not in it: a diff of the sources of after and stranger: .* two repositories/);
    expect(bundled.code).toBe(0);
    const folder = unpacked(rig, 'run.tar.gz');
    for (const path of ['after/from-before.diff', 'part/from-rebuilt.diff', 'part/applied.patch', 'after/build.log']) {
      expect(rig.read(`${folder}/arms/${path}`)).toBe(rig.read(`run/arms/${path}`));
    }
    const readme = rig.read(`${folder}/README.md`);
    expect(readme).toContain('`arms/ARM/from-OTHER.diff`');
    expect(readme).toMatch(/- a diff of the sources of after and rebuilt: they are the same before their builds\./);
    expect(readme).toMatch(/- after: \\\{arm\.dir\\\}\/bench, \d+ bytes, SHA-256 [0-9a-f]{64}\n/);
    expect((await rig.assay(['verify', folder])).code).toBe(0);
    appendFileSync(join(rig.directory, folder, 'arms/after/from-before.diff'), ' ');
    expect((await rig.assay(['verify', folder])).code).toBe(1);
  });

  test.runIf(FULL)('with its programs, which must be what was executed', async () => {
    const bundled = await rig.assay(['bundle', 'run', '--with-binaries', '-o', 'whole.tar.gz'], env);
    expect(bundled.stderr).not.toMatch(/binaries/);
    expect(bundled.code).toBe(0);
    const folder = unpacked(rig, 'whole.tar.gz');
    expect(rig.read(`${folder}/binaries/after/bench`)).toContain('"cost": 103');
    const { stdout } = await rig.assay(['verify', 'whole.tar.gz']);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/\d+ binaries with the digests of what was executed/);

    const places = JSON.parse(rig.read('run/identity.json')).places;
    const bench: string = places.find(({ arm }: { arm: string }) => arm === 'part').paths[0];
    expect(realpathSync(bench)).toContain(join(rig.directory, 'cache'));
    appendFileSync(bench, '# changed\n');
    const changed = await rig.assay(['bundle', 'run', '--with-binaries', '-o', 'changed.tar.gz'], env);
    expect(changed.stderr).toMatch(/^assay: \{arm\.dir\}\/bench of part has changed since it was executed/m);
    expect(changed.code).toBe(3);
    rmSync(bench);
    const gone = await rig.assay(['bundle', 'run', '--with-binaries', '-o', 'changed.tar.gz'], env);
    expect(gone.stderr).toMatch(/^assay: \{arm\.dir\}\/bench of part is not there any more/m);
    expect(existsSync(join(rig.directory, 'changed.tar.gz'))).toBe(false);
    expect((await rig.assay(['bundle', 'run', '-o', 'without.tar.gz'], env)).code).toBe(0);
  });
});

describe.runIf(FULL)('libraries', () => {
  let rig: Rig;
  beforeAll(() => {
    rig = openRig();
  });
  afterAll(() => rig.remove());

  test('the object files of static libraries are compared, as far as commands name them', async () => {
    const engine = tinyRepository(join(rig.directory, 'engine'));
    const makefile = `CXXFLAGS = -O2 -g
bench: bench.cc libengine.a
\tg++ $(CXXFLAGS) -o bench bench.cc libengine.a
libengine.a: put.o get_and_a_long_name.o
\tar rcs $@ $^
`;
    engine.commit('One', {
      Makefile: makefile,
      'put.cc': 'int put(int x) { return x + 1; }\n',
      'get_and_a_long_name.cc': 'int get(int x) { return x * 3; }\n',
      'bench.cc': `#include <cstdio>\nint put(int); int get(int);\nint main() { std::printf("{\\"metrics\\": {\\"cost\\": %d}}\\n", put(1) + get(2)); }\n`,
    });
    engine.commit('Comments only', { 'put.cc': '// A comment\n\nint put(int x) { return x + 1; }\n' });
    engine.commit('Does more', { 'get_and_a_long_name.cc': 'int get(int x) { return x * 3 + (x >> 7); }\n' });
    rig.write(
      'experiment.yaml',
      `
title: object files
arms:
  first: {git: {repo: engine, rev: HEAD~2}, build: &build [make bench]}
  comment: {git: {repo: engine, rev: HEAD~1}, build: *build}
  more: {git: {repo: engine, rev: HEAD}, build: *build}
workload: {command: ["{arm.dir}/bench", "{arm.dir}/libengine.a"]}
metrics: [{name: cost, unit: instructions}]
design: {confirmation: {pairs: 4}, seed: 1}
attribution: true
`,
    );
    const { stdout, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
    expect(stderr).not.toMatch(/defect/);
    expect(rig.journal('run').prepared?.objects).toMatchObject([
      { arm: 'comment', reference: 'first', same: 2, differ: 0, unequal: [], as_bytes: 0 },
      { arm: 'more', same: 1, differ: 1, unequal: [{ name: 'get_and_a_long_name.o', where: 'both' }] },
    ]);
    expect(stdout).toContain('comment and first: all object files have the same machine code (2 of each library).');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'more and first: 1 of 2 object files of the libraries differ in machine code: get_and_a_long_name.o.',
    );
    expect((await rig.assay(['bundle', 'run', '--with-binaries'])).code).toBe(0);
    expect(
      readFileSync(join(rig.directory, unpacked(rig, 'run.tar.gz'), 'binaries/more/libengine.a'), 'latin1'),
    ).toMatch(/^!<arch>\n/);
  }, 300_000);
});
