/** Studies of engines: whole with fake engines, which answer as the drivers do; with real ones, devices and limits of memory where there are any. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EnginesDocument, enginesDocumentSchema } from '../../src/report/engines-schema.ts';
import { expectComplete } from '../complete-run.ts';
import { STAND_IN } from '../drivers/engine-building.ts';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const FAKE = join(import.meta.dirname, '..', 'fixtures', 'engine.mjs');

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const SIZE = 'keys: 1000, cache: 1MB, points: 100, ranges: 10, overwrites: 100';

/** @param last the variant of the third engine */
function study(last = 'slower', rest = 'device: false'): string {
  return `title: Three fakes
engines:
  fast: {program: ${FAKE}}
  slow: {program: ${FAKE}, variant: slow}
  third: {program: ${FAKE}, variant: ${last}}
sizes:
  cached: {${SIZE}}
  sequence: {${SIZE}, load: sequence}
seed: 7
repetitions: 2
${rest}
`;
}

function documentOf(text: string): EnginesDocument {
  return enginesDocumentSchema.parse(JSON.parse(text));
}

test('a study of three engines in two sizes: runs, findings and files, and the report once more', async () => {
  rig.write('study.yaml', study());
  const { code, stdout, stderr } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--json']);
  expect([code, stderr.includes('defect')]).toEqual([0, false]);
  const { sizes, caveats, standings, left_out } = documentOf(stdout);
  expect(left_out).toEqual([]);
  expect(sizes.map(({ name, blocks, load }) => [name, blocks, load])).toEqual([
    ['cached', 2, 'random'],
    ['sequence', 2, 'sequence'],
  ]);
  const insert = sizes[0]?.figures.find(({ figure }) => figure === 'load_rate');
  // Of 2 µs an insert, with a wobble of at most 2 %; the others take three and nine times as long.
  const [fast, slow, third] = insert?.engines ?? [];
  expect(fast?.mean).toBeGreaterThan(490_000);
  expect(fast?.mean).toBeLessThanOrEqual(500_000);
  expect((fast?.mean ?? 0) / (slow?.mean ?? 1)).toBeCloseTo(3, 0);
  expect([fast?.durable, slow?.durable, third?.durable]).toEqual([false, true, false]);
  expect(caveats).toContainEqual({ code: 'not-durable', engines: ['fast', 'third'], sync: 'never' });
  expect(caveats).toContainEqual({ code: 'bytes-of-process', engines: ['fast', 'slow', 'third'] });
  expect(standings.find(({ engine, aspect }) => engine === 'fast' && aspect === 'write')?.worse).not.toEqual([]);
  // An order and its reverse.
  const orders = rig.journal('out/cached').run.plan.phases[0]?.blocks ?? [];
  expect(orders[1]).toEqual([...(orders[0] ?? [])].reverse());
  for (const size of ['cached', 'sequence']) expectComplete(rig.journal(`out/${size}`));
  expect(rig.list('out')).toEqual(
    ['cached', 'engines.csv', 'engines.html', 'engines.json', 'engines.md', 'sequence', 'study.json'].sort(),
  );
  expect(documentOf(rig.read('out/engines.json'))).toEqual(documentOf(stdout));

  const again = await rig.assay(['engines', 'out', '--format', 'markdown']);
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(again.stdout).toBe(rig.read('out/engines.md'));
  expect(again.stdout).toMatch(/fast.*\d{6} †/);
  expect(again.stdout).toMatch(/slow.*\d{6} \|/);
  // A report of other sizes, engines or levels than those that ran there is none.
  const kept = rig.read('out/study.json');
  const edits = [
    ['"points": 100', '"points": 1000', /study\.json in out is not what its run of cached was made of/],
    ['"memory_limit_bytes": null', '"memory_limit_bytes": 1000', /is not what its run/],
    ['"level": 0.95', '"level": 0.5', /is not what its run/],
    ['"name": "fast"', '"name": "slow"', /is not what its run/],
    ['"name": "sequence"', '"name": "cached"', /is not what this version of Assay wrote/],
    ['"name": "cached"', '"name": "../out/cached"', /is not what this version of Assay wrote/],
  ] as const;
  for (const [from, to, message] of FULL ? edits : edits.slice(0, 1)) {
    rig.write('out/study.json', kept.replace(from, to));
    const edited = await rig.assay(['engines', 'out']);
    expect([from, edited.code, edited.stdout, edited.stderr]).toEqual([from, 2, '', expect.stringMatching(message)]);
  }
  rig.write('out/study.json', kept);
  // Nothing is left to run: the same command shows what there is.
  const trials = rig.journal('out/cached').trials.length;
  const more = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--quiet', '--json']);
  expect(documentOf(more.stdout)).toEqual(documentOf(stdout));
  expect(rig.journal('out/cached').trials).toHaveLength(trials);
});

