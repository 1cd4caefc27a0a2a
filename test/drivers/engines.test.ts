/** The study of engines in C++: that each engine does the work, and that each check finds what is wrong with any. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPILATION_MS, compile, compileEach, FLAGS, run, runTrial } from './building.ts';
import { compileEngines, ENGINES, type EngineUnderTest, engineFiles, readEngine, STAND_IN } from './engine-building.ts';

/** Several memtables, so that trees have levels; every record is read and overwritten, some twice. */
const SMALL = [
  '--keys',
  '3000',
  '--value-bytes',
  '1500',
  '--points',
  '3000',
  '--ranges',
  '3000',
  '--overwrites',
  '4500',
];
/** For faults, of which the size does not matter. */
const TINY = ['--keys', '600', '--value-bytes', '300', '--points', '600', '--ranges', '600', '--overwrites', '700'];
/** SQLite keeps rows of this size in another kind of table than those. */
const SHORT = ['--keys', '3000', '--value-bytes', '100', '--points', '600', '--ranges', '600', '--overwrites', '700'];
/** The least that SplinterDB does with. */
const CACHE = ['--cache-bytes', '4000000'];
const STEPS = ['load', 'point', 'range', 'overwrite'];

/** Faults of drivers/engines/faults.h, and a check that finds each. */
const FAULTS: Record<string, string> = {
  lost_record: 'loaded',
  extra_record: 'loaded',
  wrong_key: 'read_back',
  wrong_value: 'read_back',
  lost_overwrite: 'overwritten',
  wrong_overwrite: 'overwritten',
  missing_get: 'point',
  stale_get: 'point',
  stale_overwrite: 'overwritten',
  short_range: 'range',
  wrong_range: 'range',
  wrong_range_key: 'range',
  lost_on_reopening: 'loaded',
  skipped_settle: 'settled',
};

/** Those that are told how many bytes of writes they may collect. */
const LSM = ['leveldb', 'rocksdb'];

/** Where settling only syncs, which nothing can see from outside: their check `settled` finds no fault. */
const ONLY_SYNCED = ['lmdb', 'splinterdb'];

