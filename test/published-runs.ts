/** Runs as engineers publish them: a write path with controls and ablations, and the construction of batches. */
import type { Check, Metric } from '../src/experiment/experiment.ts';
import type { CodeComparison, ObjectComparison, PreparedArm, RawFile, SourceDiff } from '../src/journal/records.ts';
import { type JournalOptions, journalOf, type SideOptions } from './journal-builder.ts';
import type { RanJournal, RanTrial } from './ran.ts';
import { gitSource } from './report-cases-beside.ts';
import { around } from './report-values.ts';

const WRITES = 2_097_152;
const BEFORE = '4f2e1d0c9b8a79685746352413029f8e7d6c5b4a';
const AFTER = '5e3d1c0a9b8f7e6d5c4b3a2918070605f4e3d2c1';

const MACHINE = {
  kernel: '6.1.0-18-amd64',
  cpu_model: 'Example Server CPU 6400',
  cpus: 128,
  cores: 64,
  sockets: 2,
  memory_bytes: 512e9,
  turbo: true,
} as const;

/** For each arm a factor of the mean. */
function values(mean: number, factors: Readonly<Record<string, number>>, spread: number, seed: number, count: number) {
  return Object.fromEntries(
    Object.entries(factors).map(([arm, factor], at) => [arm, around(mean * factor, spread, seed + at, count)]),
  );
}

function counter(name: 'cycles' | 'instructions' | 'cache_misses'): Partial<Metric> {
  const unit = name === 'cache_misses' ? 'misses' : name;
  return { primary: false, optional: true, unit, per: WRITES, from: { kind: 'counter', name } };
}

/** The made-up values are whole, and a thousandfold of what a metric has for one operation. */
function perOperation(journal: RanJournal): RanJournal {
  const trials = journal.trials.map((trial) => ({
    ...trial,
    metrics: Object.fromEntries(
      Object.entries(trial.metrics).map(([name, value]) => [name, value === null ? null : value / 1000]),
    ),
  }));
  return { ...journal, trials };
}

const CHECKS: readonly Check[] = [
  { kind: 'exit_code', code: 0 },
  { kind: 'driver', names: [] },
];

const FOUND = {
  statuses: '2097152 ok',
  entries: '2097152',
  sequence: '2097152',
  no_immutable_memtable: '0',
  contents: '1024 of 1024 keys',
  wal_bytes: '67108864',
  reopened: '1024 of 1024 keys, sequence 2097152',
  no_flush: '0 flushes',
};

function checkedWith(trial: RanTrial, found: Readonly<Record<string, string>>): RanTrial {
  const made = Object.entries(found).map(([name, detail]) => ({ name, ok: true, detail }));
  return { ...trial, checks: [...trial.checks, ...made] };
}

const BUSY = { load_1m: 1, cpu_pressure: 0, busiest: [{ name: 'fanctl', cpu: 0.99 }] };

function prepared(journal: RanJournal, workload: string, version: string, commits: Readonly<Record<string, string>>) {
  if (journal.prepared === null) return journal;
  const subject = { before: 'The parent', after: 'Keep the size of the WAL before a group is written' };
  const arms = journal.prepared.arms.map(({ arm }, at): PreparedArm => {
    const commit = commits[arm] ?? commits['after'] ?? '';
    return {
      ...{ arm, build: 0, commands: {}, warnings: [] },
      command: ['{arm.driver}', workload, '--dir', '{trial.dir}/db'],
      files: [{ path: '{arm.driver}', sha256: `${at + 1}f`.repeat(32), bytes: 12_345_678 }],
      provenance: {
        ...{ source: 'git', commit, subject: arm === 'before' ? subject.before : subject.after },
        build:
          'make -C $SOURCE -j32 static_lib DEBUG_LEVEL=0 PORTABLE=1 DISABLE_WARNING_AS_ERROR=1 CC=gcc-11 CXX=g++-11',
        library_version: version,
        compiler_version: 'g++-11 (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0',
        compile_command:
          'g++-11 -O3 -DNDEBUG -fno-rtti -std=c++17 -I include main.cc librocksdb.a -lsnappy -lz -lbz2 -lzstd -o rocksdb',
      },
    };
  });
  return { ...journal, prepared: { ...journal.prepared, arms } };
}

function withMachine(journal: RanJournal): RanJournal {
  const { experiment } = journal.run;
  const machine = { ...experiment.machine, cpu: 17, orchestrator_cpu: 13 };
  return { ...journal, run: { ...journal.run, experiment: { ...experiment, machine } } };
}

const DRIVER = { name: 'rocksdb', compiler: 'g++-11', standard: 'c++17', flags: ['-O3', '-DNDEBUG'] } as const;

