import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { canonicalJson, experimentId } from './canonical.ts';
import type { Experiment } from './experiment.ts';
import { readExperiment } from './parse.ts';
import { starterExperiment } from './template.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

fc.configureGlobal({ seed: 20261130 });

const SMALL = `
title: Small
arms:
  before: {command: [./old]}
  after: {command: [./new]}
`;

const LARGE = `
title: >
  Writing batches
  with two versions
question: Is 5.2.1 slower?
constructed: true
arms:
  2: {npm: rocksdb@4.1.0, env: {MODE: x}, params: {keys: 10}}
  1: {npm: "@scope/rocksdb@5.2.1-rc.1", scripts: true}
reference: "1"
workload:
  command: [node, "{experiment.dir}/driver.mjs", "{arm.dir}", "{params.keys}", 5, true]
  cwd: "{trial.dir}/x"
  env: {LEVEL: 3}
  pass_env: [LD_LIBRARY_PATH]
  stdin: input.txt
  timeout: 90
  params: {keys: 20}
  max_output: 1 MiB
  drop_caches: true
  memory_limit: 96MB
  device: {size: 1 GiB}
metrics:
  - {name: build, unit: ns, per: 1000, from: /metrics/build_ns, threshold: 2%}
  - {name: writes/s, unit: ops/s, better: higher, primary: true, from: {stdout: 'rate (\\d+)'}}
  - {name: a/b, unit: MB, optional: true}
  - {name: size, unit: MB, kind: difference, threshold: 1.5, margin: 3, from: {file: out/size}}
  - {name: depth, unit: levels, kind: difference, from: {file: log.json, pointer: /depth}}
  - {name: stall, unit: ns, from: {file: LOG, pattern: 'stall (\\d+)'}}
  - {name: time, from: wall}
checks:
  - exit_code: 3
  - driver: [reopened, verified]
  - driver: any
  - equal: /facts/keys
  - equal: {file: sum, pattern: '^(.+)$'}
  - must_match: {stdout: 'ok'}
  - must_not_match: {stderr: '(error)|(fault)'}
design: {screening: {pairs: 4}, confirmation: {pairs: 8}, warmup: 1, order: balanced, seed: 42, max_gap: 2m}
machine: {cpu: 1, orchestrator_cpu: 0, layout: fixed, environment_padding: 4096, real_time: true, require: {governor: performance, turbo: false, virtual: false, min_cpus: 2, max_load: 1.5}}
reject: {rules: [{fact: steal, above: 2%}, {fact: frequency_hz, below: 2e9}], max_repeats: 3}
decision: {level: 99%, threshold: 1%, margin: 2%}
attribution: {functions: ['rocksdb::WriteBatch::*']}
trial_dir: /mnt/disk
`;

function read(text: string): Experiment {
  const result = readExperiment(text);
  if (!result.ok) throw new Error(result.errors.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return result.experiment;
}

function messages(text: string): string[] {
  const result = readExperiment(text);
  return result.ok ? [] : result.errors.map(({ line, message }) => `${line}: ${message}`);
}

test('an experiment that says nothing more has the defaults', () => {
  const metric = { better: 'lower', per: null, kind: 'ratio', optional: false, threshold: 0, margin: null };
  expect(read(SMALL)).toEqual({
    title: 'Small',
    question: null,
    constructed: false,
    arms: ['before', 'after'].map((name) => ({
      name,
      source: { kind: 'command' },
      library: null,
      command: [name === 'before' ? './old' : './new'],
      env: {},
      params: {},
    })),
    reference: 'before',
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
    },
    metrics: [
      { name: 'wall', unit: 'ns', primary: true, from: { kind: 'system', name: 'wall' }, ...metric },
      { name: 'cpu', unit: 'ns', primary: false, from: { kind: 'system', name: 'cpu' }, ...metric },
      { name: 'max_rss', unit: 'bytes', primary: false, from: { kind: 'system', name: 'max_rss' }, ...metric },
    ],
    checks: [{ kind: 'exit_code', code: 0 }],
    sides: [],
    unchanged: [],
    design: {
      arms: ['before', 'after'],
      builds: 1,
      screening_pairs: 0,
      confirmation_pairs: 16,
      sequential: null,
      warmup: 0,
      order: 'balanced',
      slices: null,
      seed: null,
      max_gap_ms: null,
    },
    counters: 'off',
    machine: {
      cpu: null,
      orchestrator_cpu: null,
      layout: 'random',
      environment_padding: 0,
      real_time: false,
      require: { governor: null, turbo: null, virtual: null, min_cpus: null, max_load: null },
    },
    reject: { rules: [], max_repeats: 2 },
    counting: null,
    decision: { level: 0.95, threshold: 0, margin: null },
    attribution: null,
    calibrates: null,
    trial_dir: null,
  });
});

