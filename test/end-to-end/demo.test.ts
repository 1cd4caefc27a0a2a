/** The demo's experiment, at a small size, through the built program and the real packages. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRig, type Rig } from '../rig.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/rocksdb-versions/', import.meta.url));

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

test.runIf(process.env['ASSAY_TEST_FULL'] === '1')(
  'two versions of RocksDB: installed, measured, verified, judged; lock files are kept',
  async () => {
    rig.write('driver.mjs', readFileSync(`${EXAMPLE}driver.mjs`, 'utf8'));
    rig.write(
      'experiment.yaml',
      readFileSync(`${EXAMPLE}experiment.yaml`, 'utf8')
        .replace('records: 100000, reads: 30000', 'records: 5000, reads: 1000')
        .replace('pairs: 16', 'pairs: 4'),
    );
    const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run'], {
      // npm needs the user's settings of registry and proxy.
      ...process.env,
      HOME: rig.directory,
    });
    expect(stderr).not.toMatch(/defect/);
    expect([0, 1]).toContain(code);
    const { comparisons, checks } = JSON.parse(rig.read('run/results.json'));
    expect(comparisons.map((row: { metric: string }) => row.metric)).toEqual([
      'write',
      'build',
      'read',
      'wall',
      'cpu',
      'max_rss',
    ]);
    for (const { pairs, interval } of comparisons) {
      expect(pairs).toBe(4);
      expect(interval).toHaveLength(2);
    }
    expect(checks).toMatchObject({ trials: 10, failed: 0 });
    const { arms } = rig.journal('run').prepared ?? { arms: [] };
    expect(arms.map(({ provenance }) => provenance['package'])).toEqual(['rocksdb', 'rocksdb']);
    for (const { arm } of arms)
      expect(JSON.parse(rig.read(`run/arms/${arm}/package-lock.json`))).toHaveProperty('packages');
  },
  300_000,
);