const CODE: CodeComparison = {
  ...{ arm: 'after', reference: 'before', file: 'driver', arm_path: '{arm.driver}', reference_path: '{arm.driver}' },
  ...{ same_file: false, same_text: false, same_data: false, symbols: 'all', rest: 0, named: [] },
  functions: { same: 18_000, differ: 2, only_in_arm: 0, only_in_reference: 0 },
  differing: [
    {
      name: 'rocksdb::DBImpl::WriteToWAL(rocksdb::WriteThread::WriteGroup const&)',
      reference_bytes: 2400,
      arm_bytes: 2512,
    },
    { name: 'rocksdb::DBImpl::WriteImpl(rocksdb::WriteOptions const&)', reference_bytes: 9120, arm_bytes: 9204 },
  ],
  disassemblies: ['arms/before-vs-after/driver-01.txt', 'arms/before-vs-after/driver-02.txt'],
};

const OBJECTS: ObjectComparison = {
  ...{
    arm: 'after',
    reference: 'before',
    arm_path: '{arm.dir}/librocksdb.a',
    reference_path: '{arm.dir}/librocksdb.a',
  },
  ...{ same: 345, differ: 2, only_in_arm: 0, only_in_reference: 0, rest: 0, as_bytes: 0 },
  unequal: [
    { name: 'db_impl_write.o', where: 'both' },
    { name: 'log_writer.o', where: 'both' },
  ],
};

const DIFFS: readonly SourceDiff[] = [
  {
    ...{ kind: 'diff', arm: 'after', reference: 'before', path: 'arms/after/from-before.diff' },
    ...{ bytes: 6042, kept_bytes: 6042, files: 3, lines_added: 41, lines_removed: 7 },
  },
  { kind: 'same', arm: 'rebuilt', reference: 'after' },
];

const KEPT: readonly RawFile[] = ['before', 'after'].flatMap((arm) =>
  ['build.log', 'library.json', 'metadata/1-make_config.mk'].map((name) => ({
    ...{ path: `arms/${arm}/${name}`, bytes: 1000, sha256: '5a'.repeat(32) },
  })),
);

const FIVE = { before: 1, after: 1.0131, rebuilt: 1.0131, 'no-size': 1.013, 'no-publish': 1.012 };
const FIVE_INSTRUCTIONS = { before: 1, after: 1.0035, rebuilt: 1.0035, 'no-size': 1.0015, 'no-publish': 1.0034 };
const FIVE_MISSES = { before: 1, after: 1, rebuilt: 1, 'no-size': 1, 'no-publish': 1 };
const FIVE_CYCLES = { before: 1, after: 1.013, rebuilt: 1.013, 'no-size': 1.0129, 'no-publish': 1.0089 };

function writeOptions(): JournalOptions {
  const two = { before: 1, after: 1.0132 };
  const against = { rebuilt: 'after', 'no-size': 'rebuilt', 'no-publish': 'rebuilt' };
  const five = (seed: number): SideOptions['values'] => ({ write: values(545_000, FIVE, 0.002, seed, 10) });
  return {
    title: 'A commit against its parent, successful writes with a manual WAL',
    constructed: true,
    seed: 20_240_105,
    values: {
      write: values(545_000, two, 0.003, 402, 16),
      instructions: values(2_000_000, { before: 1, after: 1.0035 }, 0.0001, 411, 16),
      cycles: values(1_850_000, { before: 1, after: 1.013 }, 0.001, 421, 16),
      cache_misses: values(900, { before: 1, after: 1 }, 0.05, 431, 16),
    },
    screening: { write: values(545_000, two, 0.005, 441, 4) },
    metrics: {
      write: { per: WRITES },
      instructions: counter('instructions'),
      cycles: counter('cycles'),
      cache_misses: counter('cache_misses'),
    },
    checks: CHECKS,
    counters: 'hardware',
    rules: [{ fact: 'counter_share', when: 'below', limit: 0.99 }],
    machine: MACHINE,
    sources: {
      before: gitSource('4f2e1d0c'),
      after: gitSource('5e3d1c0a'),
      rebuilt: gitSource('5e3d1c0a', { of: 'after', copy: 1 }),
      'no-size': gitSource('5e3d1c0a', { of: 'after', copy: 2 }, 'no-size.patch'),
      'no-publish': gitSource('5e3d1c0a', { of: 'after', copy: 3 }, 'no-publish.patch'),
    },
    workload: {
      driver: DRIVER,
      command: ['{arm.driver}', 'write-manual-wal', '--dir', '{trial.dir}/db'],
      params: { writes: WRITES, batches: 1024, memtable: 'vector' },
    },
    attribution: [
      CODE,
      {
        ...CODE,
        arm: 'rebuilt',
        reference: 'after',
        same_text: true,
        functions: null,
        differing: [],
        disassemblies: [],
      },
    ],
    objects: [OBJECTS, { ...OBJECTS, arm: 'rebuilt', reference: 'after', same: 347, differ: 0, unequal: [] }],
    diffs: DIFFS,
    kept: KEPT,
    wording: Object.fromEntries(
      ['before', 'after'].map((arm) => [
        arm,
        {
          timed:
            '2,097,152 writes and a final FlushWAL(false). Not: building the batches, FlushWAL(true), closing and reopening, recovery, verification',
          not_a_claim_about: ['writes with sync = true', 'concurrent writers'],
        },
      ]),
    ),
    sides: [
      { name: 'uncounted', control: { kind: 'uncounted' }, values: { write: values(544_000, two, 0.003, 451, 10) } },
      {
        ...{ name: 'five-counted', against, counters: 'hardware' },
        values: {
          ...five(461),
          instructions: values(2_000_000, FIVE_INSTRUCTIONS, 0.0001, 471, 10),
          cycles: values(1_850_000, FIVE_CYCLES, 0.0005, 481, 10),
          cache_misses: values(900, FIVE_MISSES, 0.05, 501, 10),
        },
      },
      { ...{ name: 'five', against }, values: five(491) },
    ],
    change: (trial) => ({
      ...checkedWith(trial, FOUND),
      noise: { ...trial.noise, other_cpu: 1 },
      state: BUSY,
      counters:
        trial.phase === 'five' || trial.phase === 'uncounted'
          ? null
          : { kind: 'hardware', scope: 'region', events: {}, enabled_ns: 1e9, running_ns: 1e9 },
    }),
  };
}