test('an engine that loses one record fails the study', async () => {
  rig.write('study.yaml', study('loses'));
  const { code, stdout } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--quiet']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/third.*driver: loaded|driver: loaded.*third/s);
  expect(stdout).toMatch(/999 of 1000\s+records/);
  expect(existsSync(join(rig.directory, 'out', 'engines.json'))).toBe(false);
  expect(existsSync(join(rig.directory, 'out', 'sequence'))).toBe(false);
  const report = await rig.assay(['engines', 'out']);
  expect([report.code, report.stderr]).toEqual([2, expect.stringContaining('is invalid')]);
});

test.runIf(FULL)('an engine that says that it did another number of operations fails the study', async () => {
  rig.write('study.yaml', study('boasts'));
  const { code, stdout } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--quiet']);
  expect([code, stdout]).toEqual([3, expect.stringMatching(/check\s+\/metrics\/point_operations\s+wants/)]);
});

test.runIf(FULL)('kill -9 and the same command goes on; another study is refused there', async () => {
  rig.write('study.yaml', study());
  const words = ['engines', 'study.yaml', '--out', 'out', '--quiet', '--json'];
  const journal = join(rig.directory, 'out', 'cached', 'journal.jsonl');
  const { child, ended } = rig.start(words);
  const trials = () => (existsSync(journal) ? readFileSync(journal, 'utf8').split('"kind":"trial"').length - 1 : 0);
  while (trials() < 2) await sleep(5);
  child.kill('SIGKILL');
  await ended;
  const report = await rig.assay(['engines', 'out']);
  expect([report.code, report.stderr]).toEqual([2, expect.stringMatching(/not complete[\s\S]*Go on with/)]);

  const { code, stdout } = await rig.assay(words);
  expect(code).toBe(0);
  expect(documentOf(stdout).sizes.map(({ blocks }) => blocks)).toEqual([2, 2]);
  expectComplete(rig.journal('out/cached'));
  expect(rig.list('.').filter((name) => name.endsWith('.trials'))).toEqual([]);

  rig.write('study.yaml', study('slow'));
  const other = await rig.assay(words);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('holds a study of another text')]);
});

