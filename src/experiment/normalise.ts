/** From the document, known to be without faults, to the experiment: every default is filled in here. */
import { calibrated } from './calibrated.ts';
import { COUNTER_EVENTS, type CounterMode, counterMode, counterOf, counterUnit } from './counters.ts';
import type {
  Argv,
  Arm,
  ArmSource,
  Check,
  Counting,
  Decision,
  Design,
  Driver,
  Experiment,
  GitSource,
  LibrarySource,
  Metric,
  MetricSource,
  RejectRule,
  SystemMetric,
  ValueSource,
  Workload,
} from './experiment.ts';
import { fixedUnit, kindOf, primaryMetric, systemMetric } from './measurement-rules.ts';
import { parseNpmSpec } from './npm-spec.ts';
import { DECLARED_OPERATIONS, type Operations, operationsOf } from './operations.ts';
import { parseDuration, parseFraction, parseSize } from './quantities.ts';
import type { ExperimentDocument } from './schema.ts';
import { type SideOrder, sidesOf } from './sides.ts';
import { defaultMetrics, isSliced, SLICE_PADDING, SLICE_WARMUP, sliceOf, slicesOf } from './slices.ts';
import { knownToolMetric, toolSourceName, toolSourceOf } from './tool-source.ts';

const DEFAULT = {
  timeout: '10m',
  build_timeout: '1h',
  counting_timeout: '1h',
  counting_repeats: 2,
  max_output: '16 MiB',
  cwd: '{trial.dir}',
  pairs: 16,
  warmup: 0,
  max_repeats: 2,
  level: 0.95,
  threshold: 0,
  counter_share: 0.99,
} as const;

type Document<Name extends keyof ExperimentDocument> = NonNullable<ExperimentDocument[Name]>;
type ArmDocument = Document<'arms'>[string];
type MetricDocument = Document<'metrics'>[number];
type CheckDocument = Document<'checks'>[number];
type ValueDocument = NonNullable<CheckDocument['equal']>;

/** `order` has the names of arms, controls and comparisons as they stand in the file. */
export function normalise(document: ExperimentDocument, order: SideOrder): Experiment {
  const shell = document.workload?.shell ?? false;
  const [first, second, ...others] = order.arms.map((name) => arm(name, document.arms, shell, order.arms));
  if (first === undefined || second === undefined) throw new Error('an experiment has at least two arms');
  const decision = normaliseDecision(document.decision ?? {});
  const counters = counterMode(
    document.counters,
    document.workload?.driver !== undefined,
    isSliced(document.design?.slices),
  );
  const own = design(document.design ?? {}, [first.name, second.name, ...others.map(({ name }) => name)]);
  const words = (command: ArmDocument['command']) => argv(command, shell);
  const { arms, sides, unchanged } = sidesOf(document, order, [first, second, ...others], own, counters, words);
  const named = metrics(document.metrics ?? defaultMetrics(document.design?.slices), decision);
  // What slices tell is of an operation already.
  const perOperation =
    own.slices === null
      ? (known(named.find(({ primary }) => primary) ?? null).per ?? declaredOperations(document))
      : null;
  const experiment: Experiment = {
    title: oneLine(document.title),
    question: document.question === undefined ? null : oneLine(document.question),
    constructed: document.constructed ?? false,
    arms: [first, second, ...others, ...arms],
    reference: document.reference ?? own.arms[0],
    workload: workload(document.workload ?? {}),
    metrics: [...named, ...counterMetrics(counters, named, perOperation, decision)],
    checks: checks(document.checks ?? []),
    design: own,
    sides,
    unchanged,
    counters,
    machine: machine(document.machine ?? {}, isSliced(document.design?.slices) ? SLICE_PADDING : 0),
    reject: withCounterRule(reject(document.reject ?? []), counters),
    decision,
    counting: counting(document),
    attribution: attribution(document),
    calibrates: null,
    trial_dir: document.trial_dir ?? null,
  };
  if (document.calibration === undefined) return experiment;
  const { runs, arm: other = null, cost } = document.calibration;
  return calibrated(experiment, { runs, arm: other, cost: cost === undefined ? null : known(parseFraction(cost)) });
}