test('every field arrives', () => {
  const experiment = read(LARGE);
  expect(experiment).toMatchObject({
    title: 'Writing batches with two versions',
    question: 'Is 5.2.1 slower?',
    constructed: true,
    reference: '1',
    trial_dir: '/mnt/disk',
    design: { screening_pairs: 4, confirmation_pairs: 8, warmup: 1, seed: 42, max_gap_ms: 120_000 },
    machine: {
      cpu: 1,
      orchestrator_cpu: 0,
      layout: 'fixed',
      environment_padding: 4096,
      real_time: true,
      require: { governor: 'performance', turbo: false, virtual: false, min_cpus: 2, max_load: 1.5 },
    },
    reject: {
      rules: [
        { fact: 'steal', when: 'above', limit: 0.02 },
        { fact: 'frequency_hz', when: 'below', limit: 2e9 },
      ],
      max_repeats: 3,
    },
    decision: { level: 0.99, threshold: 0.01, margin: 0.02 },
    attribution: { functions: ['rocksdb::WriteBatch::*'] },
  });
  expect(experiment.workload).toEqual({
    driver: null,
    command: ['node', '{experiment.dir}/driver.mjs', '{arm.dir}', '{params.keys}', '5', 'true'],
    shell: false,
    cwd: '{trial.dir}/x',
    env: { LEVEL: '3' },
    pass_env: ['LD_LIBRARY_PATH'],
    stdin: 'input.txt',
    timeout_ms: 90_000,
    params: { keys: 20 },
    max_output_bytes: 1_048_576,
    drop_caches: true,
    memory_limit_bytes: 96e6,
    device: { size_bytes: 2 ** 30 },
  });
  expect(experiment.checks).toEqual([
    { kind: 'exit_code', code: 3 },
    { kind: 'driver', names: ['reopened', 'verified'] },
    { kind: 'driver', names: [] },
    { kind: 'equal', name: '/facts/keys', from: { kind: 'result', pointer: '/facts/keys' } },
    {
      kind: 'equal',
      name: 'sum ^(.+)$',
      from: { kind: 'file', path: 'sum', read: { kind: 'pattern', pattern: '^(.+)$' } },
    },
    { kind: 'pattern', stream: 'stdout', pattern: 'ok', must: true },
    { kind: 'pattern', stream: 'stderr', pattern: '(error)|(fault)', must: false },
  ]);
});

test('arms keep the order of the file, also where their names are numbers', () => {
  const { arms } = read(LARGE);
  expect(arms).toEqual([
    {
      name: '2',
      source: { kind: 'npm', package: 'rocksdb', version: '4.1.0', scripts: false },
      library: null,
      command: null,
      env: { MODE: 'x' },
      params: { keys: 10 },
    },
    {
      name: '1',
      source: { kind: 'npm', package: '@scope/rocksdb', version: '5.2.1-rc.1', scripts: true },
      library: null,
      command: null,
      env: {},
      params: {},
    },
  ]);
});

