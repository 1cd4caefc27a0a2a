/** The two RocksDB packages of the demo, from the real registry. Only in the full suite: it needs a network. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareArms } from '../../src/arms/prepare.ts';
import type { PreparedArm } from '../../src/arms/prepared-arm.ts';
import type { Experiment } from '../../src/experiment/experiment.ts';
import { readExperiment } from '../../src/experiment/parse.ts';
import { expand, placeholderValues } from '../../src/experiment/placeholders.ts';

const DIRECTORY = fileURLToPath(new URL('../../examples/rocksdb-versions', import.meta.url));

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('the RocksDB example', () => {
  let root: string;
  let experiment: Experiment;
  let arms: readonly PreparedArm[];

  const prepare = (cache: string) =>
    prepareArms(experiment, DIRECTORY, {
      env: { ...process.env, ASSAY_CACHE: join(root, cache) },
      emit: () => undefined,
      seed: 1,
    });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-rocksdb-'));
    const read = readExperiment(await readFile(join(DIRECTORY, 'experiment.yaml'), 'utf8'));
    if (!read.ok) throw new Error(JSON.stringify(read.errors));
    experiment = read.experiment;
    arms = await prepare('cache');
  }, 300_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('installs with the same digests in a fresh cache', async () => {
    const again = await prepare('other');
    expect(again.map(({ provenance }) => provenance)).toEqual(arms.map(({ provenance }) => provenance));
  }, 300_000);

  it('keeps every record with both engines, at a small size', async () => {
    const versions: unknown[] = [];
    for (const [at, prepared] of arms.entries()) {
      const arm = experiment.arms[at];
      if (arm === undefined) throw new Error('more prepared arms than arms');
      const small = { ...arm, params: { records: 5000, reads: 1000 } };
      const dirs = { arm: prepared.dir, trial: await mkdtemp(join(root, 'trial-')), experiment: DIRECTORY };
      const values = placeholderValues(experiment, small, dirs);
      const [program = '', ...args] = prepared.command.map((word) => expand(word, values));
      const { stdout } = await promisify(execFile)(program, args);
      const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      expect(Object.values(result.checks)).toEqual(Array(4).fill(expect.objectContaining({ ok: true })));
      for (const name of ['build', 'write', 'read']) expect(result.metrics[name]).toBeGreaterThan(0);
      versions.push(result.facts.rocksdb);
    }
    expect(versions).toEqual(['5.3.0', '6.17.3']);
  });
});
