/**
 * Makes journals from arrays of values, for tests of analysis and reports. Everything has a quiet default: a clean,
 * complete run of two arms on an idle machine, one block a second.
 */
import type { CounterMode } from '../src/experiment/counters.ts';
import type {
  Arm,
  ArmSource,
  Check,
  Counting,
  Decision,
  Experiment,
  Metric,
  RejectRule,
  SideDesign,
  UnchangedMetric,
  Workload,
} from '../src/experiment/experiment.ts';
import type { MachineFacts } from '../src/host/machine.ts';
import type {
  DriverWording,
  EndRecord,
  InstructionCount,
  InterruptedRecord,
  PreparedRecord,
  ResumedRecord,
  RunRecord,
} from '../src/journal/records.ts';
import type { Phase, Plan, PlannedPhase, PlannedTrial } from '../src/plan/plan.ts';
import type { LaunchAccount } from '../src/trial/launch.ts';
import type { RanJournal, RanTrial } from './ran.ts';

/** Values of one metric: for each arm one number a block. */
type MetricValues = Readonly<Record<string, readonly (number | null)[]>>;
/** For each metric its values. */
type PhaseValues = Readonly<Record<string, MetricValues>>;

/** A control or side comparison. Arms are in the order in which they stand in the values unless `arms` is given. */
export type SideOptions = Partial<SideDesign> & {
  readonly name: string;
  readonly values: PhaseValues;
  /** Default: `balancedOrders`. */
  readonly orders?: readonly (readonly string[])[];
  /** Trials after the planned ones, such as repeats. */
  readonly appended?: readonly RanTrial[];
};

export interface JournalOptions {
  /** Values of the confirmation. Arms are in the order in which they stand here unless `arms` is given. */
  readonly values: PhaseValues;
  readonly screening?: PhaseValues;
  /** Blocks of warm-up before the confirmation. */
  readonly warmup?: number;
  /** Order of the arms; the first is the reference unless `reference` is given. */
  readonly arms?: readonly string[];
  readonly reference?: string;
  /** Metrics by name; what is not given is a primary metric in ns, lower is better. */
  readonly metrics?: Readonly<Record<string, Partial<Metric>>>;
  readonly decision?: Partial<Decision>;
  readonly rules?: readonly RejectRule[];
  readonly counters?: CounterMode;
  readonly max_repeats?: number;
  readonly max_gap_ms?: number;
  readonly checks?: readonly Check[];
  /** Order of arms of each confirmation block; default `balancedOrders`. */
  readonly orders?: readonly (readonly string[])[];
  /** The confirmation may end early; `max` is as many as there are values, or as are planned. */
  readonly sequential?: { readonly min: number; readonly max: number };
  /** More planned confirmation blocks than there are values: the run is incomplete. */
  readonly planned?: number;
  readonly title?: string;
  readonly question?: string;
  readonly seed?: number;
  readonly machine?: Partial<MachineFacts>;
  readonly overhead_ns?: number;
  readonly limitations?: PreparedRecord['launcher']['limitations'];
  readonly attribution?: PreparedRecord['attribution'];
  readonly objects?: PreparedRecord['objects'];
  readonly diffs?: PreparedRecord['diffs'];
  readonly kept?: PreparedRecord['kept'];
  readonly earlier?: RunRecord['earlier'];
  readonly interruptions?: readonly InterruptedRecord[];
  readonly resumptions?: readonly ResumedRecord[];
  /** Default: the plan was run to its end. Null: no end record. */
  readonly end?: EndRecord['reason'] | null;
  /** The last word on every trial, in the order in which they ran; `index` counts from 0. */
  readonly change?: (trial: RanTrial, index: number) => RanTrial;
  /** Trials after the planned ones, such as repeats. */
  readonly appended?: readonly RanTrial[];
  /** Counts of each arm, after all that is timed. */
  readonly counts?: Readonly<Record<string, readonly InstructionCount[]>>;
  readonly counting?: Partial<Counting>;
  /** What the driver of each arm says, in its first trial. */
  readonly wording?: Readonly<Record<string, DriverWording>>;
  readonly workload?: Partial<Workload>;
  readonly constructed?: boolean;
  /** All values together are those of its runs. */
  readonly calibrates?: Experiment['calibrates'];
  /** What the run cites. */
  readonly calibration?: RunRecord['calibration'];
  readonly builds?: number;
  readonly sides?: readonly SideOptions[];
  readonly unchanged?: readonly UnchangedMetric[];
  /** Where arms come from; what is not given is a command. */
  readonly sources?: Readonly<Record<string, ArmSource>>;
}

export const STARTED_UNIX_MS = Date.UTC(2024, 0, 2, 3, 4, 5);
const TRIAL_NS = 500_000_000;