test.each([
  ['a file with a mistake', ['engines', 'study.yaml'], study().replace('keys: 1000', 'keys: 0'), /study\.yaml:7:\d+/],
  [
    'an engine without a driver',
    ['engines', 'study.yaml'],
    study().replace(/third: .*/, 'third: {engine: nosuch}'),
    /There are: .*lmdb/,
  ],
  [
    'a prefix that no run path can hold',
    ['engines', 'study.yaml'],
    study().replace(/third: .*/, 'third: {engine: lmdb, prefix: "./a:b", required: true}'),
    /no program can look for its library in .*a:b/,
  ],
  [
    'a program that is a directory',
    ['engines', 'study.yaml', '--out', 'out'],
    study().replace(/third: .*/, 'third: {program: /tmp}'),
    /third: \/tmp is a directory, and no program/,
  ],
  [
    'a program that there is not',
    ['engines', 'study.yaml', '--dry-run'],
    study().replace(/third: .*/, 'third: {program: ./absent}'),
    /third: there is no program .*absent[\s\S]*directory of the study/,
  ],
  ['a plan of a directory', ['engines', '.', '--dry-run'], study(), /--dry-run does not go with the directory/],
  ['two files for a report', ['engines', '.', '-o', 'a', '--output', 'b'], study(), /both name the file/],
  ['options with a directory', ['engines', '.', '--small'], study(), /does not go with the directory/],
  ['a directory without a study', ['engines', '.'], study(), /no study\.json/],
] as const)('%s is a sentence', async (_, words, text, message) => {
  rig.write('study.yaml', text);
  const { code, stderr } = await rig.assay(words);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

const TINY = 'keys: 5000, cache: 4MB, points: 200, ranges: 50, overwrites: 200';

test.runIf(FULL)(
  'real engines, a library that is not there, and one that must be',
  async () => {
    const text = (required: boolean) => `title: Real engines
engines:
  rocksdb: {engine: rocksdb, variant: leveled}
  leveldb: {engine: leveldb}
  lmdb: {engine: lmdb}
  sqlite: {engine: sqlite}
  away: {engine: lmdb, prefix: ./nowhere, required: ${required}}
sizes:
  cached: {${TINY}}
seed: 7
repetitions: 2
device: {size: 256MB}
`;
    rig.write('study.yaml', text(true));
    const refused = await rig.assay(['engines', 'study.yaml', '--out', 'out']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('liblmdb-dev')]);
    rig.write('study.yaml', text(false));
    const { code, stdout, stderr } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--json']);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const { sizes, left_out } = documentOf(stdout);
    expect(left_out.map(({ what, name }) => [what, name])).toContainEqual(['engine', 'away']);
    const [size] = sizes;
    for (const { figure, engines } of size?.figures ?? []) {
      if (!/_rate$|_space$|_wamp$/.test(figure)) continue;
      for (const { engine, mean } of engines) expect([engine, figure, (mean ?? 0) > 0]).toEqual([engine, figure, true]);
    }
    expect(Object.values(size?.facts ?? {}).map(({ bytes_source }) => bytes_source)).toEqual(
      Array(4).fill(process.getuid?.() === 0 ? 'device' : 'process'),
    );
    const packed = await rig.assay(['bundle', 'out/cached', '--output', 'cached.tar.gz']);
    expect(packed.code).toBe(0);
    expect((await rig.assay(['verify', 'cached.tar.gz'])).code).toBe(0);
  },
  600_000,
);

test.runIf(FULL)(
  'an engine whose header wants definitions of its user is found by its prefix, commas and blanks in it',
  async () => {
    cpSync(STAND_IN, join(rig.directory, 'built, own/include'), { recursive: true });
    rig.write('built, own/lib/libsplinterdb.a', '!<arch>\n');
    const engines =
      'engines:\n  own: {engine: splinterdb, prefix: "./built, own", required: true}\n  lmdb: {engine: lmdb}\n';
    rig.write(
      'study.yaml',
      study()
        .replaceAll('cache: 1MB', 'cache: 4MB')
        .replace(/engines:[\s\S]*(?=sizes:)/, engines),
    );
    const { code, stdout, stderr } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--json']);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    expect(documentOf(stdout).engines).toEqual(['own', 'lmdb']);
  },
  600_000,
);

test.runIf(FULL && process.getuid?.() === 0)(
  'an IO-bound size runs within its limit of memory, and leaves nothing behind',
  async () => {
    const limited = study()
      .replace('sequence: {', 'io_bound: {memory_limit: 64MB, ')
      .replace('device: false', 'device: {size: 64MB}');
    rig.write('study.yaml', limited.replace(', load: sequence', ''));
    const { code, stdout, stderr } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--json']);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const { sizes, caveats } = documentOf(stdout);
    expect(sizes.map(({ name, memory_limit_bytes }) => [name, memory_limit_bytes])).toEqual([
      ['cached', null],
      ['io_bound', 64e6],
    ]);
    expect(caveats.map(({ code: one }) => one)).not.toContain('bytes-of-process');
    // The fake's own check says that it is in a group of Assay's.
    const { trials } = rig.journal('out/io_bound');
    expect(trials.every(({ checks }) => checks.some(({ name, ok }) => name === 'driver: in_group' && ok))).toBe(true);
    expect(readdirSync('/proc/self/root').length).toBeGreaterThan(0);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(rig.directory);
  },
  600_000,
);

test.runIf(FULL && process.getuid?.() === 0)(
  'in little memory the compactions of LSM trees read ahead, and single reads do not',
  async () => {
    rig.write(
      'study.yaml',
      `title: LSM trees
engines:
  rocksdb: {engine: rocksdb}
  leveldb: {engine: leveldb}
sizes:
  io_bound: {keys: 36000, value_bytes: 800, cache: 4MiB, memory_limit: 20MiB, points: 1000, ranges: 10, overwrites: 10}
seed: 7
repetitions: 2
device: {size: 512MiB}
`,
    );
    const { code, stdout, stderr } = await rig.assay(['engines', 'study.yaml', '--out', 'out', '--json']);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    const facts = documentOf(stdout).sizes[0]?.facts ?? {};
    expect(Object.values(facts).map(({ before_queries }) => before_queries)).toEqual(['cold', 'cold']);
    for (const { arm, metrics } of rig.journal('out/io_bound').trials) {
      const of = (name: string) => metrics[name] ?? Number.NaN;
      // By single blocks it were 5 kB.
      expect([arm, of('load_read_bytes') / of('load_reads') > 30_000]).toEqual([arm, true]);
      // Where reads make LevelDB compact, that reads about what it writes.
      const found = of('point_read_bytes') - of('point_written_bytes');
      expect([arm, found / of('point_reads') < 12_000]).toEqual([arm, true]);
    }
  },
  600_000,
);
