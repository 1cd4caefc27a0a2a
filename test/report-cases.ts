/** Runs of every kind that a report must tell well, for the golden files of test/golden/report. */
import type { Check } from '../src/experiment/experiment.ts';
import type {
  CodeComparison,
  Journal,
  ObjectComparison,
  PreparedArm,
  SourceDiff,
  TrialCounters,
} from '../src/journal/records.ts';
import { IMPORT_CASES } from './imported-runs.ts';
import { balancedOrders, countOf, journalOf, STARTED_UNIX_MS, trialOf } from './journal-builder.ts';
import type { RanJournal, RanTrial } from './ran.ts';
import { BESIDE_CASES, gitSource } from './report-cases-beside.ts';
import { SLICE_CASES } from './report-cases-slices.ts';
import { around, PAIRS } from './report-values.ts';

const OLD = 'v4.1.0';
const NEW = 'v5.2.1';

function constant(value: number): number[] {
  return Array.from({ length: PAIRS }, () => value);
}

/** The second arm is `factor` times the first. */
function both(mean: number, factor: number, spread: number, seed: number, count = PAIRS) {
  return { [OLD]: around(mean, spread, seed, count), [NEW]: around(mean * factor, spread, seed + 1, count) };
}

const CHECKS: readonly Check[] = [
  { kind: 'exit_code', code: 0 },
  { kind: 'driver', names: ['reopened', 'count'] },
];

const BASE = {
  title: 'RocksDB write path, 4.1.0 against 5.2.1',
  question: 'Did the write path become slower between the two releases?',
  seed: 20_240_102,
  checks: CHECKS,
  change: checked,
};

const SECONDARY = { primary: false } as const;

/** As a driver reports that opens its database again after each trial. */
function checked(trial: RanTrial): RanTrial {
  const driver = [
    { name: 'reopened', ok: true, detail: 'opened again, no corruption' },
    { name: 'count', ok: true, detail: '100000 keys' },
  ];
  return { ...trial, checks: [...trial.checks, ...driver] };
}

function npmArm(arm: string, version: string, digits: string): PreparedArm {
  return {
    arm,
    build: 0,
    commands: {},
    command: ['/usr/bin/node', '{experiment.dir}/driver.mjs', '--module', '{arm.dir}', '--db', '{trial.dir}/db'],
    files: [
      { path: '/usr/bin/node', sha256: 'a1'.repeat(32), bytes: 99_000_000 },
      { path: '{arm.dir}/prebuilds/linux-x64/node.napi.node', sha256: digits.repeat(32), bytes: 7_654_321 },
    ],
    provenance: { package: `rocksdb@${version}`, 'tree SHA-256': digits.repeat(32), 'install scripts': 'off' },
    warnings: [],
  };
}

function withRocksdb(journal: RanJournal): RanJournal {
  if (journal.prepared === null) return journal;
  const arms = [npmArm(OLD, '4.1.0', 'b2'), npmArm(NEW, '5.2.1', 'c3')];
  return { ...journal, prepared: { ...journal.prepared, arms } };
}

function slower(): RanJournal {
  return withRocksdb(
    journalOf({
      ...BASE,
      values: {
        write: both(412_000_000, 1.0132, 0.004, 1),
        batch: both(38_200_000, 0.97, 0.006, 3),
        max_rss: both(61_000_000, 1.041, 0.01, 5),
        read: both(1_910, 1.001, 0.01, 7),
      },
      metrics: { batch: SECONDARY, max_rss: SECONDARY, read: { ...SECONDARY, per: 100_000 } },
      screening: { write: both(412_000_000, 1.0132, 0.004, 11, 4), batch: both(38_200_000, 1, 0.006, 13, 4) },
      warmup: 1,
    }),
  );
}

/** The plan stops in the fourth pair; what was asked for is more. */
function incomplete(): RanJournal {
  return journalOf({
    ...BASE,
    values: { write: both(412_000_000, 1.0132, 0.004, 1, 7) },
    planned: PAIRS,
    end: { kind: 'signal', signal: 'SIGINT' },
  });
}