/** AB BA BA AB … for two arms; rotations for more. */
export function balancedOrders(arms: readonly string[], blocks: number): readonly (readonly string[])[] {
  const flipped = [false, true, true, false];
  return Array.from({ length: blocks }, (_, block) => {
    if (arms.length === 2) {
      return flipped[block % 4] === true ? [...arms].reverse() : [...arms];
    }
    const shift = block % arms.length;
    return [...arms.slice(shift), ...arms.slice(0, shift)];
  });
}

export function metricOf(name: string, changes: Partial<Metric> = {}): Metric {
  const system = name === 'wall' || name === 'cpu' || name === 'max_rss';
  return {
    name,
    unit: name === 'max_rss' ? 'bytes' : 'ns',
    better: 'lower',
    primary: true,
    per: null,
    kind: 'ratio',
    optional: false,
    from: system ? { kind: 'system', name } : { kind: 'result', pointer: `/metrics/${name}` },
    threshold: 0,
    margin: null,
    ...changes,
  };
}

export function accountOf(changes: Partial<LaunchAccount> = {}): LaunchAccount {
  const fine = { method: 'wait4', resolution: 1000, scope: 'the trial and its descendants' };
  return {
    outcome: { kind: 'exited', code: 0 },
    wall_ns: TRIAL_NS,
    cpu_ns: TRIAL_NS,
    max_rss_bytes: 50_000_000,
    leftovers: 0,
    counters: null,
    accounting: {
      wall: { method: 'CLOCK_MONOTONIC_RAW', resolution: 1, scope: 'the trial' },
      cpu: fine,
      max_rss: { ...fine, resolution: 4096, scope: 'the largest process' },
    },
    started_boot_ns: 1_000_000_000,
    ended_boot_ns: 1_000_000_000 + TRIAL_NS,
    started_unix_ms: STARTED_UNIX_MS,
    settled_ns: 1_000_000,
    ...changes,
  };
}

/** A trial that went well; `slot` is its place in time, one slot a trial. */
export function trialOf(
  place: PlannedTrial & { readonly attempt?: number },
  slot: number,
  metrics: Readonly<Record<string, number | null>>,
  changes: Partial<RanTrial> = {},
): RanTrial {
  const started = 1_000_000_000 + slot * 2 * TRIAL_NS;
  return {
    kind: 'trial',
    attempt: 1,
    ...place,
    account: accountOf({
      started_boot_ns: started,
      ended_boot_ns: started + TRIAL_NS,
      started_unix_ms: STARTED_UNIX_MS + (slot * 2 * TRIAL_NS) / 1e6,
    }),
    metrics,
    operations: {},
    checks: [{ name: 'exit_code', ok: true, detail: '0' }],
    counted: null,
    wording: null,
    reader_warnings: [],
    failure: null,
    last_words: null,
    counters: null,
    noise: { steal: 0, other_cpu: 0.01, frequency_hz: 3_000_000_000 },
    state: null,
    raw: [],
    session: null,
    ...changes,
  };
}

function armOf(name: string, source: ArmSource = { kind: 'command' }): Arm {
  return { name, source, library: null, command: [`./${name}`], env: {}, params: {} };
}

function blocksOf(values: PhaseValues): number {
  return Math.max(0, ...Object.values(values).flatMap((arms) => Object.values(arms).map((list) => list.length)));
}

function trialsOf(phase: Phase, values: PhaseValues, blocks: PlannedPhase['blocks'], from: number): RanTrial[] {
  const trials: RanTrial[] = [];
  const count = phase === 'warmup' ? blocks.length : Math.min(blocks.length, blocksOf(values));
  for (const [index, order] of blocks.slice(0, count).entries()) {
    for (const [position, arm] of order.entries()) {
      const metrics: Record<string, number | null> = {};
      for (const [name, byArm] of Object.entries(values)) {
        metrics[name] = byArm[arm]?.[phase === 'warmup' ? 0 : index] ?? null;
      }
      trials.push(trialOf({ phase, block: index + 1, position: position + 1, arm }, from + trials.length, metrics));
    }
  }
  return trials;
}

