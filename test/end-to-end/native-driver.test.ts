/** Assay's own RocksDB driver, compiled for each arm against Debian's library, through the built program. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRig, type Rig } from '../rig.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/rocksdb/', import.meta.url));

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

test.runIf(process.env['ASSAY_TEST_FULL'] === '1').each([
  ['protection-bytes.yaml', 'keys: 200000', 'keys: 20000'],
  ['resume.yaml', 'recoveries: 60', 'recoveries: 5'],
])(
  'two settings of one parameter: compiled once, measured, verified, and the assertions of the library named: %s',
  async (example, size, smaller) => {
    rig.write(
      'experiment.yaml',
      readFileSync(join(EXAMPLES, example), 'utf8').replace(size, smaller).replace('pairs: 8', 'pairs: 2'),
    );
    const { code, stdout, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
    expect(stderr).not.toMatch(/defect/);
    expect([0, 1]).toContain(code);
    expect(stdout).toMatch(/BUILT WITH ASSERTIONS/);
    // Of the driver's own timed region, or why not.
    expect(stdout).toMatch(/Hardware counters(?: of the measured thread|: not available: )/);
    expect(rig.read('run/report.md')).toContain('ASSAY_COUNTERS=hardware');
    const { prepared, trials } = rig.journal('run');
    expect(trials.filter(({ failure }) => failure !== null)).toEqual([]);
    const timed = trials.filter(({ phase }) => phase !== 'counting');
    expect(timed.map(({ counters }) => counters?.scope)).toEqual(timed.map(() => 'region'));
    // A count repeats to the last instruction, and protection costs some.
    const counts = (arm: string) =>
      trials.flatMap((trial) => (trial.arm === arm && trial.counted !== null ? [trial.counted.instructions] : []));
    if (example === 'protection-bytes.yaml') {
      expect(counts('0')).toHaveLength(2);
      expect([new Set(counts('0')).size, new Set(counts('8')).size]).toEqual([1, 1]);
      expect(counts('8')[0]).toBeGreaterThan(counts('0')[0] ?? 0);
    }
    // Both settings run the same driver.
    expect(prepared?.attribution).toMatchObject([{ file: 'driver', same_file: true, functions: null }]);
    for (const { command, files, warnings } of prepared?.arms ?? []) {
      expect(command[0]).toBe('{arm.driver}');
      expect(files.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['{arm.driver}', expect.stringMatching(/librocksdb/), expect.stringMatching(/include/)]),
      );
      expect(warnings.map((warning) => warning.code)).toContain('built-with-assertions');
    }
    const resumed = await rig.assay(['run', '--resume', 'run']);
    expect(resumed.stdout).toBe(stdout);

    const bundled = await rig.assay(['bundle', 'run']);
    expect(bundled.code).toBe(0);
    const names = execFileSync('tar', ['tzf', join(rig.directory, 'run.tar.gz')], { encoding: 'utf8' }).split('\n');
    for (const { arm } of prepared?.arms ?? []) {
      expect(names).toContain(`drivers/${arm}/source/rocksdb/main.cc`);
      expect(names).toContain(`drivers/${arm}/include/rocksdb/db.h`);
    }
    expect((await rig.assay(['verify', 'run.tar.gz'])).code).toBe(0);
  },
  600_000,
);