function failed(): RanJournal {
  const message = 'expected 100000 keys, found 99998';
  return journalOf({
    ...BASE,
    values: { write: both(412_000_000, 1.0132, 0.004, 1, 5) },
    planned: PAIRS,
    change: (trial, index) => {
      if (index !== 9) return checked(trial);
      const checks = [...trial.checks, { name: 'count', ok: false, detail: message }];
      return { ...trial, checks, failure: { kind: 'check', check: 'count', message } };
    },
    end: { kind: 'trial_failed' },
  });
}

/** Two pairs met a busy machine and were repeated after the plan, one was interrupted and repeated in its place. */
function rejected(): RanJournal {
  const values = { write: both(412_000_000, 0.985, 0.004, 21) };
  const repeats = [2, 9].flatMap((block, index) => {
    const order = balancedOrders([OLD, NEW], PAIRS)[block - 1] ?? [];
    return order.map((arm, position) =>
      checked(
        trialOf(
          { phase: 'confirmation', block, position: position + 1, arm, attempt: 2 },
          2 * PAIRS + 2 * index + position,
          { write: arm === OLD ? 412_300_000 : 405_900_000 },
        ),
      ),
    );
  });
  return journalOf({
    ...BASE,
    values,
    rules: [
      { fact: 'steal', when: 'above', limit: 0.05 },
      { fact: 'frequency_hz', when: 'below', limit: 2_900_000_000 },
    ],
    change: (trial, index) => {
      if (index === 2) return checked({ ...trial, noise: { ...trial.noise, steal: 0.1234 } });
      if (index === 17) return checked({ ...trial, noise: { ...trial.noise, frequency_hz: 2_100_000_000 } });
      return checked(trial);
    },
    appended: repeats,
    resumptions: [{ kind: 'resumed', unix_ms: STARTED_UNIX_MS + 60_000, assay: '0.1.0', dropped_bytes: 117 }],
    earlier: [
      { name: '2024-01-01T10-00-00Z-write-path', started_unix_ms: STARTED_UNIX_MS - 61_445_000, finished: true },
    ],
  });
}

function threeArms(): RanJournal {
  const count = 18;
  const arms = { leveled: 1, universal: 1.062, fifo: 0.981 };
  const values = (mean: number, spread: number, seed: number) =>
    Object.fromEntries(
      Object.entries(arms).map(([arm, factor], index) => [arm, around(mean * factor, spread, seed + index, count)]),
    );
  const { question: _, ...base } = BASE;
  return journalOf({
    ...base,
    title: 'Compaction styles under a load of inserts',
    values: { insert: values(812_000_000, 0.01, 31), written: values(1_530_000_000, 0.002, 41) },
    metrics: { written: { unit: 'bytes', primary: false } },
    decision: { threshold: 0.01 },
  });
}

const HOSTILE_OLD = '=cmd|calc!A0';
const HOSTILE_NEW = '\u001b[31m`new` @torvalds\u202e';

/** Names, units, messages and origins by somebody who means no good. */
function hostile(): RanJournal {
  const metric = '**write** <img src=x> |\r\n# pwned';
  const journal = journalOf({
    ...BASE,
    title: '\u001b]0;owned\u0007# [click](javascript:alert(1)) @everyone #1',
    question: 'line one\n\n## line two\n![](https://evil.example/x.png)',
    values: {
      [metric]: { [HOSTILE_OLD]: around(5_000, 0.01, 51), [HOSTILE_NEW]: around(5_400, 0.01, 52) },
      '-測試\u3164': { [HOSTILE_OLD]: around(7_000, 0.01, 53), [HOSTILE_NEW]: around(6_500, 0.01, 54) },
    },
    metrics: {
      [metric]: { unit: '`us|</td>' },
      '-測試\u3164': { primary: false, unit: '\u009b31m/s', better: 'higher' },
    },
    earlier: [{ name: 'run\n<script>', started_unix_ms: STARTED_UNIX_MS, finished: false }],
    machine: {
      ...{ cpu_model: 'CPU | `fast` <b>\u202e', kernel: '6.1\u001b[2J' },
      storage: {
        ...{ source: 'block', layers: ['encryption', 'raid'] },
        disks: [0, 1].map(() => ({ kind: 'scsi', model: '`|<b>\u202e @x', bytes: null, rotational: null })),
      },
    },
  });
  if (journal.prepared === null) return journal;
  const arms = journal.prepared.arms.map((arm) => ({
    ...arm,
    command: ['./db', "it's", '```\n# out of the fence', '$(reboot)'],
    provenance: { 'origin\n- x': '```\n<script>alert(1)</script>' },
  }));
  return { ...journal, prepared: { ...journal.prepared, arms } };
}