test.each(engineFiles)('%s says what it is and how it is built', (file) => {
  const line = readEngine(file);
  expect(line.get('name')).toBe(file.replace('.cc', ''));
  for (const key of ['title', 'header', 'link', 'variants', 'log']) expect(line.get(key)).toMatch(/^[^\s=]+$/);
});

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('the study of engines', () => {
  let directory = '';
  let engines: readonly EngineUnderTest[] = [];
  let trials = 0;
  const names = engineFiles.map((file) => file.replace('.cc', ''));
  const study = (fault: string) => join(directory, `study-${fault}.o`);
  const program = (name: string, fault = 'none') => join(directory, `${name}-${fault}`);

  function trialOf(size: readonly string[], of: string, ...args: readonly string[]) {
    trials += 1;
    return runTrial(of, ['study', ...size, ...CACHE, ...args], join(directory, `trial-${trials}`));
  }

  const trial = (of: string, ...args: readonly string[]) => trialOf(SMALL, of, ...args);

  function engine(name: string): EngineUnderTest {
    const found = engines.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`there is no engine ${name}`);
    return found;
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'assay-engines-'));
    engines = await compileEngines(directory);
    const faulty = ['-std=c++17', '-DNDEBUG', '-Wall', '-Wextra', '-Werror'];
    await compileEach([
      [...FLAGS, '-c', join(ENGINES, 'study.cc'), '-o', study('none')],
      ...Object.keys(FAULTS).map((fault) => [
        ...faulty,
        `-DASSAY_FAULT=${fault}`,
        '-c',
        join(ENGINES, 'study.cc'),
        '-o',
        study(fault),
      ]),
    ]);
    await compileEach(
      ['none', ...Object.keys(FAULTS)].flatMap((fault) =>
        engines.map(({ name, object, link }) => [study(fault), object, ...link, '-ldl', '-o', program(name, fault)]),
      ),
    );
  }, 2 * COMPILATION_MS);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('its sources are formatted', async () => {
    const standIn = join(STAND_IN, 'splinterdb');
    const paths = [ENGINES, standIn].flatMap((place) => readdirSync(place).map((file) => join(place, file)));
    expect(await run('clang-format', ['--dry-run', '-Werror', ...paths])).toMatchObject({ code: 0, stderr: '' });
  });

  test(
    'what derives from classes of a library compiles as C++20 too, and without type information',
    async () => {
      const sources = ['study.cc', 'rocksdb.cc', 'leveldb.cc'].map((file) => join(ENGINES, file));
      await compile(['-std=c++20', ...FLAGS.slice(1), '-fno-rtti', '-fsyntax-only', ...sources]);
    },
    COMPILATION_MS,
  );

  describe.each(names)('%s', (name) => {
    test('loads in both orders, reads, overwrites and reads back', async () => {
      const found = await Promise.all(['random', 'sequence'].map((order) => trial(program(name), '--order', order)));
      for (const { code, failed, metrics, facts, operations } of found) {
        expect({ code, failed }).toEqual({ code: 0, failed: [] });
        expect(operations).toBe(3000 + 3000 + 3000 + 4500);
        for (const step of STEPS) {
          for (const of of ['ns', 'cpu_ns', 'p50_ns', 'p99_ns']) expect(metrics[`${step}_${of}`]).toBeGreaterThan(0);
          expect(metrics[`${step}_p99_ns`]).toBeGreaterThanOrEqual(metrics[`${step}_p50_ns`] ?? Number.NaN);
          expect(metrics[`${step}_reads`]).toBeUndefined();
        }
        expect(metrics).toMatchObject({ load_operations: 3000, point_operations: 3000, overwrite_operations: 4500 });
        expect(metrics).toMatchObject({ load_user_bytes: 3000 * 1516, overwrite_user_bytes: 4500 * 1516 });
        expect(metrics['range_records']).toBe(3000 * 10 - 45);
        expect(metrics['load_space_bytes']).toBeGreaterThan(name === 'splinterdb' ? -1 : 3000 * 1516);
        expect(facts).toMatchObject({ compression: 'off', bytes_source: 'process', key_bytes: 16 });
        expect(facts['before_queries']).toBe('one scan of all');
        expect(String(facts['settings'])).not.toContain('write_buffer');
        if (LSM.includes(name)) expect(facts['write_buffer_bytes']).toBe(1 << 20);
      }
      expect(found[0]?.facts['load_sequence']).not.toBe(found[1]?.facts['load_sequence']);
      expect(found[0]?.facts['point_sequence']).toBe(found[1]?.facts['point_sequence']);
    });

    test('its variants do the work, with a log and without, and say which', async () => {
      for (const variant of engine(name).variants) {
        for (const log of ['on', 'off']) {
          const found = await trial(program(name), '--variant', variant, '--log', log, '--batch', '7');
          expect(found).toMatchObject({ code: 0, failed: [], facts: { variant, load_latency_records: 7 } });
          const logs = engine(name).logs;
          const expected = logs.includes(log) ? log : logs[0];
          expect(found.facts['log']).toBe(expected === 'on' ? 'yes' : 'none');
        }
      }
    });

    test.each(Object.entries(FAULTS))('%s is found by the check %s', async (fault, check) => {
      const found = await trialOf(TINY, program(name, fault), '--log', 'on');
      if (fault === 'skipped_settle' && ONLY_SYNCED.includes(name)) {
        expect(found).toMatchObject({ code: 0, failed: [] });
      } else {
        expect(found.code).toBe(1);
        expect(found.failed).toContain(check);
      }
    });
  });

  test('an overwrite that only single reads miss is found among more records than are read one by one', async () => {
    const many = ['--keys', '60000', '--value-bytes', '8', '--points', '1', '--ranges', '1', '--overwrites', '10'];
    const found = await trialOf(many, program('lmdb', 'stale_overwrite'));
    expect(found).toMatchObject({ code: 1, failed: ['overwritten'] });
    expect(found.checks['overwritten']?.detail).toContain('has another value when it is read alone');
  });

  test.each(LSM)(
    '%s is not closed before its compactions are done, and has all tables open after that',
    async (name) => {
      const [reopening, place] = [join(directory, `reopening-${name}`), join(directory, `reopened-${name}`)];
      const source = new URL('engine-reopening.cc', import.meta.url).pathname;
      const { object, link } = engine(name);
      await compile([...FLAGS, source, object, ...link, '-ldl', '-o', reopening]);
      mkdirSync(place);
      const { code, stdout, stderr } = await run(reopening, [place]);
      expect([code, stderr]).toEqual([0, '']);
      const [open, all] = stdout.trim().split(' of ').map(Number);
      expect(all).toBeGreaterThan(3);
      expect(open).toBe(all);
      // Of LevelDB's first opening, in its own words.
      if (name !== 'leveldb') return;
      const log = readFileSync(join(place, 'LOG.old'), 'utf8');
      const lines = (word: string) => log.split('\n').filter((line) => line.includes(word)).length;
      expect(lines('Compacting ')).toBeGreaterThan(0);
      expect(lines('Compacted ')).toBe(lines('Compacting '));
    },
    COMPILATION_MS,
  );

  test.each(names.filter((name) => /\bon\b/.test(readEngine(`${name}.cc`).get('log') ?? '')))(
    'the log of %s keeps what was committed when the process is killed',
    async (name) => {
      const { object, link } = engine(name);
      const [killed, place] = [join(directory, `${name}-killed`), join(directory, `${name}-place`)];
      await compile([...FLAGS, new URL('engine-killed.cc', import.meta.url).pathname, object, ...link, '-o', killed]);
      mkdirSync(place);
      const ended = await run('sh', ['-c', `'${killed}' write '${place}'; echo $?`]);
      expect(ended.stdout).toBe('137\n');
      expect(await run(killed, ['read', place])).toMatchObject({ code: 0, stdout: '500\n' });
    },
    COMPILATION_MS,
  );

  test('all engines are asked for the same, which the seed decides', async () => {
    const sequences = async (name: string, seed: string) => {
      const { facts } = await trial(program(name), '--seed', seed);
      return STEPS.map((step) => facts[`${step}_sequence`]);
    };
    const all = await Promise.all(names.map((name) => sequences(name, '5')));
    for (const found of all) expect(found).toEqual(all[0]);
    expect(new Set(all[0]).size).toBe(STEPS.length);
    const other = await sequences('sqlite', '6');
    for (const [i, digest] of other.entries()) expect(digest).not.toBe(all[0]?.[i]);
  });

  test('SplinterDB says which cache it needs', async () => {
    const small = runTrial(program('splinterdb'), ['study', '--cache-bytes', '3999999'], join(directory, 'no-cache'));
    expect((await small).checks['completed']?.detail).toBe('SplinterDB needs a cache of 4 MB at least');
  });

  test('SQLite has a table by the length of its rows, as is advised', async () => {
    for (const [size, table] of [
      [SHORT, 'a table in the order of its keys'],
      [TINY, 'a table in the order of insertion, and an index'],
    ] as const) {
      const found = await trialOf(size, program('sqlite'));
      expect(found).toMatchObject({ code: 0, failed: [], facts: { load_shape: expect.arrayContaining([table]) } });
    }
  });

  test('WiredTiger says how many threads it has: more with a log', async () => {
    const threads = async (log: string) =>
      Number((await trialOf(TINY, program('wiredtiger'), '--log', log)).facts['background_threads']);
    const without = await threads('off');
    expect(without).toBeGreaterThan(0);
    expect(await threads('on')).toBeGreaterThan(without);
  });

  test('without overwrites and reads there is nothing to tell of them', async () => {
    const nothing = ['study', '--keys', '1', '--points', '0', '--ranges', '0', '--overwrites', '0'];
    const found = await runTrial(program('lmdb'), nothing, join(directory, 'nothing'));
    expect(found).toMatchObject({ code: 0, failed: [], metrics: { point_operations: 0, overwrite_user_bytes: 0 } });
    expect(found.metrics).not.toHaveProperty('point_p99_ns');
  });

  describe('what the device did', () => {
    test('is read from its statistics', async () => {
      const stat = join(directory, 'stat');
      writeFileSync(stat, ' 10 0 80 0 20 0 160 0 0 0 0\n');
      const found = await trialOf(TINY, program('sqlite'), '--device-stat', stat);
      expect(found).toMatchObject({ code: 0, facts: { bytes_source: 'device' } });
      expect(found.metrics).toMatchObject({
        point_reads: 0,
        point_read_bytes: 0,
        load_writes: 0,
        load_written_bytes: 0,
      });
    });

    test('is refused where it is none', async () => {
      const stat = join(directory, 'no-stat');
      writeFileSync(stat, 'ten\n');
      const found = await trialOf(TINY, program('sqlite'), '--device-stat', stat);
      expect(found).toMatchObject({ code: 1, failed: ['completed'] });
      expect(found.checks['completed']?.detail).toBe(`${stat} is no statistics of a block device`);
    });
  });

  test('a cgroup is entered, and its peak is told', async () => {
    const cgroup = join(directory, 'cgroup');
    mkdirSync(cgroup);
    const missing = await trialOf(TINY, program('sqlite'), '--cgroup', cgroup);
    expect(missing.failed).toEqual(['completed']);
    expect(missing.checks['completed']?.detail).toContain(`cannot enter the cgroup ${cgroup}`);
    writeFileSync(join(cgroup, 'cgroup.procs'), '');
    writeFileSync(join(cgroup, 'memory.peak'), '123456\n');
    const found = await trialOf(TINY, program('sqlite'), '--cgroup', cgroup);
    expect(found).toMatchObject({ code: 0, metrics: { peak_cgroup_bytes: 123456 }, facts: { before_queries: 'cold' } });
    expect(readFileSync(join(cgroup, 'cgroup.procs'), 'utf8')).toMatch(/^\d+$/);
  });

  test('a variant that the engine does not have is refused', async () => {
    const ended = await run(program('lmdb'), ['study', '--dir', join(directory, 'x'), '--variant', 'universal']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toBe('driver: --variant is one of default, not "universal".\n');
  });

  describe('its parts', () => {
    const part = async (...args: readonly string[]) => {
      const ended = await run(join(directory, 'parts'), args);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      return ended.stdout.trimEnd();
    };

    beforeAll(async () => {
      const source = new URL('engine-parts.cc', import.meta.url).pathname;
      await compile([...FLAGS, source, '-ldl', '-o', join(directory, 'parts')]);
    }, COMPILATION_MS);

    test('a histogram is within 1/128 of the truth', async () => {
      const [one, quantile, empty, least, largest] = (await part('histogram')).split(' ').map(Number);
      expect(one).toBeGreaterThan(1000);
      expect(one).toBeLessThanOrEqual(1e6 / 128);
      expect(quantile).toBeGreaterThan(1000);
      expect(quantile).toBeLessThanOrEqual(1e6 / 128);
      expect([empty, least, largest]).toEqual([1, 0, 1]);
    });

    test('an order takes each index once, wherever it begins', async () => {
      expect(await part('orders')).toBe('orders');
      for (const count of (await part('likeness')).split(' ').map(Number)) expect(count).toBeLessThan(20);
    });

    test('a value does not compress, and begins with what tells record, version and seed', async () => {
      expect(await part('words')).toBe('100000');
      const { code } = await run('sh', ['-c', `'${join(directory, 'parts')}' value > '${join(directory, 'value')}'`]);
      expect(code).toBe(0);
      const value = readFileSync(join(directory, 'value'));
      expect(value).toHaveLength(100003);
      expect(gzipSync(value).length).toBeGreaterThan(100003);
    });

    test.each([
      ['  5 1 24 7 3 0 40 2 0 9 9\n', '12288 20480 5 3'],
      ['5 1 24 7 3 0 40 2 0 9 9 0 0 0 0 4 1', '12288 20480 5 3'],
      ['5 1 24 7 3 0 40 2 0 9', 'none'],
      ['5 1 24 7 -3 0 40 2 0 9 9', 'none'],
      ['5 1 99999999999999999999 7 3 0 40 2 0 9 9', 'none'],
      ['', 'none'],
    ])('the statistics %j of a device', async (text, expected) => {
      expect(await part('device-stat', text)).toBe(expected);
    });

    test.each([
      [
        'rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 9\ncancelled_write_bytes: 2\n',
        '4096 7 none none',
      ],
      ['read_bytes: 1\nwrite_bytes: 2\ncancelled_write_bytes: 3', '1 0 none none'],
      ['read_bytes: 1\nwrite_bytes: 2\n', 'none'],
      ['read_bytes: x\nwrite_bytes: 2\ncancelled_write_bytes: 0\n', 'none'],
    ])('the account %j of a process', async (text, expected) => {
      expect(await part('process-io', text)).toBe(expected);
    });

    test('holes take no space', async () => {
      const place = join(directory, 'space', 'below');
      mkdirSync(place, { recursive: true });
      await run('truncate', ['-s', '10M', join(place, 'hole')]);
      const bare = Number(await part('space', join(directory, 'space')));
      writeFileSync(join(place, 'full'), Buffer.alloc(1 << 20, 1));
      await run('sync', [join(place, 'full')]);
      const full = Number(await part('space', join(directory, 'space')));
      expect(bare).toBeLessThan(1 << 20);
      expect(full - bare).toBeGreaterThanOrEqual(1 << 20);
    });

    test('advice of random reads keeps read-ahead away, and a file that is not open is refused', async () => {
      const pages = async (how: string) => (await part(how, join(directory, how))).split(' ').map(Number);
      const [dropped = 0, ahead = 0] = await pages('read-ahead');
      const [, alone] = await pages('random-reads');
      // Where files live in memory, or the device does not read ahead, there is nothing to see.
      if (dropped === 0 && ahead > 8) expect(alone).toBe(8);
      const { stderr } = await run(join(directory, 'parts'), ['unopened', join(directory, 'read-ahead')]);
      expect(stderr).toContain('has not opened');
    });

    test('files that are dropped are in memory no more, where they lie on a disk', async () => {
      const place = join(directory, 'dropped');
      mkdirSync(join(place, 'below'), { recursive: true });
      const TMPFS = 0x01021994;
      const pages = 2 ** 20 / Number((await run('getconf', ['PAGESIZE'])).stdout);
      const left = statfsSync(place).type === TMPFS ? pages : 0;
      expect(await part('dropped', place)).toBe(`${pages} ${left}`);
    });

    test('a binary with assertions is told from one without', async () => {
      const source = join(directory, 'asserting.cc');
      writeFileSync(source, '#include <cassert>\nint main(int argc, char**) { assert(argc > 0); }\n');
      await compile([source, '-o', join(directory, 'asserting')]);
      await compile(['-DNDEBUG', source, '-o', join(directory, 'silent')]);
      expect(await part('assertions', join(directory, 'asserting'))).toBe('1');
      expect(await part('assertions', join(directory, 'silent'))).toBe('0');
    });
  });
});