test('metrics have their sources, and limits by their kind', () => {
  const { metrics } = read(LARGE);
  expect(metrics.map(({ name, primary }) => [name, primary]).filter(([, primary]) => primary)).toEqual([
    ['writes/s', true],
  ]);
  expect(metrics.map(({ from }) => from)).toEqual([
    { kind: 'result', pointer: '/metrics/build_ns' },
    { kind: 'pattern', stream: 'stdout', pattern: 'rate (\\d+)' },
    { kind: 'result', pointer: '/metrics/a~1b' },
    { kind: 'file', path: 'out/size', read: { kind: 'whole' } },
    { kind: 'file', path: 'log.json', read: { kind: 'pointer', pointer: '/depth' } },
    { kind: 'file', path: 'LOG', read: { kind: 'pattern', pattern: 'stall (\\d+)' } },
    { kind: 'system', name: 'wall' },
  ]);
  expect(metrics.map(({ threshold, margin }) => [threshold, margin])).toEqual([
    [0.02, 0.02],
    [0.01, 0.02],
    [0.01, 0.02],
    [1.5, 3],
    [0, null],
    [0.01, 0.02],
    [0.01, 0.02],
  ]);
  expect(metrics.at(-1)).toMatchObject({ name: 'time', unit: 'ns' });
});

test('where no metric is marked the first is primary', () => {
  const { metrics } = read(`${SMALL}metrics: [{name: cpu}, {name: wall}]`);
  expect(metrics.map(({ primary }) => primary)).toEqual([true, false]);
});

test('a command for a shell is one text', () => {
  const { arms } = read('{title: t, workload: {shell: true}, arms: {a: {command: "x | y"}, b: {command: z}}}');
  expect(arms.map(({ command }) => command)).toEqual([
    ['/bin/sh', '-c', 'x | y'],
    ['/bin/sh', '-c', 'z'],
  ]);
});

test('more than two arms may have any number of pairs', () => {
  const arms = 'arms: {a: {command: [a]}, b: {command: [b]}, c: {command: [c]}}';
  expect(read(`{title: t, ${arms}, design: {confirmation: {pairs: 5}}}`).design.confirmation_pairs).toBe(5);
  expect(messages(`{title: t, ${arms}, design: {confirmation: {pairs: 0}}}`)).toHaveLength(1);
});

test('what an alias stands for counts as often as it is used', () => {
  const { arms } = read(`
title: t
arms:
  a: &arm {command: [./x], env: {A: b}}
  b: *arm
`);
  expect(arms[1].env).toEqual({ A: 'b' });
  expect(messages(`${SMALL}trial_dir: [${'&a [x], '.repeat(2)}*a]`)).toHaveLength(1);
  const bomb = Array.from({ length: 40 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(3)}]`,
  ).join('\n');
  expect(messages(`${SMALL}${bomb}`).join()).toMatch(/more than 100 aliases|more than 20000 values/);
  expect(messages(`${SMALL}env: [${'*x, '.repeat(2)}]`).join()).toContain('marked `&x`');
});

test('size, depth and number of parts are limited', () => {
  expect(messages('x'.repeat(2 ** 20 + 1))).toEqual(['1: an experiment file is at most 1 MiB large']);
  for (const opening of ['[', '{', '{a: ', '- ', '? ', 'a: ', '[\n', '- - ']) {
    expect(messages(opening.repeat(200_000)).join()).toContain('nested too deeply');
  }
  expect(messages(`title: [${'a,'.repeat(200_000)}]`).join()).toContain('so many parts');
});

test('a byte order mark and line ends of Windows change nothing', () => {
  expect(read(`\uFEFF${SMALL.replaceAll('\n', '\r\n')}`)).toEqual(read(SMALL));
  expect(readExperiment('\uFEFFtilte: x')).toMatchObject({ errors: [{ line: 1, column: 1 }, {}] });
});

test('the starting experiment is right as it stands, and with its comments taken away', () => {
  const text = starterExperiment('/schemas/experiment.schema.json');
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=/schemas/experiment.schema.json');
  const experiment = read(text);
  expect(experiment.arms).toHaveLength(2);
  expect(experiment.metrics.filter(({ primary }) => primary)).toHaveLength(1);
  const uncommented = read(text.replaceAll(/^( *)# (- |env:|pass_env:)/gm, '$1$2'));
  expect(uncommented.metrics.map(({ name }) => name)).toContain('rate');
  expect(uncommented.checks).toHaveLength(3);
});

test('the identity of an experiment is all but its title and seed', () => {
  const identity = experimentId(read(LARGE));
  expect(experimentId(read(LARGE.replace('seed: 42', 'seed: 43').replace('batches', 'them')))).toBe(identity);
  expect(experimentId(read(LARGE.replace('pairs: 8', 'pairs: 10')))).not.toBe(identity);
  expect(experimentId(read(LARGE.replace('steal, above: 2%', 'steal, above: 3%')))).not.toBe(identity);
});

test('canonical JSON does not depend on the order in which names were written', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined, é: true })).toBe(
    '{"b":[1,{"c":"x","d":null}],"é":true}',
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
    }),
  );
});

/** Whatever is read has a place within the text, and whatever is right can be written down. */
function readsOrRefuses(text: string): void {
  const result = readExperiment(text);
  if (result.ok) {
    expect(result.experiment.arms.length).toBeGreaterThan(1);
    return;
  }
  expect(result.errors.length).toBeGreaterThan(0);
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  for (const { line, column, length } of result.errors) {
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThan(0);
    expect(column - 1).toBeLessThanOrEqual(lines[line - 1]?.length ?? -1);
    expect(length).toBeGreaterThan(0);
  }
}

test('any text is read or refused', () => {
  const indicators = fc.string({ unit: fc.constantFrom(...'[]{}:,-?&*!|>%@`\'"# \n\ta1\0\uFEFF\r<~.') });
  fc.assert(fc.property(fc.oneof(indicators, fc.string({ unit: 'binary' })), readsOrRefuses), { numRuns: draws(200) });
});