function experimentOf(options: JournalOptions, arms: readonly string[], planned: number): Experiment {
  const [first, second, ...rest] = arms.map((arm) => armOf(arm, options.sources?.[arm]));
  const [firstArm = '', secondArm = '', ...otherArms] = confirmationArms(options);
  const decision: Decision = { level: 0.95, threshold: 0, margin: null, ...options.decision };
  const [metric, ...metrics] = Object.keys(options.values).map((name) =>
    metricOf(name, { threshold: decision.threshold, margin: decision.margin, ...options.metrics?.[name] }),
  );
  if (first === undefined || second === undefined || metric === undefined) {
    throw new Error('a journal needs two arms and a metric');
  }
  return {
    title: options.title ?? 'write path',
    question: options.question ?? null,
    constructed: options.constructed ?? false,
    arms: [first, second, ...rest],
    reference: options.reference ?? first.name,
    workload: {
      driver: null,
      command: null,
      shell: false,
      cwd: '{trial.dir}',
      env: {},
      pass_env: [],
      stdin: null,
      timeout_ms: 600_000,
      params: {},
      max_output_bytes: 16_777_216,
      drop_caches: false,
      memory_limit_bytes: null,
      device: null,
      ...options.workload,
    },
    metrics: [metric, ...metrics],
    checks: options.checks ?? [{ kind: 'exit_code', code: 0 }],
    sides: (options.sides ?? []).map(sideOf),
    unchanged: options.unchanged ?? [],
    design: {
      arms: [firstArm, secondArm, ...otherArms],
      builds: options.builds ?? 1,
      screening_pairs: options.screening === undefined ? 0 : blocksOf(options.screening),
      confirmation_pairs: planned,
      sequential: options.sequential === undefined ? null : { min_pairs: options.sequential.min },
      warmup: options.warmup ?? 0,
      order: 'balanced',
      slices: null,
      seed: options.seed ?? 7,
      max_gap_ms: options.max_gap_ms ?? null,
    },
    counters: options.counters ?? 'off',
    machine: {
      cpu: 1,
      orchestrator_cpu: 0,
      layout: 'random',
      environment_padding: 0,
      real_time: false,
      require: { governor: null, turbo: null, virtual: null, min_cpus: null, max_load: null },
    },
    reject: { rules: options.rules ?? [], max_repeats: options.max_repeats ?? 2 },
    decision,
    counting: options.counts === undefined ? null : countingOf(options),
    attribution: null,
    calibrates: options.calibrates ?? null,
    trial_dir: null,
  };
}

function confirmationArms(options: JournalOptions): readonly string[] {
  return options.arms ?? Object.keys(Object.values(options.values)[0] ?? {});
}

function sideArms({ arms, values }: SideOptions): readonly string[] {
  return arms ?? Object.keys(Object.values(values)[0] ?? {});
}

function sideOf(options: SideOptions): SideDesign {
  const { values, orders: _, appended: __, ...given } = options;
  const [first = '', second = '', ...rest] = sideArms(options);
  return {
    ...{ control: null, arms: [first, second, ...rest], blocks: blocksOf(values), against: {} },
    ...{ counters: 'off', command: null, params: {}, metrics: null },
    ...given,
  };
}

function countingOf({ counts = {}, counting }: JournalOptions): Counting {
  const repeats = Math.max(...Object.values(counts).map((list) => list.length));
  return {
    ...{ tool: 'callgrind', repeats, region: 'assay_timed_*', params: {}, per: null, timeout_ms: 3_600_000 },
    ...counting,
  };
}

/** Instructions of one trial: of each function, what is left over being `rest`. */
export function countOf(
  functions: Readonly<Record<string, number>>,
  operations: number | null = null,
  rest = 0,
): InstructionCount {
  const sorted = Object.entries(functions).sort(([, a], [, b]) => b - a);
  return {
    instructions: sorted.reduce((sum, [, own]) => sum + own, rest),
    operations,
    functions: sorted.map(([name, instructions]) => ({ name, instructions })),
    rest,
  };
}

function countedTrials(counts: JournalOptions['counts'], blocks: PlannedPhase['blocks'], from: number): RanTrial[] {
  return blocks.flatMap((order, index) =>
    order.flatMap((arm, position) => {
      const counted = counts?.[arm]?.[index];
      if (counted === undefined) return [];
      const place = { phase: 'counting', block: index + 1, position: position + 1, arm } as const;
      return [trialOf(place, from + index * order.length + position, {}, { counted })];
    }),
  );
}