/** A commit against its parent: 16 pairs, a control without counters, ten blocks of five versions with and without counters. */
export function writeRun(): RanJournal {
  const journal = perOperation(journalOf(writeOptions()));
  return withMachine(prepared(journal, 'write-manual-wal', '10.2.0', { before: BEFORE, after: AFTER }));
}

/** The same where nothing could be counted. */
export function virtualRun(): RanJournal {
  const options = writeOptions();
  const unsupported = 'this machine has no hardware counter for cycles (ENOENT): virtual machines often have none';
  const { write } = options.values;
  const journal = journalOf({
    ...options,
    values: { ...(write === undefined ? {} : { write }), instructions: { before: [null], after: [null] } },
    sides: [],
    machine: { ...MACHINE, virtual: true },
    change: (trial) => ({
      ...checkedWith(trial, FOUND),
      counters: { kind: 'hardware', scope: 'region', unsupported },
    }),
  });
  return withMachine(prepared(perOperation(journal), 'write-manual-wal', '10.2.0', { before: BEFORE, after: AFTER }));
}

const CONSTRUCTED = { sequence: '2000000', contents: '2000000 of 2000000', reopened: '2000000 of 2000000' };

/** Batches for 20 column families, and complete writes beside them. */
export function constructionRun(): RanJournal {
  const journal = journalOf({
    title: 'A commit against its parent, construction of batches',
    constructed: true,
    seed: 20_240_106,
    values: { construct: values(115_000, { before: 1, after: 1.038 }, 0.0012, 501, 16) },
    metrics: { construct: { per: 2_000_000 } },
    checks: CHECKS,
    machine: MACHINE,
    sources: { before: gitSource('6a5b4c3d'), after: gitSource('7b6c5d4e') },
    workload: {
      driver: DRIVER,
      command: ['{arm.driver}', 'write-batch-construct', '--dir', '{trial.dir}/db'],
      params: { families: 20, keys: 2_000_000, batch: 256, value_bytes: 16 },
    },
    wording: Object.fromEntries(
      ['before', 'after'].map((arm) => [
        arm,
        {
          timed:
            'allocating batches, Put with an explicit handle, and keeping the batches. Not: making keys, creating families, DB::Write, destruction, verification',
          not_a_claim_about: ['complete database writes', 'durable writes'],
        },
      ]),
    ),
    sides: [
      {
        name: 'full-writes',
        params: { operation: 'write' },
        values: { construct: values(520_000, { before: 1, after: 1.015 }, 0.003, 511, 16) },
      },
    ],
    change: (trial) => (trial.phase === 'full-writes' ? trial : checkedWith(trial, CONSTRUCTED)),
  });
  const commits = {
    before: '6a5b4c3d2e1f00112233445566778899aabbccdd',
    after: '7b6c5d4e3f2a10213243546576879809bacbdced',
  };
  return withMachine(prepared(perOperation(journal), 'write-batch-construct', '10.1.0', commits));
}
