/** The driver whose cost is known: its checks can fail, it works in slices, and what is added to it can be counted. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findResultLine } from '../../src/trial/result-line.ts';
import { openRig } from '../rig.ts';
import { COMPILATION_MS, compile, DRIVERS, FLAGS, run } from './building.ts';

const SOURCE = join(DRIVERS, 'fixture', 'fixture.cc');

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('the fixture driver', () => {
  let directory = '';
  let driver = '';
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'assay-fixture-'));
    driver = join(directory, 'fixture');
    await compile([...FLAGS, SOURCE, '-o', driver]);
  }, COMPILATION_MS);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('does a trial, and refuses what it does not know', async () => {
    const { code, stdout } = await run(driver, ['--operations', '50', '--added-cost', '7', '--seed', '3']);
    expect(code).toBe(0);
    expect(findResultLine(stdout)).toMatchObject({
      ok: true,
      line: { metrics: { work_ns: expect.any(Number) }, operations: 50, checks: { places: { ok: true } } },
    });
    for (const args of [['--operations'], ['--words', '3'], ['--seed', '-1'], ['--verify', '2'], ['--speed', '1']]) {
      expect(await run(driver, args)).toMatchObject({ code: 2, stdout: '' });
    }
  });

  test('keeps to the protocol of slices', async () => {
    const rig = openRig();
    const ended = await rig.assay(['driver-check', '--', driver, '--added-cost', '3']);
    rig.remove();
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('it works in slices') });
  });

  test('finds a step that went wrong, in a trial and in slices', { timeout: COMPILATION_MS }, async () => {
    const broken = join(directory, 'broken');
    const text = readFileSync(SOURCE, 'utf8');
    const changed = text.replace('words[(state >> 32) & mask] += state;', 'words[(state >> 33) & mask] += state;');
    expect(changed).not.toBe(text);
    const place = (header: string) => `#include ${JSON.stringify(join(DRIVERS, header))}`;
    writeFileSync(
      `${broken}.cc`,
      changed.replaceAll(/#include "\.\.\/(.*)"/g, (_, header) => place(header)),
    );
    await compile([...FLAGS, `${broken}.cc`, '-o', broken]);
    const { code, stdout } = await run(broken, ['--operations', '5']);
    expect(code).toBe(1);
    expect(findResultLine(stdout)).toMatchObject({ line: { checks: { sum: { ok: true }, places: { ok: false } } } });
  });

  test('adds a cost that can be counted', { timeout: COMPILATION_MS }, async () => {
    const counted = async (cost: number): Promise<number> => {
      const out = join(directory, `callgrind-${cost}`);
      const args = ['--tool=callgrind', `--callgrind-out-file=${out}`, '--toggle-collect=assay_timed_fixture'];
      const { stderr } = await run('valgrind', [...args, driver, '--operations', '100', '--added-cost', String(cost)]);
      return Number(/Collected : (\d+)/.exec(stderr)?.[1]) / 100;
    };
    const [none, some] = [await counted(0), await counted(50)];
    // Each added one is one more of 1,000 steps, beside a few instructions of the operation itself.
    expect((1000 * (some - none)) / 50 / none).toBeGreaterThan(0.99);
    expect((1000 * (some - none)) / 50 / none).toBeLessThanOrEqual(1);
    process.stdout.write(
      `fixture: ${none} instructions an operation, ${(some - none) / 50} for each of --added-cost\n`,
    );
  });
});