const COUNTED: TrialCounters = { kind: 'hardware', scope: 'region', events: {}, enabled_ns: 1e9, running_ns: 1e9 };

/** A driver that counted, for whole operations; `counters` is what each of its trials has. */
function withCounters(counters: (index: number) => TrialCounters): RanJournal {
  const some = 'unsupported' in counters(0) ? [null] : [];
  const events = { [OLD]: around(4_120, 0.002, 131), [NEW]: around(4_178, 0.002, 132) };
  const none = { [OLD]: some, [NEW]: some };
  return journalOf({
    ...BASE,
    values: { write: both(412, 1.0132, 0.004, 1), instructions: some.length === 0 ? events : none },
    metrics: {
      write: { per: 1_000_000 },
      instructions: {
        ...{ primary: false, optional: true, unit: 'instructions', per: 1_000_000 },
        from: { kind: 'counter', name: 'instructions' },
      },
    },
    counters: 'hardware',
    rules: [{ fact: 'counter_share', when: 'below', limit: 0.99 }],
    change: (trial, index) => ({ ...checked(trial), counters: counters(index) }),
  });
}

/** The second arm did twice the work: one metric is divided by what each trial did, the other by one number for all. */
function unequalWork(): RanJournal {
  return journalOf({
    ...BASE,
    values: { write: both(412, 1.0132, 0.004, 1), read: both(1_910, 1.001, 0.01, 7) },
    metrics: { write: { per: { pointer: '/operations' } }, read: { ...SECONDARY, per: 1_000_000 } },
    change: (trial) => ({
      ...checked(trial),
      operations: { '/operations': trial.arm === OLD ? 1_000_000 : 2_000_000 },
    }),
  });
}

const ADD =
  'rocksdb::WriteBatchInternal::Put(rocksdb::WriteBatch*, unsigned int, rocksdb::Slice const&, rocksdb::Slice const&)';
const LONG = `std::__detail::_Map_base<unsigned int, std::pair<unsigned int const, ${'std::allocator<std::pair<unsigned int const, unsigned long> >, '.repeat(4)}std::hash<unsigned int> >::operator[]`;
const APPEND = 'std::__cxx11::basic_string<char>::_M_append(char const*, unsigned long)';

const DRIVER_BASE = {
  ...BASE,
  title: 'Protection bytes of WriteBatch: 0 against 8',
  question: 'What does building a protected batch cost?',
  metrics: { construct: { per: 200_000 } },
  workload: {
    driver: { name: 'rocksdb', compiler: null, standard: null, flags: ['-O3', '-DNDEBUG'] },
    command: ['{arm.driver}', 'write-batch-construct', '--dir', '{trial.dir}/db', '--keys', '{params.keys}'],
    params: { keys: 200_000 },
  },
} as const;

const CONSTRUCT = {
  timed:
    'Put of prepared keys and values into batches, and keeping the batches. Not: opening, applying or checking them.',
  not_a_claim_about: ['whole writes', 'latency of durable writes', 'other memtables'],
};

function withDriver(journal: RanJournal): RanJournal {
  if (journal.prepared === null) return journal;
  const arms = journal.prepared.arms.map(({ arm }, at) => ({
    arm,
    build: 0,
    commands: {},
    command: ['{arm.driver}', 'write-batch-construct', '--dir', '{trial.dir}/db', '--keys', '200000'],
    files: [{ path: '{arm.driver}', sha256: `${at}4`.repeat(32), bytes: 1_234_567 }],
    provenance: {
      source: 'pkg-config rocksdb',
      compile_command: `/usr/bin/g++ -std=c++17 -O3 -DNDEBUG drivers/rocksdb/main.cc -lrocksdb -o /cache/${arm}/rocksdb`,
    },
    warnings: [],
  }));
  const { experiment } = journal.run;
  const run = { ...journal.run, experiment: { ...experiment, arms: experiment.arms.map(commandless) as never } };
  return { ...journal, run, prepared: { ...journal.prepared, arms } };
}

