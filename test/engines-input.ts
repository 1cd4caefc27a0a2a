/** Findings of a study of three engines that there are not, in two sizes: for tests of what follows from them. */
import type { EnginesInput } from '../src/report/engines-input.ts';
import type { EngineFacts } from '../src/storage/engines/analysis.ts';
import { engineFindings } from '../src/storage/engines/findings.ts';
import type { SettledStudy } from '../src/storage/engines/settled.ts';
import { SMALL } from '../src/storage/engines/study.ts';
import { journalOf } from './journal-builder.ts';

const ENGINES = ['tree', 'pages', 'hash'] as const;
type Engine = (typeof ENGINES)[number];

/** What a step takes for an operation, in ns; how often the data is written; and how much of it is on the disk. */
const NATURE: Readonly<Record<Engine, { writes: number; reads: number; wamp: number; space: number }>> = {
  tree: { writes: 2000, reads: 9000, wamp: 11, space: 1.12 },
  pages: { writes: 8000, reads: 4000, wamp: 4.2, space: 1.5 },
  hash: { writes: 7900, reads: 4100, wamp: 2.1, space: 1.5 },
};

/** Blocks differ a little; the second and the third are slower for all. */
const BLOCKS = [1, 1.06, 1.04, 0.99];
const OWN: Readonly<Record<Engine, readonly number[]>> = {
  tree: [1, 1.01, 0.99, 1],
  pages: [1.02, 0.98, 1, 1.01],
  hash: [0.97, 1.02, 1.01, 0.98],
};

const FACTS: Readonly<Record<Engine, EngineFacts>> = {
  tree: {
    ...{ engine: 'Tree', version: '7.1', variant: 'leveled', log: 'none', sync: 'checkpoint', checksums: 'each block' },
    ...{ compression: 'off', assertions: true, cache_bounded: true, direct_io: false, bytes_source: 'device' },
    load_shape: ['Level Files', '-----', '0 0', '1 4'],
    settled: 'no compaction is due',
    settings: ['write_buffer_bytes=1048576', 'bloom_bits=10'],
    not_a_claim_about: ['several clients at once'],
    ...{ load_latency_records: 100, overwrite_latency_records: 1 },
  },
  pages: {
    ...{ engine: 'Pages', version: '3', variant: 'default', log: 'none', sync: 'commit', checksums: 'each block' },
    ...{ compression: 'off', assertions: false, cache_bounded: true, direct_io: false, bytes_source: 'device' },
    ...{ load_latency_records: 100, overwrite_latency_records: 1 },
  },
  hash: {
    ...{ engine: 'Hash', version: '0.9', variant: 'default', log: 'yes', sync: 'never', checksums: 'none' },
    ...{ compression: 'off', cache_bounded: false, direct_io: true, bytes_source: 'process' },
    ...{ load_latency_records: 100, overwrite_latency_records: 1 },
  },
};

type Values = Record<string, Record<string, (number | null)[]>>;

function valuesOf(bound: boolean, engines: readonly Engine[], instead: (name: string) => number | null): Values {
  const values: Values = {};
  for (const engine of engines) {
    const { writes, reads, wamp, space } = NATURE[engine];
    const put = (name: string, of: (wobble: number) => number | null) => {
      const all = BLOCKS.map((block, at) => instead(name) ?? of(block * (OWN[engine][at] ?? 1)));
      values[name] = { ...values[name], [engine]: all };
    };
    const user = 23_200_000;
    for (const [step, count, ns] of [
      ['load', 200_000, writes],
      ['point', 10_000, reads * (bound ? 12 : 1)],
      ['range', 2000, reads * (bound ? 20 : 5)],
      ['overwrite', 20_000, writes * 1.5],
    ] as const) {
      put(`${step}_ns`, (wobble) => Math.round(count * ns * wobble));
      put(`${step}_operations`, () => count);
      put(`${step}_cpu_ns`, (wobble) => Math.round(count * ns * 0.8 * wobble));
      put(`${step}_p50_ns`, (wobble) => Math.round(ns * 0.9 * wobble));
      put(`${step}_p99_ns`, (wobble) => Math.round(ns * 4 * wobble));
    }
    for (const step of ['point', 'range'] as const) {
      const count = step === 'point' ? 10_000 : 2000;
      const each = bound ? { tree: 0.98, pages: 0.05, hash: 1.3 }[engine] : 0;
      put(`${step}_read_bytes`, () => Math.round(count * each * 4096));
      // Without a device nothing is counted.
      put(`${step}_reads`, () => (engine === 'hash' ? null : Math.round(count * each)));
    }
    for (const step of ['load', 'overwrite'] as const) {
      const bytes = step === 'load' ? user : user / 10;
      put(`${step}_user_bytes`, () => bytes);
      put(`${step}_written_bytes`, (wobble) => Math.round(bytes * wamp * wobble));
      put(`${step}_space_bytes`, () => Math.round(user * space));
      put(`${step}_settle_ns`, (wobble) => Math.round(4e8 * wamp * wobble));
    }
    put('peak_resident_bytes', () => 60e6);
  }
  return values;
}

/**
 * As text, tables of it are in the golden files.
 * @param instead what all trials report of a metric, by its name; null: as it is
 */
export function enginesInput(
  instead: (name: string) => number | null = () => null,
  names: readonly Engine[] = ENGINES,
): EnginesInput {
  const { sizes } = SMALL;
  const settled: SettledStudy = {
    ...{ format: 'assay-engine-study', version: 1, text: '', small: true, seed: 7 },
    study: {
      title: 'Three engines',
      question: 'Which writes least?',
      engines: names.map((name) => ({
        ...{ name, variant: null, log: null, required: false },
        source: { kind: 'program', program: name },
      })),
      ...{
        sizes,
        repetitions: 4,
        order: 'mirrored',
        device: null,
        log: false,
        seed: 7,
        timeout_ms: 1_800_000,
        level: 0.95,
      },
    },
    left_out: [
      {
        ...{ what: 'engine', name: 'away' },
        reason: 'the library of Away is not here (no away.h where the compiler looks)',
        remedy: 'Debian, Ubuntu: apt install libaway-dev.',
      },
    ],
  };
  const drawn = [...names];
  const orders = BLOCKS.map((_, at) => (at % 2 === 0 ? drawn : drawn.toReversed()));
  const runs = sizes.map((size) => ({
    size,
    journal: journalOf({ values: valuesOf(size.memory_limit_bytes !== null, names, instead), orders }),
    ...{ facts: Object.fromEntries(names.map((name) => [name, FACTS[name]])), changed: {}, unread: [] },
  }));
  return { assay: '0.1.0', findings: engineFindings(settled, runs) };
}
