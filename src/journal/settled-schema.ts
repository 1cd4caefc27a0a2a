/**
 * The shape of what is settled before a run starts, as the first line of a journal has it. Experiment files have a schema
 * of their own: they leave out what has a default, and are written by people.
 */
import { z } from 'zod';
import { MOST_CALIBRATION_PAIRS } from '../experiment/calibrated.ts';
import { COUNTER_MODES, COUNTER_NAMES } from '../experiment/counters.ts';
import { type Experiment, ORDERS, REJECTION_FACTS, SLICE_METRICS, SYSTEM_METRICS } from '../experiment/experiment.ts';
import { REPEATS } from '../experiment/tool-source.ts';
import { TOOL_NAMES } from '../formats/tools.ts';
import { DISK_KINDS, type MachineFacts, STORAGE_LAYERS, STORAGE_SOURCES } from '../host/machine.ts';
import type { Plan } from '../plan/plan.ts';

type Mutable<T> = T extends object ? { -readonly [Key in keyof T]: Mutable<T[Key]> } : T;

/**
 * The schema, as one of T. It takes nothing that is no T, and misses nothing that T has: a kind of a union that the
 * schema does not know would be written and then refused when it is read, and so does not compile.
 */
export function schemaOf<T>() {
  return <S extends z.ZodType<T>>(
    schema: S,
    ..._complete: [Mutable<T>] extends [Mutable<z.output<S>>] ? [] : ['the schema misses something that the type has']
  ): z.ZodType<T> => schema;
}

export const count = z.int().min(0);
/** Nanoseconds or milliseconds; what is longer than 30 years was not measured. */
export const duration = z.number().min(0).max(1e18);
/** Until the year 9999: later ones have no ISO date of four digits. */
export const unixMs = z.number().min(0).max(253_402_300_799_999);
/** A reserved name, or that of a control or side comparison; it is a part of names of files. */
export const phase = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

const stream = z.enum(['stdout', 'stderr']);
const texts = z.record(z.string(), z.string());
const params = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const argv = z.tuple([z.string()], z.string());
const fraction = z.number().min(0);
const operations = z.union([count.min(1), z.object({ pointer: z.string() })]).nullable();

const library = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('artifacts'),
    include: z.array(z.string()),
    library: z.string(),
    link: z.array(z.string()).nullable(),
    // Not in journals of 0.1.0.
    metadata: z.array(z.string()).default([]),
  }),
  z.object({ kind: z.literal('prefix'), prefix: z.string() }),
  z.object({ kind: z.literal('pkg-config'), name: z.string() }),
]);

const driver = z.object({
  name: z.literal('rocksdb'),
  compiler: z.string().nullable(),
  standard: z.string().nullable(),
  flags: z.array(z.string()).nullable(),
});

const arm = z.object({
  name: z.string(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('command') }),
    z.object({ kind: z.literal('same'), of: z.string() }),
    z.object({ kind: z.literal('npm'), package: z.string(), version: z.string(), scripts: z.boolean() }),
    z.object({
      kind: z.literal('git'),
      repo: z.string(),
      rev: z.union([z.string(), z.object({ merge_base: z.tuple([z.string(), z.string()]) })]),
      submodules: z.boolean(),
      patch: z.string().nullable(),
      build: z.array(argv),
      build_env: texts,
      build_timeout_ms: duration,
      again: z.object({ of: z.string(), copy: count }).nullable(),
    }),
    z.object({ kind: z.literal('imported') }),
  ]),
  // Not in journals of 0.1.0.
  library: library.nullable().default(null),
  command: argv.nullable(),
  env: texts,
  params,
});

const valueSources = [
  z.object({ kind: z.literal('result'), pointer: z.string() }),
  z.object({ kind: z.literal('pattern'), stream, pattern: z.string() }),
  z.object({
    kind: z.literal('file'),
    path: z.string(),
    read: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('whole') }),
      z.object({ kind: z.literal('pointer'), pointer: z.string() }),
      z.object({ kind: z.literal('pattern'), pattern: z.string() }),
    ]),
  }),
  // Not in journals of 0.1.0.
  z.object({
    kind: z.literal('tool'),
    tool: z.enum(TOOL_NAMES),
    text: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('stream'), stream }),
      z.object({ kind: z.literal('file'), path: z.string() }),
    ]),
    result: z.string(),
    metric: z.string(),
    repeats: z.enum(REPEATS).nullable(),
  }),
] as const;