/** The workload's command is the trial. */
function commandless(arm: Journal['run']['experiment']['arms'][number]): typeof arm {
  return { ...arm, command: null };
}

/** Twelve instructions more in each of 20,000 operations, told by three functions; the rest is alike. */
function counted(): RanJournal {
  const before = countOf({ [ADD]: 4_200_000, [APPEND]: 1_800_000, malloc: 900_000, memcpy: 600_000 }, 20_000, 41_217);
  const after = countOf(
    { [ADD]: 4_300_000, [LONG]: 160_000, [APPEND]: 1_780_000, malloc: 900_000, memcpy: 600_000 },
    20_000,
    41_217,
  );
  return withDriver(
    journalOf({
      ...DRIVER_BASE,
      values: { construct: both(20_600, 1.0132, 0.004, 1) },
      counts: { [OLD]: [before, before], [NEW]: [after, after] },
      counting: { params: { keys: 20_000 }, region: 'assay_timed_write_batch_construct' },
      wording: { [OLD]: CONSTRUCT, [NEW]: CONSTRUCT },
    }),
  );
}

/** Fewer instructions, yet more time; what was counted varies. */
function countedRanged(): RanJournal {
  const count = (put: number, hash: number) =>
    countOf({ [ADD]: put, [LONG]: hash, malloc: 900_100 + hash }, 20_000, 500);
  return withDriver(
    journalOf({
      ...DRIVER_BASE,
      values: { construct: both(20_600, 1.0132, 0.004, 1) },
      counts: {
        [OLD]: [count(4_200_000, 30_000), count(4_200_000, 31_000), count(4_200_000, 30_417)],
        [NEW]: [count(4_102_000, 30_200), count(4_102_000, 30_100), count(4_102_000, 30_900)],
      },
      wording: { [NEW]: { timed: null, not_a_claim_about: ['reads'] } },
    }),
  );
}

/** A control: the same program twice. */
function countedSame(): RanJournal {
  const count = countOf({ [ADD]: 4_200_000, malloc: 900_000 }, 20_000, 41_217);
  return withDriver(
    journalOf({
      ...DRIVER_BASE,
      values: { construct: both(20_600, 1.0001, 0.004, 31) },
      counts: { [OLD]: [count, count], [NEW]: [count, count] },
      counting: { params: { keys: 20_000 } },
      wording: { [OLD]: CONSTRUCT, [NEW]: CONSTRUCT },
    }),
  );
}

/** Whole processes of three arms, names and wording by somebody who means no good, and no time beside them. */
function countedHostile(): RanJournal {
  const nasty = 'operator|<`x`>::**f**_g_(\u001b[31m, @torvalds #1)';
  const counts = (extra: number, noise: number) =>
    [0, noise].map((more) => countOf({ [nasty]: 500_000_000 + extra, main: 700_123 + more }, null, 77));
  return journalOf({
    ...BASE,
    values: {
      size: Object.fromEntries(
        [HOSTILE_OLD, HOSTILE_NEW, 'third'].map((arm, at) => [arm, around(9_000 + at, 0.01, at, 18)]),
      ),
    },
    metrics: { size: { unit: 'bytes' } },
    counts: { [HOSTILE_OLD]: counts(0, 0), [HOSTILE_NEW]: counts(1_234_567, 4_321), third: counts(12, 999) },
    counting: { region: null, params: { 'a|b': '`<c>`' } },
    wording: {
      [HOSTILE_OLD]: { timed: '# all | of `it`\u001b[2J', not_a_claim_about: ['[x](http://evil.example)', '<b>'] },
      third: { timed: 'nothing', not_a_claim_about: [] },
    },
  });
}

const CODE: CodeComparison = {
  ...{ arm: NEW, reference: OLD, file: 'driver', arm_path: '{arm.driver}', reference_path: '{arm.driver}' },
  ...{ same_file: false, same_text: false, same_data: false, symbols: 'all', functions: null, differing: [], rest: 0 },
  ...{ named: [], disassemblies: [] },
};

