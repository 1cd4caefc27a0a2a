import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectGolden } from '../../../test/golden.ts';
import { readExperiment } from '../../experiment/parse.ts';
import { enginesDocumentSchema } from '../../report/engines-schema.ts';
import { experimentText } from './experiment.ts';
import { readStudy } from './read-study.ts';
import { studyJsonSchema } from './schema.ts';
import { type EngineStudy, SMALL } from './study.ts';
import { starterStudy } from './template.ts';

const TEXT = `title: Two engines
engines:
  a: {engine: rocksdb, variant: leveled}
  b: {program: ./b, log: true}
sizes:
  cached: {keys: 1000, cache: 64MB, points: 10, ranges: 5, overwrites: 7}
  io_bound: {keys: 1000, cache: 8MB, memory_limit: 96MB, points: 10, ranges: 5, overwrites: 7}
`;

function read(text: string): EngineStudy {
  const found = readStudy(text);
  if (!found.ok) throw new Error(JSON.stringify(found.errors));
  return found.study;
}

test('schemas of studies and of their findings are made from the code', () => {
  expectGolden('schemas/engines-study.schema.json', `${JSON.stringify(studyJsonSchema(), null, 2)}\n`);
  const schema = z.toJSONSchema(enginesDocumentSchema, { target: 'draft-2020-12' });
  expectGolden('schemas/engines.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
});

test('defaults are filled in', () => {
  expect(read(TEXT)).toEqual({
    title: 'Two engines',
    question: null,
    engines: [
      {
        name: 'a',
        source: { kind: 'engine', engine: 'rocksdb', prefix: null },
        variant: 'leveled',
        log: null,
        required: false,
      },
      { name: 'b', source: { kind: 'program', program: './b' }, variant: null, log: true, required: false },
    ],
    sizes: [
      {
        ...{
          name: 'cached',
          keys: 1000,
          value_bytes: 100,
          cache_bytes: 64e6,
          memory_limit_bytes: null,
          load: 'random',
        },
        ...{ points: 10, ranges: 5, range_length: 10, overwrites: 7 },
      },
      {
        ...{
          name: 'io_bound',
          keys: 1000,
          value_bytes: 100,
          cache_bytes: 8e6,
          memory_limit_bytes: 96e6,
          load: 'random',
        },
        ...{ points: 10, ranges: 5, range_length: 10, overwrites: 7 },
      },
    ],
    ...{ repetitions: 4, order: 'mirrored', device: { size_bytes: 2 ** 32 }, log: false, seed: null },
    ...{ timeout_ms: 1_800_000, level: 0.95 },
  });
});

test('the template is a study, whose sizes reach the schema in its first line', () => {
  const text = starterStudy('/schemas/engines-study.schema.json');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\/schemas\/engines-study\.schema\.json\n/);
  const study = read(text);
  expect(study.engines).toHaveLength(6);
  expect(study.sizes.map(({ memory_limit_bytes }) => memory_limit_bytes !== null)).toEqual([false, false, true]);
});

test('sizes of the template and small ones fill four write buffers with overwrites, and their limits are well below the data', () => {
  // As in drivers/engines/study.cc.
  const writeBuffer = (data: number) => Math.min(Math.max(data / 32, 2 ** 20), 2 ** 26);
  for (const size of [...SMALL.sizes, ...read(starterStudy('x')).sizes]) {
    const { keys, value_bytes, overwrites, memory_limit_bytes } = size;
    const record = 16 + value_bytes;
    expect(overwrites * record, size.name).toBeGreaterThanOrEqual(4 * writeBuffer(keys * record));
    expect(keys * record, size.name).toBeGreaterThan(1.5 * (memory_limit_bytes ?? 0));
  }
});

