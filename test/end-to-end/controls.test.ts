/** Controls, comparisons beside the confirmation and several builds, through the built program. */
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrialRecord } from '../../src/journal/records.ts';
import { buildOfBlock } from '../../src/plan/builds.ts';
import { NATIVE } from '../compiler.ts';
import { expectComplete } from '../complete-run.ts';
import { openRig, type Rig } from '../rig.ts';
import { type TinyRepository, tinyRepository } from '../tiny-repository.ts';
import { packVerified } from '../verified-bundle.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const phase = (run: string, name: string): TrialRecord[] => rig.journal(run).trials.filter((one) => one.phase === name);

describe('commands', () => {
  /** Says what it was called with, and what it was told to count. Its cost is constant: of two pairs, chance would fail controls. */
  const BENCH = `#!/bin/sh
echo "$0|$*|$ASSAY_COUNTERS" >> '@DIR@/calls'
[ -e '@DIR@/slow' ] && sleep 0.1
echo '{"metrics": {"cost": 1000, "open": 5}, "facts": {"mode": "'$2'"}}'
`;
  const EXPERIMENT = `
title: controls
arms:
  before: {command: ["{experiment.dir}/bench", "{arm.name}", "{params.mode}"]}
  after: {command: ["{experiment.dir}/bench", "{arm.name}", "{params.mode}"]}
  third: {command: ["{experiment.dir}/bench", "{arm.name}", "{params.mode}"]}
  fourth: {command: ["{experiment.dir}/bench", "{arm.name}", "{params.mode}"]}
workload: {params: {mode: write}}
metrics: [{name: cost, unit: instructions}, {name: open, unit: files}, {name: clock, from: counters.task_clock}]
checks: [{equal: /facts/mode}]
counters: software
design: {confirmation: {pairs: 2, arms: [before, after]}, warmup: 1, seed: 3}
controls:
  again: {same: before, pairs: 2}
  uncounted: {counters: off, pairs: 2}
  reads: {params: {mode: read}, pairs: 2, metrics: [open]}
  other: {command: ["{experiment.dir}/other", x, "{params.mode}"], pairs: 2}
  opening: {metric: open}
comparisons:
  four: {arms: [before, after, third, fourth], blocks: 3, against: {fourth: third}, counters: off}
`;
  beforeEach(() => {
    for (const name of ['bench', 'other']) {
      chmodSync(rig.write(name, BENCH.replaceAll('@DIR@', rig.directory)), 0o755);
    }
    rig.write('experiment.yaml', EXPERIMENT);
  });

  test.runIf(NATIVE)(
    'each runs in its own trials, with its own counters, parameters, command and metrics',
    async () => {
      const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
      expect(stderr).toBe('');
      expect(code).toBeLessThan(3);
      expectComplete(rig.journal('run'));
      const { prepared, trials } = rig.journal('run');
      expect([...new Set(trials.map((trial) => trial.phase))]).toEqual([
        ...['warmup', 'confirmation', 'again', 'uncounted', 'reads', 'other', 'four'],
      ]);
      expect(trials.filter(({ failure }) => failure !== null)).toEqual([]);

      const [before] = prepared?.arms ?? [];
      expect(prepared?.arms.map(({ arm }) => arm)).toEqual(['before', 'after', 'third', 'fourth', 'before-again']);
      expect(prepared?.arms.at(-1)).toEqual({
        ...before,
        ...{ arm: 'before-again', provenance: { source: 'same as before' } },
      });
      expect(before?.commands).toEqual({
        reads: ['{experiment.dir}/bench', 'before', 'read'],
        other: ['{experiment.dir}/other', 'x', 'write'],
      });

      expect(new Set(phase('run', 'again').map(({ arm }) => arm))).toEqual(new Set(['before', 'before-again']));
      expect(phase('run', 'four').map(({ arm }) => arm)).toHaveLength(16);
      const read = (name: string) => Object.keys(phase('run', name)[0]?.metrics ?? {}).sort();
      expect(read('again')).toEqual(read('confirmation'));
      expect(read('confirmation')).toEqual(expect.arrayContaining(['clock', 'cost', 'open', 'page_faults']));
      expect(read('uncounted')).toEqual(['cost', 'open']);
      expect(read('four')).toEqual(['cost', 'open']);
      expect(read('reads')).toEqual(['open']);
      const counted = (name: string) => phase('run', name).map(({ counters }) => counters !== null);
      for (const name of ['confirmation', 'again', 'reads']) expect(counted(name)).not.toContain(false);
      for (const name of ['uncounted', 'four']) expect(counted(name)).not.toContain(true);

      // The two sides of an A/A cannot be told apart by what runs.
      const calls = rig
        .read('calls')
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(rig.directory.length + 1));
      expect(calls.slice(6, 10)).toEqual(Array(4).fill('bench|before write|'));
      expect(calls.slice(14, 18).sort()).toEqual(
        ['after', 'after', 'before', 'before'].map((arm) => `bench|${arm} read|`),
      );
      expect(calls.slice(18, 22)).toEqual(Array(4).fill('other|x write|'));
      expect(rig.journal('run').run.experiment.unchanged).toEqual([{ name: 'opening', metric: 'open' }]);

      expect(await packVerified(rig)).toContain('trials');
    },
  );

  test.runIf(FULL)('values of a check may differ between works that differ, and not within one', async () => {
    rig.write('bench', `${BENCH.replace('"\'$2\'"', '"\'$2-$1\'"').replaceAll('@DIR@', rig.directory)}`);
    const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    expect(code).toBe(3);
    const said = stdout.replace(/\s+/g, ' ');
    expect(said).toContain('the check /facts/mode wants the same value in all trials of reads');
    expect(said).not.toContain('in all trials of other');
  });

  test.runIf(FULL)('a failure in a control is one of the run', async () => {
    rig.write('other', '#!/bin/sh\nexit 3\n');
    const { code } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    expect(code).toBe(3);
    const { end, trials } = rig.journal('run');
    expect(end?.reason.kind).toBe('trial_failed');
    expect(trials.at(-1)).toMatchObject({ phase: 'other', failure: { kind: 'check' } });
  });

  test.runIf(FULL).each(['again-0001-2', 'reads-0002-1', 'four-0003-3'])(
    'killed in %s, it goes on there',
    async (folder) => {
      rig.write('slow', '');
      const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
      const started = () =>
        existsSync(join(rig.directory, 'run/raw')) && rig.list('run/raw').some((name) => name.startsWith(folder));
      while (!started()) {
        if (child.exitCode !== null) throw new Error((await ended).stderr);
        await sleep(5);
      }
      child.kill('SIGKILL');
      await ended;
      const { code, stderr } = await rig.assay(['run', '--resume', 'run', '--quiet']);
      expect(stderr).toBe('');
      expect(code).toBeLessThan(3);
      expectComplete(rig.journal('run'));
      expect(rig.journal('run').resumptions).toHaveLength(1);
      const [name] = folder.split('-');
      expect(rig.journal('run').interruptions.map((one) => one.phase)).toEqual(folder.endsWith('-1') ? [] : [name]);
    },
    60_000,
  );

  test.runIf(FULL)(
    'a rule rejects pairs of controls, which are repeated behind those of their own',
    async () => {
      const always = EXPERIMENT.replace(
        'counters: software\n',
        'counters: software\nreject: {rules: [{fact: other_cpu, above: 0}], max_repeats: 1}\n',
      )
        .replace(/^comparisons:[\s\S]*/m, '')
        .replace(/^ {2}(?:third|fourth):.*\n/gm, '');
      rig.write('experiment.yaml', always);
      rig.write('slow', '');
      const { stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
      const trials = phase('run', 'again');
      const rejected = trials.filter(({ noise }) => noise.other_cpu !== null && noise.other_cpu > 0);
      // Nothing is rejected where the machine is idle.
      expect(trials.filter(({ attempt }) => attempt === 2).length).toBe(
        2 * new Set(rejected.filter(({ attempt }) => attempt === 1).map(({ block }) => block)).size,
      );
      if (rejected.length > 0) expect(stderr).toMatch(/again pair \d: before(?:-again)? rejected/);
      expect(phase('run', 'warmup').every(({ attempt }) => attempt === 1)).toBe(true);
    },
    60_000,
  );
});