function functionNames(count: number): CodeComparison['differing'] {
  return Array.from({ length: count }, (_, at) => ({
    name: `rocksdb::WriteBatch::Put${at}(rocksdb::ColumnFamilyHandle*, rocksdb::Slice const&, rocksdb::Slice const&)`,
    reference_bytes: at === 2 ? null : 12_460 - at,
    arm_bytes: at === 3 ? null : 12_900 - 10 * at,
  }));
}

/** One comparison of each kind. */
function machineCode(): RanJournal {
  const values = { write: both(412_000_000, 1.0132, 0.004, 1) };
  const folder = `arms/${OLD}-vs-${NEW}`;
  const functions = { same: 18_521, differ: 10, only_in_arm: 1, only_in_reference: 1 };
  const attribution: readonly CodeComparison[] = [
    {
      ...CODE,
      functions,
      differing: functionNames(12),
      disassemblies: [`${folder}/driver-01-a.txt`, `${folder}/driver-02-b.txt`],
    },
    { ...CODE, file: 'library', symbols: 'exported', functions, differing: functionNames(20), rest: 380 },
    {
      ...CODE,
      functions: { same: 17, differ: 0, only_in_arm: 0, only_in_reference: 0 },
      named: [{ name: 'assay_timed_write', reference_bytes: 412, arm_bytes: 412, same: true }],
    },
    { ...CODE, same_text: true, same_data: true },
    {
      ...{ ...CODE, same_text: true },
      named: [{ name: '`|\n# pwned @x \u001b[31m', reference_bytes: 1234, arm_bytes: null, same: false }],
    },
    { ...CODE, same_file: true, same_text: true, same_data: true },
    { ...CODE, symbols: 'none' },
    CODE,
  ];
  const objects: ObjectComparison = {
    ...{ arm: NEW, reference: OLD, arm_path: '{arm.dir}/librocksdb.a', reference_path: '{arm.dir}/librocksdb.a' },
    ...{ same: 300, differ: 23, only_in_arm: 1, only_in_reference: 0, rest: 12, as_bytes: 3 },
    unequal: [
      { name: '`|\n# pwned @x \u001b[31m.o', where: 'arm' },
      ...Array.from({ length: 11 }, (_, at) => ({ name: `db_impl_${at}.cc.o`, where: 'both' as const })),
    ],
  };
  const same = { same: 1, differ: 0, only_in_arm: 0, rest: 0, as_bytes: 0, unequal: [] };
  const diffs: readonly SourceDiff[] = [
    {
      ...{ kind: 'diff', arm: NEW, reference: OLD, path: `arms/${NEW}/from-${OLD}.diff`, bytes: 12_000_000 },
      ...{ kept_bytes: 8_388_600, files: 1, lines_added: 200_000, lines_removed: 1 },
    },
    { kind: 'none', arm: NEW, reference: OLD, why: 'git could not compare them: <b>|\u001b[31m' },
    { kind: 'same', arm: NEW, reference: OLD },
  ];
  const sources = { [OLD]: gitSource('v1'), [NEW]: gitSource('v2') };
  const kept = [{ path: `arms/${NEW}/library.json`, bytes: 1000, sha256: '5a'.repeat(32) }];
  return journalOf({ ...BASE, values, attribution, sources, diffs, kept, objects: [objects, { ...objects, ...same }] });
}

/** A long run: `pairs` pairs of `count` metrics, some of whose trials met a busy machine. */
export function manyTrials(pairs: number, count: number): RanJournal {
  const names = Array.from({ length: count }, (_, index) => `metric-${index + 1}`);
  return journalOf({
    ...BASE,
    title: 'A long run',
    values: Object.fromEntries(names.map((name, index) => [name, both(400_000_000, 1.004, 0.01, 201 + index, pairs)])),
    metrics: Object.fromEntries(names.slice(1).map((name) => [name, SECONDARY])),
    decision: { threshold: 0.002, margin: 0.02 },
    rules: [{ fact: 'steal', when: 'above', limit: 0.05 }],
    max_repeats: 0,
    change: (trial, index) => {
      const steal = index % 97 === 5 ? 0.06 + (index % 11) / 100 : (index % 13) / 1000;
      return checked({ ...trial, noise: { ...trial.noise, steal, other_cpu: 0.02 + (index % 29) / 200 } });
    },
  });
}