const FAULTS: readonly (readonly [string, string, string, string])[] = [
  ['an unknown key', 'sizes:', 'size:', '5:1 unknown key `size`: did you mean `sizes`?'],
  ['one engine', '  b: {program: ./b, log: true}\n', '', '2:1 a study compares two engines or more'],
  [
    'engine and program',
    'program: ./b',
    'program: ./b, engine: lmdb',
    '4:3 `b` is either an `engine` or a `program`: name one of them',
  ],
  [
    'neither',
    '{program: ./b, log: true}',
    '{log: true}',
    '4:3 `b` is either an `engine` or a `program`: name one of them',
  ],
  [
    'a prefix of a program',
    'program: ./b',
    'program: ./b, prefix: /opt',
    '4:21 a program is not compiled: `prefix` goes with `engine`',
  ],
  [
    'a cache that is the whole memory',
    'cache: 8MB',
    'cache: 96MB',
    '7:33 the cache alone would take all of the memory limit',
  ],
  ...['study.json', 'engines.md', 'Engines.HTML', 'io_bound.trials'].map(
    (name) =>
      [
        `a size named ${name}`,
        'cached:',
        `${name}:`,
        `6:3 \`${name}\` is no name of a size: the directory of a study needs such names for itself`,
      ] as const,
  ),
  [
    'a size without keys',
    '{keys: 1000, cache: 64MB',
    '{cache: 64MB',
    '6:3 `keys` is missing: expected a whole number from 1 to 10000000000',
  ],
  [
    'keys that are no number',
    'keys: 1000, cache: 64MB',
    'keys: many, cache: 64MB',
    '6:18 expected a whole number from 1 to 10000000000, not "many"',
  ],
  [
    'an order that there is not',
    'title: Two',
    'order: random\ntitle: Two',
    '1:8 expected `mirrored` or `balanced`, not "random"',
  ],
  [
    'a device without room',
    'title: Two',
    'device: {size: 1}\ntitle: Two',
    '1:16 a device has at least 1 MiB: a smaller one has no room for a file system',
  ],
  ['broken YAML', 'engines:', 'engines: {', '4:3 Missing , between flow map items'],
  ['an empty file', TEXT, '', '1:1 expected a study: a map with `title`, `engines`, `sizes`, …, not nothing'],
];

test.each(FAULTS)('%s is refused, with its place', (_, from, to, message) => {
  expect(TEXT).toContain(from);
  const found = readStudy(TEXT.replace(from, to));
  const [first] = found.ok ? [] : found.errors;
  expect(first && `${first.line}:${first.column} ${first.message}`).toBe(message);
});

describe('a size as an experiment', () => {
  const study = { ...read(TEXT), question: 'Which?' };
  const ready = study.engines.map((engine) => ({
    engine,
    program: `/cache/${engine.name}{x}`,
    log: engine.name === 'b',
  }));
  const experimentOf = (at: number, changes: Partial<EngineStudy> = {}) => {
    const changed = { ...study, ...changes };
    const [size] = changed.sizes.slice(at);
    if (size === undefined) throw new Error('no such size');
    const found = readExperiment(experimentText(changed, size, ready, 5));
    if (!found.ok) throw new Error(JSON.stringify(found.errors));
    return found.experiment;
  };

  test('has the engines as arms, with a device and the words of their settings', () => {
    const { arms, workload, design, title } = experimentOf(0);
    expect(title).toBe('Two engines: cached');
    expect(arms.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(arms[0]?.command?.slice(0, 4)).toEqual(['/cache/a{{x}}', 'study', '--dir', '{trial.dir}/db']);
    expect(arms[0]?.command?.join(' ')).toContain('--variant leveled --log off --device-stat {trial.device_stat}');
    expect(arms[1]?.command?.join(' ')).toContain('--log on');
    expect(arms[1]?.command?.join(' ')).not.toMatch(/--variant|--cgroup/);
    expect(workload).toMatchObject({ memory_limit_bytes: null, device: { size_bytes: 2 ** 32 } });
    expect(design).toMatchObject({ confirmation_pairs: 4, order: 'balanced', seed: 5 });
  });

  test('has a limit of memory where the size has one, and no device where none is made', () => {
    const { arms, workload } = experimentOf(1, { device: null });
    expect(arms[0]?.command?.join(' ')).toContain('--cgroup {trial.cgroup}');
    expect(arms[0]?.command?.join(' ')).not.toContain('device');
    expect(workload).toMatchObject({ memory_limit_bytes: 96e6, device: null });
  });

  test('checks that all engines were given the same keys and did as much, and that every record was read back', () => {
    const { checks } = experimentOf(0);
    expect(checks).toContainEqual({
      kind: 'driver',
      names: ['loaded', 'read_back', 'settled', 'point', 'range', 'overwritten'],
    });
    expect(checks.filter(({ kind }) => kind === 'equal')).toHaveLength(4 + 4 + 2);
  });

  test('small sizes are cached and IO-bound, with at least two orders', () => {
    expect(SMALL.repetitions % 2).toBe(0);
    const [cached, bound] = SMALL.sizes;
    const bytes = (size: typeof cached) => (size === undefined ? 0 : size.keys * (16 + size.value_bytes));
    expect(bytes(cached)).toBeLessThan(cached?.cache_bytes ?? 0);
    expect(bytes(bound)).toBeGreaterThan(1.25 * (bound?.memory_limit_bytes ?? Number.POSITIVE_INFINITY));
  });
});