/** Drivers are made to be compared, and beside compiling them it costs little. */
function attribution({ attribution: asked, workload }: ExperimentDocument): Experiment['attribution'] {
  if (typeof asked === 'object') return { functions: asked.functions ?? [] };
  return (asked ?? workload?.driver !== undefined) ? { functions: [] } : null;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function arm(name: string, arms: Document<'arms'>, shell: boolean, order: readonly string[]): Arm {
  const document = arms[name] ?? {};
  return {
    name,
    source: armSource(name, arms, order),
    library: librarySource(document) ?? librarySource(arms[document.of ?? name] ?? {}),
    command: argv(document.command, shell),
    env: texts(document.env),
    params: document.params ?? {},
  };
}

function librarySource({ artifacts, prefix, ...rest }: ArmDocument): LibrarySource | null {
  const name = rest['pkg-config'];
  if (artifacts !== undefined) {
    const { include, library, link, metadata } = artifacts;
    return { kind: 'artifacts', include, library, link: link ?? null, metadata: metadata ?? [] };
  }
  if (prefix !== undefined) return { kind: 'prefix', prefix };
  return name === undefined ? null : { kind: 'pkg-config', name };
}

function driverOf(document: Document<'workload'>['driver']): Driver | null {
  if (document === undefined) return null;
  if (typeof document === 'string') return { name: document, compiler: null, standard: null, flags: null };
  const { name, compiler, standard, flags } = document;
  return { name, compiler: compiler ?? null, standard: standard ?? null, flags: flags ?? null };
}

function armSource(name: string, arms: Document<'arms'>, order: readonly string[]): ArmSource {
  const { npm, scripts, of, git, ...rest } = arms[name] ?? {};
  if (of !== undefined) {
    const source = armSource(of, arms, order);
    if (source.kind !== 'git') throw new Error('only the source of a git arm can be prepared again');
    const copies = order.filter((each) => arms[each]?.of === of);
    return { ...source, patch: rest.patch ?? source.patch, again: { of, copy: copies.indexOf(name) + 1 } };
  }
  if (git !== undefined) return gitSource(git, rest);
  if (npm === undefined) return { kind: 'command' };
  const parsed = parseNpmSpec(npm);
  if (!parsed.ok) throw new Error(parsed.message);
  return { kind: 'npm', package: parsed.spec.name, version: parsed.spec.version, scripts: scripts ?? false };
}

function gitSource(git: NonNullable<ArmDocument['git']>, arm: ArmDocument): GitSource {
  return {
    kind: 'git',
    repo: git.repo,
    rev: git.rev ?? { merge_base: known(git['merge-base'] ?? null) },
    submodules: git.submodules ?? false,
    patch: arm.patch ?? null,
    build: (arm.build ?? []).map((words) => known(argv(words, typeof words === 'string'))),
    build_env: texts(arm.build_env),
    build_timeout_ms: known(parseDuration(arm.build_timeout ?? DEFAULT.build_timeout)),
    again: null,
  };
}

function argv(command: ArmDocument['command'], shell: boolean): Argv | null {
  if (command === undefined) return null;
  if (typeof command === 'string') return ['/bin/sh', '-c', command];
  const [program, ...rest] = command.map(String);
  if (program === undefined || shell) throw new Error('a command is a list of words, or a text for a shell');
  return [program, ...rest];
}

function texts(values: Readonly<Record<string, string | number | boolean>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function workload(document: Document<'workload'>): Workload {
  const shell = document.shell ?? false;
  return {
    driver: driverOf(document.driver),
    command: argv(document.command, shell),
    shell,
    cwd: document.cwd ?? DEFAULT.cwd,
    env: texts(document.env),
    pass_env: document.pass_env ?? [],
    stdin: document.stdin ?? null,
    timeout_ms: known(parseDuration(document.timeout ?? DEFAULT.timeout)),
    params: document.params ?? {},
    max_output_bytes: known(parseSize(document.max_output ?? DEFAULT.max_output)),
    drop_caches: document.drop_caches ?? false,
    memory_limit_bytes: document.memory_limit === undefined ? null : known(parseSize(document.memory_limit)),
    device: document.device === undefined ? null : { size_bytes: known(parseSize(document.device.size)) },
  };
}

function metrics(documents: readonly MetricDocument[], decision: Decision): Experiment['metrics'] {
  const marked = documents.some(({ primary }) => primary === true);
  const [first, ...rest] = documents.map((document, index) =>
    metric(document, marked ? document.primary === true : index === 0, decision),
  );
  if (first === undefined) throw new Error('an experiment has at least one metric');
  return [first, ...rest];
}

function metric(document: MetricDocument, primary: boolean, decision: Decision): Metric {
  const system = systemMetric(document);
  const kind = kindOf(document);
  const general = limitsOf(kind, decision);
  return {
    name: document.name,
    unit: fixedUnit(document) ?? known(document.unit ?? null),
    better: document.better ?? knownToolMetric(document.from)?.better ?? 'lower',
    primary,
    per: operationsOf(document.per),
    kind,
    optional: document.optional ?? false,
    from: metricSource(document, system),
    threshold: document.threshold === undefined ? general.threshold : known(parseFraction(document.threshold)),
    margin: document.margin === undefined ? general.margin : known(parseFraction(document.margin)),
  };
}

function limitsOf(kind: Metric['kind'], decision: Decision): Pick<Metric, 'threshold' | 'margin'> {
  return kind === 'ratio' ? { threshold: decision.threshold, margin: decision.margin } : { threshold: 0, margin: null };
}

/** Assay's own drivers declare their operations, of all timed regions together. */
function declaredOperations({ workload }: ExperimentDocument): Operations | null {
  return workload?.driver === undefined ? null : { pointer: DECLARED_OPERATIONS };
}

/** What is counted and named nowhere becomes a metric. */
function counterMetrics(
  counters: CounterMode,
  named: readonly Metric[],
  per: Operations | null,
  decision: Decision,
): Metric[] {
  if (counters === 'off') return [];
  return COUNTER_EVENTS[counters].flatMap(({ name, kind }): Metric[] => {
    const taken = named.some((metric) => metric.name === name || isCounter(metric, name));
    if (taken) return [];
    const general = { unit: counterUnit(name), better: 'lower', primary: false, optional: true } as const;
    return [{ name, ...general, per, kind, from: { kind: 'counter', name }, ...limitsOf(kind, decision) }];
  });
}

function isCounter({ from }: Metric, name: string): boolean {
  return from.kind === 'counter' && from.name === name;
}

/** Events that shared the processor's counters with others were not counted all the time. */
function withCounterRule({ rules, max_repeats }: Experiment['reject'], counters: CounterMode): Experiment['reject'] {
  if (counters !== 'hardware' || rules.some(({ fact }) => fact === 'counter_share')) return { rules, max_repeats };
  return { rules: [...rules, { fact: 'counter_share', when: 'below', limit: DEFAULT.counter_share }], max_repeats };
}

function metricSource({ name, from }: MetricDocument, system: SystemMetric | null): MetricSource {
  if (system !== null) return { kind: 'system', name: system };
  const counter = counterOf(from);
  if (counter !== null) return { kind: 'counter', name: counter };
  const slice = sliceOf(from);
  if (slice !== null) return { kind: 'slice', name: slice };
  return valueSource(from ?? `/metrics/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

function valueSource(document: ValueDocument): ValueSource {
  const tool = toolSourceOf(document);
  if (tool !== null) return tool;
  if (typeof document === 'string') return { kind: 'result', pointer: document };
  const { stdout, stderr, file, pointer, pattern } = document;
  if (typeof stdout === 'string') return { kind: 'pattern', stream: 'stdout', pattern: stdout };
  if (typeof stderr === 'string') return { kind: 'pattern', stream: 'stderr', pattern: stderr };
  const path = known(file ?? null);
  if (pointer !== undefined) return { kind: 'file', path, read: { kind: 'pointer', pointer } };
  if (pattern !== undefined) return { kind: 'file', path, read: { kind: 'pattern', pattern } };
  return { kind: 'file', path, read: { kind: 'whole' } };
}

function checks(documents: readonly CheckDocument[]): Check[] {
  const given = documents.map(check);
  return given.some(({ kind }) => kind === 'exit_code') ? given : [{ kind: 'exit_code', code: 0 }, ...given];
}

function check(document: CheckDocument): Check {
  const { exit_code, driver, equal, must_match, must_not_match } = document;
  if (exit_code !== undefined) return { kind: 'exit_code', code: exit_code };
  if (driver !== undefined) return { kind: 'driver', names: driver === 'any' ? [] : driver };
  if (equal !== undefined) {
    const from = valueSource(equal);
    return { kind: 'equal', name: sourceName(from), from };
  }
  const { stdout, stderr } = known(must_match ?? must_not_match ?? null);
  return {
    kind: 'pattern',
    stream: stdout === undefined ? 'stderr' : 'stdout',
    pattern: known(stdout ?? stderr ?? null),
    must: must_match !== undefined,
  };
}

/** What a check of equality is called in records: where its value comes from. */
function sourceName(from: ValueSource): string {
  switch (from.kind) {
    case 'result':
      return from.pointer;
    case 'pattern':
      return `${from.stream} ${from.pattern}`;
    case 'file':
      if (from.read.kind === 'whole') return from.path;
      return `${from.path} ${from.read.kind === 'pointer' ? from.read.pointer : from.read.pattern}`;
    case 'tool':
      return toolSourceName(from);
  }
}

function design(document: Document<'design'>, arms: Design['arms']): Design {
  const [first, second, ...others] = document.confirmation?.arms ?? arms;
  const { screening, confirmation } = document;
  return {
    arms: [known(first ?? null), known(second ?? null), ...others],
    builds: document.builds ?? 1,
    screening_pairs: screening?.sessions ?? screening?.pairs ?? 0,
    confirmation_pairs: document.sequential?.max ?? confirmation?.sessions ?? confirmation?.pairs ?? DEFAULT.pairs,
    sequential: document.sequential === undefined ? null : { min_pairs: document.sequential.min },
    warmup: document.warmup ?? (isSliced(document.slices) ? SLICE_WARMUP : DEFAULT.warmup),
    order: document.order ?? 'balanced',
    slices: slicesOf(document.slices),
    seed: document.seed ?? null,
    max_gap_ms: document.max_gap === undefined ? null : parseDuration(document.max_gap),
  };
}

function machine({ require, ...document }: Document<'machine'>, padding: number): Experiment['machine'] {
  return {
    cpu: document.cpu ?? null,
    orchestrator_cpu: document.orchestrator_cpu ?? null,
    layout: document.layout ?? 'random',
    environment_padding: document.environment_padding ?? padding,
    real_time: document.real_time ?? false,
    require: {
      governor: require?.governor ?? null,
      turbo: require?.turbo ?? null,
      virtual: require?.virtual ?? null,
      min_cpus: require?.min_cpus ?? null,
      max_load: require?.max_load ?? null,
    },
  };
}

function reject(document: Document<'reject'>): Experiment['reject'] {
  const { rules, max_repeats } = Array.isArray(document) ? { rules: document, max_repeats: undefined } : document;
  return {
    rules: rules.map(
      ({ fact, above, below }): RejectRule => ({
        fact,
        when: above === undefined ? 'below' : 'above',
        limit: known(parseFraction(above ?? below ?? '')),
      }),
    ),
    max_repeats: max_repeats ?? DEFAULT.max_repeats,
  };
}

function normaliseDecision({ level, threshold, margin }: Document<'decision'>): Decision {
  return {
    level: known(parseFraction(level ?? DEFAULT.level)),
    threshold: known(parseFraction(threshold ?? DEFAULT.threshold)),
    margin: margin === undefined ? null : known(parseFraction(margin)),
  };
}

/** The timed regions of Assay's own drivers. */
const TIMED_REGIONS = 'assay_timed_*';

function counting(experiment: ExperimentDocument): Counting | null {
  if (experiment.counting === undefined) return null;
  const document = experiment.counting === 'callgrind' ? { tool: experiment.counting } : experiment.counting;
  const { tool, repeats, region, params = {}, per, timeout } = document;
  const given = Object.keys(params).length > 0;
  const timed = primaryMetric(experiment.metrics ?? [])?.per;
  // A number of them is that of the timed trials; a pointer says what each trial did.
  const same = given && typeof timed === 'number' ? undefined : timed;
  return {
    tool,
    repeats: repeats ?? DEFAULT.counting_repeats,
    region: region ?? (experiment.workload?.driver === undefined ? null : TIMED_REGIONS),
    params,
    per: operationsOf(per ?? same) ?? declaredOperations(experiment),
    timeout_ms: known(parseDuration(timeout ?? DEFAULT.counting_timeout)),
  };
}

/** The document has been checked: a value that is missing here is a mistake in the program. */
function known<T>(value: T | null): T {
  if (value === null) throw new Error('a document with faults was normalised');
  return value;
}