/** Five releases in blocks. */
export function fiveArms(): RanJournal {
  const arms = { 'v6.29.5': 1, 'v7.10.2': 0.99, 'v8.1.1': 1.03, 'v9.0.0': 1.045, 'main-with-a-long-name': 1.02 };
  const values = (mean: number, seed: number) =>
    Object.fromEntries(
      Object.entries(arms).map(([arm, factor], index) => [arm, around(mean * factor, 0.01, seed + index, 20)]),
    );
  return journalOf({
    ...BASE,
    title: 'Five releases',
    values: { write: values(400_000_000, 301), read: values(2_000_000, 311) },
    metrics: { read: SECONDARY },
    decision: { threshold: 0.01 },
  });
}

/** Every golden case by its name; each name is the stem of its files. */
export const REPORT_CASES: Readonly<Record<string, () => Journal>> = {
  slower,
  faster: () =>
    journalOf({ ...BASE, values: { write: both(412_000_000, 0.942, 0.008, 61) }, decision: { threshold: 0.02 } }),
  equivalent: () =>
    journalOf({ ...BASE, values: { write: both(412_000_000, 1.001, 0.006, 71) }, decision: { margin: 0.02 } }),
  measurably: () =>
    journalOf({ ...BASE, values: { write: both(412_000_000, 1.0061, 0.003, 81) }, decision: { margin: 0.02 } }),
  inconclusive: () => journalOf({ ...BASE, values: { write: both(412_000_000, 1.003, 0.025, 91) } }),
  failed,
  exact: () =>
    journalOf({
      ...BASE,
      values: {
        written: { [OLD]: constant(104_857_600), [NEW]: constant(106_954_752) },
        files: { [OLD]: constant(12), [NEW]: constant(12) },
      },
      metrics: { written: { unit: 'bytes' }, files: { unit: 'files', primary: false } },
    }),
  'several-primaries': () =>
    journalOf({
      ...BASE,
      values: {
        write: both(412_000_000, 1.031, 0.008, 101),
        read: both(1_910_000, 0.988, 0.012, 103),
        throughput: both(242_718, 0.994, 0.02, 105),
        stalls: both(310_000, 1.3, 0.3, 107),
      },
      metrics: { throughput: { unit: 'ops/s', better: 'higher' }, stalls: { primary: false, kind: 'difference' } },
    }),
  extremes: () =>
    journalOf({
      ...BASE,
      values: {
        write: both(412_000_000, 13.4, 0.03, 121),
        scan: both(5_000_000_000, 0.0001, 0.2, 123),
        seek: both(900, 400_000, 0.9, 125),
      },
      metrics: { scan: SECONDARY, seek: { ...SECONDARY, unit: 'seeks' } },
    }),
  'three-arms': threeArms,
  rejected,
  'missing-optional': () =>
    journalOf({
      ...BASE,
      values: {
        write: both(412_000_000, 1.0132, 0.004, 1),
        stall: { [OLD]: around(900_000, 0.1, 111), [NEW]: Array.from({ length: PAIRS }, () => null) },
      },
      metrics: { stall: { primary: false, optional: true } },
    }),
  incomplete,
  'rejected-too-often': () =>
    journalOf({
      ...BASE,
      values: { write: both(412_000_000, 1.0132, 0.004, 1) },
      rules: [{ fact: 'other_cpu', when: 'above', limit: 0.5 }],
      max_repeats: 0,
      change: (trial, index) =>
        checked(index % 7 === 0 ? { ...trial, noise: { ...trial.noise, other_cpu: 1.25 } } : trial),
    }),
  hostile,
  counters: () => withCounters((index) => (index === 5 ? { ...COUNTED, running_ns: 0.9925e9 } : COUNTED)),
  'counters-unsupported': () =>
    withCounters(() => ({
      kind: 'hardware',
      scope: 'region',
      unsupported: 'this machine has no hardware counter for cycles (ENOENT): virtual machines often have none',
    })),
  'unequal-work': unequalWork,
  counted,
  'counted-ranged': countedRanged,
  'counted-same': countedSame,
  'counted-hostile': countedHostile,
  'machine-code': machineCode,
  ...IMPORT_CASES,
  ...BESIDE_CASES,
  ...SLICE_CASES,
};
