/** What is told of a study before it runs, while it runs, and of two engines one of which does not keep what it declared. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { studyEngines } from '../../src/engines.ts';
import type { RunEvent } from '../../src/events.ts';
import { enginesDocumentSchema } from '../../src/report/engines-schema.ts';
import type { PlannedStudy } from '../../src/storage/engines/planned.ts';
import { openRig, type Rig } from '../rig.ts';

const FAKE = join(import.meta.dirname, '..', 'fixtures', 'engine.mjs');
const TEXT = `title: Two fakes
engines:
  slow: {program: ${FAKE}, variant: slow}
  other: {program: ${FAKE}, variant: wavers, log: true}
sizes:
  cached: {keys: 1000, cache: 1MB, points: 100, ranges: 10, overwrites: 200}
repetitions: 2
device: false
`;

let rig: Rig;
beforeEach(() => {
  rig = openRig();
  rig.write('study.yaml', TEXT);
});
afterEach(() => rig.remove());

test('a plan says what would run, and leaves nothing behind', async () => {
  const cache = join(rig.directory, 'cache');
  const { code, stdout, stderr } = await rig.assay(['engines', 'study.yaml', '--dry-run'], { ASSAY_CACHE: cache });
  expect([code, stderr, rig.list('.')]).toEqual([0, '', ['study.yaml']]);
  const text = stdout.replace(/\s+/g, ' ');
  expect(text).toContain('2 engines, 1 size; in each size 2 blocks of one trial of each engine: 4 trials in all.');
  expect(stdout).toMatch(/^ {2}other +a program +wavers +yes/m);
  expect(text).toContain('1,000 (random) 113 KiB (16 + 100 each) 100 10 of 10 200 977 KiB no limit');
  expect(text).toContain('Trials have no device of their own');
  expect(text).toContain('; the seed was drawn for this account');
  expect(text).toContain('cached: not known before the first block');

  const limited = `${TEXT.replace('cached: {', 'bound: {memory_limit: 64MB, ').replace('device: false', 'device: {size: 900GB}')}seed: 5\n`;
  rig.write('limited.yaml', limited);
  const planned = async (...words: string[]): Promise<PlannedStudy> => {
    const plan = await rig.assay(['engines', 'limited.yaml', '--dry-run', '--json', ...words]);
    expect(plan.code).toBe(0);
    return JSON.parse(plan.stdout);
  };
  const { seed, seed_given, sizes, problems, study, left_out } = await planned();
  expect([seed, seed_given, sizes[0]?.size.memory_limit_bytes]).toEqual([5, true, 64e6]);
  // Who may make no device is told so; whoever may, that it does not fit.
  const isLeftOut = left_out.some(({ what }) => what === 'device');
  expect([study.device === null, problems.length]).toEqual(isLeftOut ? [true, 0] : [false, 1]);
  expect((await planned('--seed', '8')).seed).toBe(8);
  expect(rig.list('.')).toEqual(['limited.yaml', 'study.yaml']);
});

test('a driver that declares something else in a later block is found out; the report goes where -o says', async () => {
  const out = 'assay-runs/2026-01-31T12-00-00Z-two-engines';
  const events: RunEvent[] = [];
  const { findings } = await studyEngines({
    ...{ keep: false, keepGoing: false, small: false, seed: 7, out: join(rig.directory, out) },
    ...{ env: { ...process.env, ...rig.environment }, emit: (event) => events.push(event) },
    ...{ stop: new AbortController().signal, source: { name: 'study.yaml', directory: rig.directory, text: TEXT } },
  });
  // Two of them are blocks, as the report has it.
  expect([...new Set(events.flatMap((event) => ('unit' in event ? [event.unit] : [])))]).toEqual(['block']);
  expect(findings?.caveats[0]).toEqual({
    ...{ code: 'changing', size: 'cached', engines: ['other'], fact: 'sync', trials: 2 },
    values: [
      { value: 'commit', trials: 1, block: 1 },
      { value: 'never', trials: 1, block: 2 },
    ],
  });
  expect(findings?.caveats).toContainEqual({
    ...{ code: 'not-durable', engines: ['other'] },
    sync: 'commit (cached in 1 of 2 trials); never (cached in 1 of 2 trials)',
  });

  for (const [option, format, start] of [
    ['-o', 'html', /^<!doctype html>/i],
    ['--output', 'markdown', /^# Two fakes\n/],
    ['--out', 'csv', /^size,figure,/],
  ] as const) {
    const written = await rig.assay(['engines', out, '--format', format, option, 'report']);
    expect([written.code, written.stdout, written.stderr]).toEqual([0, '', '']);
    expect(rig.read('report')).toMatch(start);
  }
  const directory = await rig.assay(['engines', out, '--json', '-o', '.']);
  expect([directory.code, directory.stdout, directory.stderr]).toEqual([
    3,
    '',
    expect.stringContaining('it is a directory'),
  ]);

  // The same order as that of the run, and as much time.
  const plan = await rig.assay([
    'engines',
    'study.yaml',
    '--dry-run',
    '--seed',
    '7',
    '--json',
    '--output',
    'plan.json',
  ]);
  expect([plan.code, plan.stdout]).toEqual([0, '']);
  const planned: PlannedStudy = JSON.parse(rig.read('plan.json'));
  const [size] = planned.sizes;
  expect(size?.blocks).toEqual(rig.journal(`${out}/cached`).run.plan.phases[0]?.blocks);
  expect([size?.as_in, size?.trials_left, planned.begun]).toEqual([out, 4, null]);
  expect(size?.block_seconds).toBeGreaterThan(0);
  const over = await rig.assay(['engines', 'study.yaml', '--dry-run', '--out', out]);
  expect(over.stdout).toContain('0 trials are left');
  expect(over.stdout).toContain('All has run');
  const others = await rig.assay(['engines', 'study.yaml', '--dry-run', '--out', out, '--small']);
  expect([others.code, others.stderr]).toEqual([2, expect.stringContaining('was begun without --small')]);

  // The report of the command is that of the file, once more.
  const again = await rig.assay(['engines', 'study.yaml', '--out', out, '--quiet', '--json', '--output', 'again.json']);
  expect([again.code, again.stdout]).toEqual([0, '']);
  expect(enginesDocumentSchema.parse(JSON.parse(rig.read('again.json'))).caveats[0]?.code).toBe('changing');
});