const metric = z.object({
  name: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  primary: z.boolean(),
  per: operations,
  kind: z.enum(['ratio', 'difference']),
  optional: z.boolean(),
  from: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('system'), name: z.enum(SYSTEM_METRICS) }),
    z.object({ kind: z.literal('counter'), name: z.enum(COUNTER_NAMES) }),
    z.object({ kind: z.literal('slice'), name: z.enum(SLICE_METRICS) }),
    z.object({ kind: z.literal('imported'), metric: z.string() }),
    ...valueSources,
  ]),
  threshold: fraction,
  margin: fraction.nullable(),
});

const check = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exit_code'), code: z.int() }),
  z.object({ kind: z.literal('driver'), names: z.array(z.string()) }),
  z.object({ kind: z.literal('equal'), name: z.string(), from: z.discriminatedUnion('kind', valueSources) }),
  z.object({ kind: z.literal('pattern'), stream, pattern: z.string(), must: z.boolean() }),
]);

/** Journals of 0.1.0 have neither controls nor several builds: all arms are in the confirmation. */
function withDesignArms(value: unknown): unknown {
  const older = z.looseObject({ arms: z.array(z.looseObject({ name: z.string() })), design: z.looseObject({}) });
  const parsed = older.safeParse(value);
  if (!parsed.success || 'arms' in parsed.data.design) return value;
  const names = parsed.data.arms.map(({ name }) => name);
  return { ...parsed.data, design: { ...parsed.data.design, arms: names } };
}

const settledExperiment = schemaOf<Experiment>()(
  z.object({
    title: z.string(),
    question: z.string().nullable(),
    constructed: z.boolean(),
    arms: z.tuple([arm, arm], arm),
    reference: z.string(),
    workload: z.object({
      driver: driver.nullable().default(null),
      command: argv.nullable(),
      shell: z.boolean(),
      cwd: z.string(),
      env: texts,
      pass_env: z.array(z.string()),
      stdin: z.string().nullable(),
      timeout_ms: duration,
      params,
      max_output_bytes: count,
      drop_caches: z.boolean(),
      // Not in journals of 0.1.0.
      memory_limit_bytes: count.min(1).nullable().default(null),
      device: z
        .object({ size_bytes: count.min(1) })
        .nullable()
        .default(null),
    }),
    metrics: z.tuple([metric], metric),
    checks: z.array(check),
    design: z.object({
      arms: z.tuple([z.string(), z.string()], z.string()),
      builds: count.min(1).default(1),
      screening_pairs: count,
      confirmation_pairs: count,
      // Not in journals of 0.1.0, nor is that of the plan.
      sequential: z
        .object({ min_pairs: count.min(2) })
        .nullable()
        .default(null),
      warmup: count,
      order: z.enum(ORDERS),
      // Not in journals of 0.1.0.
      slices: z
        .object({
          slice_ns: z.number().positive().max(1e18),
          session_ns: z.number().positive().max(1e18),
          operations: count.min(1).nullable(),
          prelude: fraction,
          answer_timeout_ms: duration,
        })
        .nullable()
        .default(null),
      seed: count.nullable(),
      max_gap_ms: duration.nullable(),
    }),
    sides: z
      .array(
        z.object({
          name: phase,
          control: z
            .discriminatedUnion('kind', [
              z.object({ kind: z.literal('same') }),
              z.object({ kind: z.literal('rebuild') }),
              z.object({ kind: z.literal('uncounted') }),
              z.object({ kind: z.literal('unchanged') }),
            ])
            .nullable(),
          arms: z.tuple([z.string(), z.string()], z.string()),
          blocks: count,
          against: texts,
          counters: z.enum(COUNTER_MODES),
          command: argv.nullable(),
          params,
          metrics: z.array(z.string()).nullable(),
        }),
      )
      .default([]),
    unchanged: z.array(z.object({ name: z.string(), metric: z.string() })).default([]),
    // Not in journals of 0.1.0.
    counters: z.enum(COUNTER_MODES).default('off'),
    machine: z.object({
      cpu: count.nullable(),
      orchestrator_cpu: count.nullable(),
      // Not in journals of 0.1.0.
      layout: z.enum(['random', 'fixed']).default('random'),
      environment_padding: count.default(0),
      real_time: z.boolean().default(false),
      require: z.object({
        governor: z.string().nullable(),
        turbo: z.boolean().nullable(),
        virtual: z.boolean().nullable(),
        min_cpus: z.number().nullable(),
        max_load: z.number().nullable(),
      }),
    }),
    reject: z.object({
      rules: z.array(z.object({ fact: z.enum(REJECTION_FACTS), when: z.enum(['above', 'below']), limit: z.number() })),
      max_repeats: count,
    }),
    // Not in journals of 0.1.0.
    counting: z
      .object({
        tool: z.literal('callgrind'),
        repeats: count,
        region: z.string().nullable(),
        params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        per: operations,
        timeout_ms: z.number().positive(),
      })
      .nullable()
      .default(null),
    decision: z.object({ level: z.number().gt(0).lt(1), threshold: fraction, margin: fraction.nullable() }),
    // Not in journals of 0.1.0.
    attribution: z
      .object({ functions: z.array(z.string()) })
      .nullable()
      .default(null),
    calibrates: z
      .object({
        runs: count.min(1).max(MOST_CALIBRATION_PAIRS),
        against: z.enum(['same', 'known']),
        cost: fraction.nullable(),
      })
      .nullable()
      .default(null),
    trial_dir: z.string().nullable(),
  }),
);

