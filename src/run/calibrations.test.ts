import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { calibrationFound, rateFound } from '../../test/calibration-found.ts';
import { findCalibration, keepCalibration } from './calibrations.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-data-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const FOUND = calibrationFound();
const { machine_id, workload_id } = FOUND;
const find = (env: NodeJS.ProcessEnv = { ASSAY_DATA: directory }) => findCalibration(env, machine_id, workload_id);

test('what is kept is found again, by its machine and its workload', async () => {
  expect(find()).toEqual({ calibration: null, problem: null });
  const { path } = await keepCalibration({ ASSAY_DATA: directory }, FOUND);
  expect(readdirSync(join(directory, 'calibrations'))).toEqual([path.split('/').at(-1)]);
  expect(find()).toEqual({ calibration: FOUND, problem: null });
  const none = { calibration: null, problem: null };
  expect(findCalibration({ ASSAY_DATA: directory }, 'ab', workload_id)).toEqual(none);
  expect(findCalibration({ ASSAY_DATA: directory }, machine_id, 'ab')).toEqual(none);
});

test('the newest stands', async () => {
  const env = { ASSAY_DATA: directory };
  await keepCalibration(env, FOUND);
  await keepCalibration(env, { ...FOUND, unix_ms: FOUND.unix_ms - 1, runs: 3 });
  expect(find().calibration?.runs).toBe(40);
  await keepCalibration(env, { ...FOUND, unix_ms: FOUND.unix_ms + 1, runs: 50 });
  expect(find().calibration?.runs).toBe(50);
});

describe('a known cost that was measured before', () => {
  const env = () => ({ ASSAY_DATA: directory });
  const known = {
    ...{ arm: 'after', unix_ms: FOUND.unix_ms + 5, cost: 0.01, change: 0.0096, sd: 0.013 },
    ...{ found: rateFound(38, 40), covered: rateFound(39, 40), predicted: 0.912 },
  };
  const FIRST = calibrationFound({}, { known });
  const AGAIN = { ...FOUND, unix_ms: FOUND.unix_ms + 9000, runs: 50 };
  const knownOnRecord = () => find().calibration?.metrics[0]?.known ?? null;

  test('stays beside newer A/A runs, with its own date', async () => {
    expect(await keepCalibration(env(), FIRST)).toMatchObject({ earlier_known: null });
    const { earlier_known } = await keepCalibration(env(), AGAIN);
    expect(earlier_known).toEqual({ unix_ms: known.unix_ms, kept: true });
    expect(find().calibration).toMatchObject({ runs: 50, unix_ms: AGAIN.unix_ms });
    expect(knownOnRecord()).toEqual(known);
  });

  test('is added to newer A/A runs that are on record', async () => {
    await keepCalibration(env(), AGAIN);
    const late = { ...known, unix_ms: AGAIN.unix_ms + 1 };
    expect(await keepCalibration(env(), calibrationFound({}, { known: late }))).toMatchObject({ earlier_known: null });
    expect(find().calibration).toMatchObject({ runs: 50 });
    expect(knownOnRecord()).toEqual(late);
  });

  test('gives way to one that was measured later', async () => {
    await keepCalibration(env(), FIRST);
    const later = { ...known, unix_ms: known.unix_ms + 1, arm: 'other' };
    expect(await keepCalibration(env(), calibrationFound({}, { known: later }))).toMatchObject({ earlier_known: null });
    expect(knownOnRecord()?.arm).toBe('other');
  });

  test.each([{ assay: '0.2.0' }, { pairs: 8 }, { level: 0.99 }, { sequential: true }])(
    'is gone, which is said, after %j',
    async (change) => {
      await keepCalibration(env(), FIRST);
      const { earlier_known } = await keepCalibration(env(), { ...AGAIN, ...change });
      expect(earlier_known).toEqual({ unix_ms: known.unix_ms, kept: false });
      expect(find().calibration).toEqual({ ...AGAIN, ...change });
    },
  );
});

test('where it is kept', async () => {
  const { path: xdg } = await keepCalibration({ XDG_DATA_HOME: directory }, FOUND);
  expect(xdg.startsWith(join(directory, 'assay', 'calibrations'))).toBe(true);
  const { path: home } = await keepCalibration({ HOME: directory, XDG_DATA_HOME: 'relative' }, FOUND);
  expect(home.startsWith(join(directory, '.local', 'share', 'assay', 'calibrations'))).toBe(true);
});

test('ids that are no names lead nowhere else', async () => {
  const { path } = await keepCalibration(
    { ASSAY_DATA: directory },
    { ...FOUND, machine_id: '../../x', workload_id: '/etc' },
  );
  expect(path).toBe(join(directory, 'calibrations', '______x-_etc.json'));
});

describe('what lies there may be anything', () => {
  const file = () => join(directory, 'calibrations', `${machine_id}-${workload_id}.json`);
  const put = (text: string) => {
    mkdirSync(join(directory, 'calibrations'), { recursive: true });
    writeFileSync(file(), text);
  };
  const changed = (changes: object) => JSON.stringify({ ...FOUND, ...changes });
  const [metric] = FOUND.metrics;
  const unreadable = (problem: RegExp) => ({
    ...{ code: 'calibration-unreadable', metric: null },
    ...{ message: expect.stringMatching(problem), remedy: expect.stringMatching(/^Calibrate anew/) },
  });

  test.each([
    ['no JSON', '{', /no calibration that this Assay can read/],
    ['something else', '[]', /no calibration/],
    ['no number', changed({ pair_seconds: null }), /no calibration/],
    [
      'a rate above one',
      changed({ metrics: [{ ...metric, excluded_zero: { count: 2, of: 1, interval: [0, 1] } }] }),
      /no calib/,
    ],
    ['a spread that is no ratio', changed({ metrics: [{ ...metric, sd: 1e300 }] }), /no calibration/],
    ['too many metrics', changed({ metrics: Array(201).fill(metric) }), /no calibration/],
    ['another machine', changed({ machine_id: 'ab' }), /of another machine or workload/],
    ['too much', ' '.repeat(2 ** 20 + 1), /is larger than 1 MiB/],
  ])('%s', (_, text, problem) => {
    put(text);
    expect(find()).toEqual({ calibration: null, problem: unreadable(problem) });
  });

  test('a pipe, which keeps nobody waiting', () => {
    mkdirSync(join(directory, 'calibrations'));
    execFileSync('mkfifo', [file()]);
    expect(find()).toEqual({ calibration: null, problem: unreadable(/is a pipe\.$/) });
  });

  test('damage is replaced by what is kept next', async () => {
    put('{');
    await keepCalibration({ ASSAY_DATA: directory }, FOUND);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(FOUND);
  });

  test('a place that cannot be written is a failure with its name', async () => {
    writeFileSync(join(directory, 'file'), '');
    const failure = { kind: 'file', code: 'ENOTDIR' };
    await expect(keepCalibration({ ASSAY_DATA: join(directory, 'file', 'x') }, FOUND)).rejects.toMatchObject({
      failure,
    });
  });
});
