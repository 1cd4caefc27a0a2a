import { expect, test } from 'vitest';
import { readExperiment } from './parse.ts';

const text = (arms: string, workload = 'driver: rocksdb, command: ["{arm.driver}", write-full]') => `
title: libraries
arms:
${arms}
workload: {${workload}}
metrics: [{name: wall, from: wall}]
`;

function errors(...args: Parameters<typeof text>): string[] {
  const read = readExperiment(text(...args));
  return read.ok ? [] : read.errors.map(({ message }) => message);
}

test('each way to name a library, and the defaults of a driver', () => {
  const read = readExperiment(
    text(
      '  a: {prefix: /opt/rocksdb}\n  b: {pkg-config: rocksdb}\n  c: {artifacts: {include: [include], library: librocksdb.a, link: [-lz]}}\n  d: {artifacts: {include: [include], library: librocksdb.a}}',
    ),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  expect(read.experiment.arms.map(({ library }) => library)).toEqual([
    { kind: 'prefix', prefix: '/opt/rocksdb' },
    { kind: 'pkg-config', name: 'rocksdb' },
    { kind: 'artifacts', include: ['include'], library: 'librocksdb.a', link: ['-lz'], metadata: [] },
    { kind: 'artifacts', include: ['include'], library: 'librocksdb.a', link: null, metadata: [] },
  ]);
  expect(read.experiment.workload.driver).toEqual({ name: 'rocksdb', compiler: null, standard: null, flags: null });
});

test('what the driver is compiled with can be set', () => {
  const read = readExperiment(
    text(
      '  a: {prefix: a}\n  b: {prefix: b}',
      'driver: {name: rocksdb, compiler: g++-12, standard: c++20, flags: [-O2]}, command: ["{arm.driver}"]',
    ),
  );
  expect(read.ok && read.experiment.workload.driver).toEqual({
    name: 'rocksdb',
    compiler: 'g++-12',
    standard: 'c++20',
    flags: ['-O2'],
  });
});

test.each([
  ['a driver needs a library in every arm', ['  a: {prefix: a}\n  b: {}'], /needs a library in every arm: give `b`/],
  ['one library is enough', ['  a: {prefix: a, pkg-config: a}\n  b: {prefix: b}'], /only one of/],
  [
    'a library is for a driver',
    ['  a: {prefix: a, command: [x]}\n  b: {command: [y]}', 'timeout: 1s'],
    /`prefix` is what a driver is compiled against, and there is none/,
  ],
  [
    'the placeholder is for a driver',
    ['  a: {}\n  b: {}', 'command: ["{arm.driver}"]'],
    /no driver is compiled: name one/,
  ],
  ['another driver', ['  a: {prefix: a}\n  b: {prefix: b}', 'driver: leveldb, command: [x]'], /rocksdb/],
] as const)('%s', (_what, args, message) => {
  const found = errors(...(args as unknown as Parameters<typeof text>));
  expect(
    found.some((each) => message.test(each)),
    found.join('\n'),
  ).toBe(true);
});