export function journalOf(options: JournalOptions): RanJournal {
  const arms = confirmationArms(options);
  const allArms = [...new Set([...arms, ...(options.sides ?? []).flatMap(sideArms)])];
  const planned = options.planned ?? blocksOf(options.values);
  const confirmation = options.orders ?? balancedOrders(arms, planned);
  const phases: PlannedPhase[] = [];
  const trials: RanTrial[] = [];
  const add = (phase: Phase, blocks: PlannedPhase['blocks'], values: PhaseValues) => {
    phases.push({ phase, blocks });
    for (const trial of trialsOf(phase, values, blocks, trials.length)) trials.push(trial);
  };
  if (options.screening !== undefined) {
    add('screening', balancedOrders(arms, blocksOf(options.screening)), options.screening);
  }
  if (options.warmup !== undefined && options.warmup > 0) {
    add('warmup', balancedOrders(arms, options.warmup), options.values);
  }
  add('confirmation', confirmation, options.values);
  const changed = options.change === undefined ? trials : trials.map(options.change);
  const timed = [...changed, ...(options.appended ?? [])];
  for (const side of options.sides ?? []) {
    const blocks = side.orders ?? balancedOrders(sideArms(side), blocksOf(side.values));
    phases.push({ phase: side.name, blocks });
    const ran = trialsOf(side.name, side.values, blocks, timed.length);
    const from = timed.length;
    timed.push(...ran.map((trial, index) => options.change?.(trial, from + index) ?? trial), ...(side.appended ?? []));
  }
  if (options.counts !== undefined) {
    phases.push({ phase: 'counting', blocks: balancedOrders(arms, countingOf(options).repeats) });
  }
  const counted =
    options.counts === undefined ? [] : countedTrials(options.counts, phases.at(-1)?.blocks ?? [], timed.length);
  const all = [...timed, ...counted].map((trial, index, trials) => {
    const isFirst = trials.findIndex(({ arm }) => arm === trial.arm) === index;
    return isFirst ? { ...trial, wording: options.wording?.[trial.arm] ?? null } : trial;
  });
  const sequential = options.sequential ?? null;
  const plan: Plan = {
    seed: options.seed ?? 7,
    sequential: sequential === null || options.calibrates != null ? null : { ...sequential, c2: 1 },
    phases,
  };
  return {
    run: {
      kind: 'run',
      version: 1,
      assay: '0.1.0',
      versions: { node: '20.19.0', re2js: '2.10.0' },
      started_unix_ms: STARTED_UNIX_MS,
      source: { name: 'experiment.yaml', text: 'title: write path\n', sha256: 'ab'.repeat(32) },
      experiment: experimentOf(options, allArms, planned / (options.calibrates?.runs ?? 1)),
      experiment_id: 'cd'.repeat(32),
      plan,
      imported: null,
      machine: {
        platform: 'linux',
        arch: 'x64',
        kernel: '6.1.0',
        distribution: 'Example Linux 12',
        c_library: 'glibc 2.36',
        cpu_model: 'Example CPU',
        cpus: 4,
        cores: 2,
        sockets: 1,
        memory_bytes: 8_000_000_000,
        virtual: false,
        governor: 'performance',
        turbo: false,
        node: '20.19.0',
        machine_id: 'ef'.repeat(32),
        boot_id: '01'.repeat(16),
        file_system: 'ext4',
        storage: {
          source: 'block',
          layers: [],
          disks: [{ kind: 'nvme', model: 'Example SSD 980', bytes: 1_000_204_886_016, rotational: false }],
        },
        free_bytes: 100_000_000_000,
        allowed_cpus: '0-3',
        isolated_cpus: '',
        smt_siblings: ['0,2', '1,3'],
        frequency: { driver: 'intel_pstate', governors: ['performance'], min_hz: 2_000_000_000, max_hz: 2_000_000_000 },
        steal: 0,
        control_group: {
          version: 2,
          cpu_quota: null,
          periods: null,
          throttled_periods: null,
          throttled_ns: null,
          memory_limit_bytes: null,
        },
        numa_nodes: ['0-3'],
        memory_available_bytes: 6_000_000_000,
        swap: { total_bytes: 0, used_bytes: 0, swappiness: 60 },
        huge_pages: { transparent: 'madvise', reserved: 0, page_bytes: 2_097_152 },
        aslr: 2,
        clock_source: 'tsc',
        tools: { c_compiler: 'cc 12.2.0', cxx_compiler: 'c++ 12.2.0', valgrind: null },
        counters: { hardware: { available: true }, software: { available: true } },
        busy_processes: 0,
        other_cpu: 0.02,
        ...options.machine,
      },
      calibration: options.calibration ?? null,
      earlier: options.earlier ?? [],
    },
    prepared: {
      kind: 'prepared',
      ...{ objects: options.objects ?? [], diffs: options.diffs ?? [], kept: options.kept ?? [] },
      arms: allArms.map((arm) => ({
        arm,
        build: 0,
        commands: {},
        command: [`./${arm}`],
        files: [{ path: `./${arm}`, sha256: '23'.repeat(32), bytes: 1000 }],
        provenance: {},
        warnings: [],
      })),
      attribution: options.attribution ?? [],
      launcher: {
        kind: 'native',
        limitations: options.limitations ?? [],
        overhead_ns: options.overhead_ns ?? 500_000,
      },
      counting_tool: options.counts === undefined ? null : 'valgrind-3.19.0 (callgrind)',
    },
    trials: all,
    interruptions: options.interruptions ?? [],
    resumptions: options.resumptions ?? [],
    end:
      options.end === null
        ? null
        : {
            kind: 'end',
            unix_ms: STARTED_UNIX_MS + all.length * 1000,
            reason: options.end ?? { kind: 'complete' },
          },
  };
}