test('an experiment with a part replaced, removed or repeated is read or refused', () => {
  const insert = fc.oneof(
    fc.constantFrom(
      '',
      '[]',
      '{}',
      'null',
      '*a',
      '&a',
      '{trial.dir}',
      '-1',
      '1e400',
      '.nan',
      '"',
      "'",
      '\n',
      '<<: ',
      '__proto__: ',
    ),
    fc.string({ maxLength: 5 }),
  );
  const edit = fc.record({ at: fc.nat(LARGE.length), remove: fc.nat(40), insert });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      readsOrRefuses(
        edits.reduce((text, each) => text.slice(0, each.at) + each.insert + text.slice(each.at + each.remove), LARGE),
      );
    }),
    { numRuns: FULL ? 200 : 40 },
  );
});

test('data of any form is read or refused', () => {
  const name = fc.constantFrom(
    'title',
    'arms',
    'a',
    'b',
    'command',
    'npm',
    'workload',
    'env',
    'metrics',
    'from',
    'file',
    'checks',
    'equal',
    'reject',
    'rules',
    'design',
    'confirmation',
    'pairs',
    'params',
    'decision',
    'margin',
    'constructor',
    'toString',
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<unknown>(null, 0, 2, -1, 0.5, true, '', 'a', 'wall', '/a', '{params.a}', '1%', 'a@1.2.3', '(a)'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => readsOrRefuses(JSON.stringify(value))),
    { numRuns: draws(200) },
  );
});

test('blocks of three arms or more may be mirrored, and pairs not', () => {
  const text = (arms: number) =>
    `title: t\narms:\n${Array.from({ length: arms }, (_, at) => `  a${at}: {command: [x]}\n`).join('')}design: {order: mirrored}\n`;
  const [three, two] = [readExperiment(text(3)), readExperiment(text(2))];
  expect(three.ok && three.experiment.design.order).toBe('mirrored');
  expect(two.ok ? [] : two.errors.map(({ message }) => message)).toEqual([
    'two arms run in balanced pairs, of which half are the other way round: leave this out',
  ]);
});

test('instructions are not counted under a limit of memory', () => {
  const text =
    'title: t\narms: {a: {command: [x]}, b: {command: [y]}}\nworkload: {memory_limit: 96MB}\ncounting: callgrind\n';
  const found = readExperiment(text);
  expect(found.ok ? [] : found.errors.map(({ line, message }) => `${line} ${message}`)).toEqual([
    "4 valgrind's own memory would count against the limit: leave `counting` or `memory_limit` out",
  ]);
});