describe('revisions', () => {
  let engine: TinyRepository;
  const BUILD = `#!/bin/sh
sed "s/COST/$(cat cost)/; s|PLACE|$PWD|" bench.in > bench && chmod +x bench
`;
  const BENCH = `#!/bin/sh\necho '{"metrics": {"cost": COST}, "facts": {"place": "PLACE"}}'\n`;
  const EXPERIMENT = `
title: builds
arms:
  before: {git: {repo: engine, rev: HEAD~1}, build: [./build.sh]}
  after: {git: {repo: engine, rev: HEAD}, build: [./build.sh]}
  less: {of: after, patch: less.diff}
workload: {command: ["{arm.dir}/bench"]}
metrics: [{name: cost, unit: instructions}]
design: {confirmation: {pairs: 8, arms: [before, after]}, builds: 2, seed: 1}
controls: {layout: {rebuild: after, pairs: 2}}
comparisons: {parts: {arms: [before, after, less], blocks: 6, against: {less: after}}}
`;
  const PATCH = '--- a/cost\n+++ b/cost\n@@ -1 +1 @@\n-103\n\\ No newline at end of file\n+101\n';

  beforeEach(() => {
    engine = tinyRepository(join(rig.directory, 'engine'));
    engine.commit('The first', { cost: '100', 'build.sh': BUILD, 'bench.in': BENCH });
    engine.commit('Does more', { cost: '103' });
    rig.write('less.diff', PATCH);
    rig.write('experiment.yaml', EXPERIMENT);
  });

  test('arms are built again, with a patch, and several times; pairs go through the builds in turn', async () => {
    const env = { ASSAY_CACHE: rig.ownCache() };
    const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
    expect(stderr).toBe('');
    expect(code).toBeLessThan(3);
    expectComplete(rig.journal('run'));
    const { prepared, trials } = rig.journal('run');
    expect(prepared?.arms.map(({ arm, build }) => `${arm} ${build}`)).toEqual([
      ...['before 0', 'before 1', 'after 0', 'after 1', 'less 0', 'after-rebuilt 0'],
    ]);
    const provenance = prepared?.arms.map((arm) => arm.provenance) ?? [];
    expect(provenance.map((one) => one['build_number'])).toEqual([
      ...['1 of 2', '2 of 2', '1 of 2', '2 of 2', undefined, undefined],
    ]);
    expect(provenance.map((one) => one['link_order'] !== undefined)).toEqual([false, true, false, true, false, false]);
    expect(provenance.map((one) => one['commit'])).toEqual([
      ...[provenance[0], provenance[0], provenance[2], provenance[2], provenance[2], provenance[2]].map(
        (one) => one?.['commit'],
      ),
    ]);
    expect(provenance[4]?.['patch']).toBe('less.diff');
    const cost = (arm: string) =>
      new Set(trials.filter((one) => one.arm === arm).map(({ metrics }) => metrics['cost']));
    expect(['before', 'after', 'less', 'after-rebuilt'].map((arm) => [...cost(arm)])).toEqual([
      [100],
      [103],
      [101],
      [103],
    ]);

    const placeOf = ({ raw }: TrialRecord): string =>
      JSON.parse(rig.read(`run/${raw.find(({ path }) => path.endsWith('stdout'))?.path}`)).facts.place;
    const places = (name: string, arm: string) =>
      phase('run', name)
        .filter((one) => one.arm === arm)
        .map((one) => [one.block, placeOf(one)] as const);
    for (const arm of ['before', 'after']) {
      const ofBuild = [0, 1].map(
        (build) =>
          new Set(places('confirmation', arm).flatMap(([block, at]) => (buildOfBlock(block, 2) === build ? [at] : []))),
      );
      expect(ofBuild.map(({ size }) => size)).toEqual([1, 1]);
      const [first = '', second = ''] = ofBuild.map((one) => [...one][0]);
      expect(first).not.toBe(second);
      expect(first).toHaveLength(second.length);
      expect(new Set(places('parts', arm).map(([, at]) => at))).toEqual(new Set([first]));
    }
    expect(rig.list('run/arms/after')).toEqual(['build-2', 'build.log', 'from-before.diff']);
    expect(rig.list('run/arms/less')).toEqual(['applied.patch', 'build.log', 'from-after.diff']);
    // Which verifies what it has packed.
    const packed = await rig.assay(['bundle', 'run'], env);
    expect([packed.code, packed.stdout]).toEqual([0, expect.stringMatching(/; verified\n$/)]);
  }, 120_000);

  test.runIf(FULL)(
    'a rebuild has the same machine code, an ablation another; every two arms that are compared are told apart once',
    async () => {
      const source = (factor: number) =>
        `__attribute__((noinline)) int times(int x) { return x * ${factor}; }\nint main(int c, char **v) { return times(c) > 99; }\n`;
      engine.commit('In C', { 'bench.c': source(3) });
      engine.commit('Slower', { 'bench.c': source(5) });
      const lines = source(5).split('\n');
      rig.write(
        'less.diff',
        `--- a/bench.c\n+++ b/bench.c\n@@ -1,2 +1,2 @@\n-${lines[0]}\n+${lines[0]?.replace('* 5', '* 7')}\n ${lines[1]}\n`,
      );
      rig.write(
        'experiment.yaml',
        `${EXPERIMENT.replaceAll('[./build.sh]', '["cc -O2 -o bench bench.c"]')
          .replace('against: {less: after}', 'against: {less: after-again}')
          .replace(/metrics:.*/, 'metrics: [{name: wall}]')
          .replace('workload:', '  after-again: {of: after}\nworkload:')
          .replace('[before, after, less]', '[before, after, less, after-again]')}\nattribution: true\n`,
      );
      const env = { ASSAY_CACHE: rig.ownCache() };
      const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
      expect(stderr).toBe('');
      expect(code).toBeLessThan(3);
      const compared = rig.journal('run').prepared?.attribution.map((one) => {
        return `${one.reference} ${one.arm}: ${one.same_text ? 'same' : one.functions?.differ}`;
      });
      expect(compared).toEqual([
        'before after: 1',
        'after after-again: same',
        'after-again less: 1',
        'before after-again: 1',
      ]);
    },
    120_000,
  );
});