export const experimentSchema = z.preprocess(withDesignArms, settledExperiment);

export const planSchema = schemaOf<Plan>()(
  z.object({
    seed: count.nullable(),
    sequential: z
      .object({ min: count.min(2), max: count.min(2), c2: z.number().positive() })
      .nullable()
      .default(null),
    phases: z.array(z.object({ phase, blocks: z.array(z.array(z.string()).min(1)) })),
  }),
);

const amount = z.number().min(0);
const availability = z.discriminatedUnion('available', [
  z.object({ available: z.literal(true) }),
  z.object({ available: z.literal(false), reason: z.string() }),
]);

/** Null where it was not recorded. */
function known<S extends z.ZodType>(schema: S) {
  return schema.nullable().default(null);
}

// What has a default is not in the first journals.
export const machineFactsSchema = schemaOf<MachineFacts>()(
  z.object({
    platform: z.string(),
    arch: z.string(),
    kernel: z.string(),
    distribution: z.string().nullable().default(null),
    c_library: z.string().nullable().default(null),
    cpu_model: z.string(),
    cpus: count,
    cores: count.nullable().default(null),
    sockets: count.nullable().default(null),
    memory_bytes: z.number().min(0),
    virtual: z.boolean().nullable(),
    governor: z.string().nullable(),
    turbo: z.boolean().nullable(),
    node: z.string(),
    machine_id: z.string(),
    boot_id: z.string().nullable(),
    file_system: z.string().nullable(),
    storage: z
      .object({
        source: z.enum(STORAGE_SOURCES),
        layers: z.array(z.enum(STORAGE_LAYERS)),
        disks: z.array(
          z.object({
            kind: z.enum(DISK_KINDS),
            model: z.string().nullable(),
            bytes: count.nullable(),
            rotational: z.boolean().nullable(),
          }),
        ),
      })
      .nullable()
      .default(null),
    free_bytes: known(amount),
    allowed_cpus: known(z.string()),
    isolated_cpus: known(z.string()),
    smt_siblings: known(z.array(z.string())),
    frequency: known(
      z.object({ driver: z.string().nullable(), governors: z.array(z.string()), min_hz: amount, max_hz: amount }),
    ),
    steal: known(z.number().min(0).max(1)),
    control_group: known(
      z.object({
        version: z.union([z.literal(1), z.literal(2)]),
        cpu_quota: z.number().positive().nullable(),
        periods: count.nullable(),
        throttled_periods: count.nullable(),
        throttled_ns: z.number().min(0).nullable(),
        memory_limit_bytes: amount.nullable(),
      }),
    ),
    numa_nodes: known(z.array(z.string())),
    memory_available_bytes: known(amount),
    swap: known(z.object({ total_bytes: amount, used_bytes: amount, swappiness: count.nullable() })),
    huge_pages: known(
      z.object({ transparent: z.string().nullable(), reserved: count.nullable(), page_bytes: amount.nullable() }),
    ),
    aslr: known(count),
    clock_source: known(z.string()),
    tools: known(
      z.object({
        c_compiler: z.string().nullable(),
        cxx_compiler: z.string().nullable(),
        valgrind: z.string().nullable(),
      }),
    ),
    counters: known(z.object({ hardware: availability, software: availability })),
    busy_processes: known(count),
    other_cpu: known(amount),
  }),
);
