/** What the documentation shows is what the program does: experiments parse, drivers run, and their checks can fail. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REJECTION_FACTS } from '../src/experiment/experiment.ts';
import { readExperiment } from '../src/experiment/parse.ts';
import { PLACEHOLDERS } from '../src/experiment/placeholders.ts';
import { experimentJsonSchema } from '../src/experiment/schema.ts';
import { ROWS } from '../src/host/readiness.ts';
import { benchmarkWorkload } from '../src/storage/benchmark/flags.ts';
import { readStudy } from '../src/storage/study.ts';
import { varianceStudyJsonSchema } from '../src/storage/study-schema.ts';
import { findResultLine } from '../src/trial/result-line.ts';
import { openRig, type Rig } from './rig.ts';

const page = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** Fenced blocks of a language, in their order. */
function blocks(name: string, language: string): string[] {
  const found = [...page(name).matchAll(/^```([a-z]*)[^\n]*\n([\s\S]*?)^```$/gm)];
  return found.filter(([, of]) => of === language).map(([, , text = '']) => text);
}

function only(name: string, language: string): string {
  const [first, second] = blocks(name, language);
  if (first === undefined || second !== undefined) throw new Error(`${name} should have one block of ${language}`);
  return first;
}

/** Names of all keys below a value. */
function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...keysIn(part)]);
}

/** Names of all fields that a JSON Schema knows. */
function fieldsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]) => [
    ...(key === 'properties' ? Object.keys(part) : []),
    ...fieldsOf(part),
  ]);
}

/** What `assay driver-check` says of a driver. */
async function checkOf(rig: Rig, ...command: string[]) {
  const { code, stdout } = await rig.assay(['driver-check', '--', ...command]);
  return { code, stdout };
}

describe('drivers in slices in the documentation', () => {
  let rig: Rig;
  beforeEach(() => {
    rig = openRig();
  });
  afterEach(() => rig.remove());
  const works = { code: 0, stdout: expect.stringContaining('\nit works in slices\n') };

  it('in JavaScript works, plain and in slices', async () => {
    rig.write('slices.js', page('drivers/slices.js'));
    const driver = rig.write('driver.mjs', only('docs/slices.md', 'js'));
    const { stdout } = await promisify(execFile)(process.execPath, [driver]);
    expect(findResultLine(stdout)).toMatchObject({ ok: true, line: { checks: { size: { ok: true } } } });
    expect(await checkOf(rig, process.execPath, driver)).toEqual(works);
  });

  it.runIf(process.env['ASSAY_TEST_FULL'] === '1')('in C++ works, plain and in slices', async () => {
    rig.write('slices.h', page('drivers/slices.h'));
    const source = rig.write('sort.cc', only('docs/slices.md', 'cpp'));
    const driver = join(rig.directory, 'sort');
    const strict = ['-std=c++17', '-O2', '-Wall', '-Wextra', '-Werror'];
    await promisify(execFile)('c++', [...strict, source, '-o', driver]);
    const { stdout } = await promisify(execFile)(driver);
    expect(findResultLine(stdout)).toMatchObject({ ok: true, line: { metrics: { sort_ns: expect.any(Number) } } });
    expect(await checkOf(rig, driver)).toEqual(works);
  });
});

describe('studies in the documentation', () => {
  it('are one that is read without an error, and has every field', async () => {
    const text = only('docs/studies.md', 'yaml');
    const read = readStudy(text);
    expect(read.ok ? [] : read.errors).toEqual([]);
    const { parse } = await import('yaml');
    const shown = new Set(keysIn(parse(text)));
    expect([...new Set(fieldsOf(varianceStudyJsonSchema()))].filter((field) => !shown.has(field))).toEqual([]);
  });

  it('name every derived flag', () => {
    const machine = { cores: 4, cpus: 8, memory_bytes: 2 ** 35, memory_limit_bytes: null };
    const wishes = { small: false, keys: {}, cache_bytes: null, background_jobs: null, flags: {} };
    const { flags } = benchmarkWorkload('iobuf', machine, wishes);
    const derived = flags.filter(({ because }) => !/as published|benchmark\.sh|^pairs of|percentiles/.test(because));
    expect(derived.length).toBeGreaterThan(4);
    for (const { name } of derived) expect(page('docs/studies.md')).toContain(name);
  });
});

describe('experiments in the documentation', () => {
  const pages = ['docs/experiments.md', 'docs/drivers.md', 'README.md'];
  const all = pages.flatMap((name) => blocks(name, 'yaml').map((text, index) => ({ name, index, text })));

  it.each(all)('$name, block $index, is read without an error', ({ text }) => {
    const read = readExperiment(text);
    expect(read.ok ? [] : read.errors).toEqual([]);
  });

  it('are a smallest one, and one that has every field', async () => {
    const [smallest = '', full = '', slices = '', ...others] = blocks('docs/experiments.md', 'yaml');
    expect(others).toEqual([]);
    expect(smallest.split('\n').length).toBeLessThan(8);
    const { parse } = await import('yaml');
    // Drivers have a page of their own.
    const drivers = blocks('docs/drivers.md', 'yaml').flatMap((text) => keysIn(parse(text)));
    const shown = new Set([...keysIn(parse(full)), ...keysIn(parse(slices)), ...drivers]);
    expect([...new Set(fieldsOf(experimentJsonSchema()))].filter((field) => !shown.has(field))).toEqual([]);
  });

  it('name the defaults that the smallest one gets', () => {
    const [smallest = '', full = ''] = blocks('docs/experiments.md', 'yaml');
    const read = readExperiment(smallest);
    if (!read.ok) throw new Error('the smallest experiment has errors');
    const { workload, design, decision, reject, metrics, checks, arms, reference } = read.experiment;
    const defaults: [field: string, said: string, is: unknown, expected: unknown][] = [
      ['timeout', '10m', workload.timeout_ms, 600_000],
      ['stdin', 'empty input', workload.stdin, null],
      ['metrics', 'wall, cpu, max_rss', metrics.map(({ name }) => name), ['wall', 'cpu', 'max_rss']],
      ['primary', 'the first metric', metrics.map(({ primary }) => primary), [true, false, false]],
      ['- exit_code', '0', checks, [{ kind: 'exit_code', code: 0 }]],
      ['reference', 'the first arm', reference, arms[0].name],
      ['warmup', '0', design.warmup, 0],
      ['screening', 'none', design.screening_pairs, 0],
      ['confirmation', '16', design.confirmation_pairs, 16],
      ['seed', 'drawn', design.seed, null],
      ['max_repeats', '2', reject.max_repeats, 2],
      ['level', '0.95', decision.level, 0.95],
      ['trial_dir', 'beside', read.experiment.trial_dir, null],
    ];
    for (const [field, said, is, expected] of defaults) {
      const line = full.split('\n').find((each) => each.trim().startsWith(`${field}:`));
      expect(line?.split(/[Dd]efault: /)[1], field).toMatch(new RegExp(`^${said}`));
      expect(is, field).toEqual(expected);
    }
  });

  it.each([...PLACEHOLDERS.map((name) => `\`{${name}}\``), ...REJECTION_FACTS.map((name) => `\`${name}\``)])(
    'explain %s',
    (name) => expect(page('docs/experiments.md')).toContain(`\n| ${name} |`),
  );
});

describe('the workloads of the RocksDB driver', () => {
  const rows = page('docs/drivers.md').split('\n');
  const sources = readdirSync(new URL('../drivers/rocksdb/', import.meta.url))
    .map((name) => page(`drivers/rocksdb/${name}`))
    .flatMap((source) => {
      const name = /^assay::Workload \w+\(\) \{\s*return \{\s*"([a-z-]+)"/m.exec(source)?.[1];
      return name === undefined ? [] : [{ name, source }];
    });

  it('are five', () => expect(sources).toHaveLength(5));

  it.each(sources)('$name has its metrics, and its parameters with their defaults', ({ name, source }) => {
    const row = rows.filter((line) => line.startsWith(`| \`${name}\` |`)).at(-1) ?? '';
    const metrics = [...source.matchAll(/\.Metric\("(\w+)"/g)].map(([, metric]) => `\`${metric}\``);
    const parameters = [...source.matchAll(/assay::(?:Count|Flag|Choice)\("([\w-]+)",\s*\{?"?([\w-]+)/g)].map(
      ([, parameter, value]) => `\`--${parameter}\` (${value}`,
    );
    expect(metrics.length * parameters.length).toBeGreaterThan(0);
    for (const text of [...metrics, ...parameters]) expect(row).toContain(text);
    expect(row.match(/`--/g)).toHaveLength(parameters.length);
    expect(row.match(/`\w+_ns`(?=[:,])/g)).toHaveLength(metrics.length);
  });
});

/** An engine as docs/drivers.md describes it; `put` may be made to lose or change a record, `open` to add one. */
function engine(fault: string): string {
  return `
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
export function open(directory) {
  const path = directory + '/log';
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\\n').filter(Boolean) : [];
  const store = new Map(lines.map((line) => JSON.parse(line)));
  if (lines.length > 0 && '${fault}' === 'extra') store.set('more', '');
  const file = openSync(path, 'a');
  return {
    put(key, value) {
      store.set(key, value);
      if (key === 'key-7' && '${fault}' === 'lost') return;
      const kept = key === 'key-7' && '${fault}' === 'altered' ? value + '!' : value;
      appendFileSync(file, JSON.stringify([key, kept]) + '\\n');
    },
    get: (key) => store.get(key),
    get size() { return store.size; },
    sync: () => fsyncSync(file),
    close: () => closeSync(file),
  };
}
`;
}

describe('drivers in the documentation', () => {
  let rig: Rig;
  beforeEach(() => {
    rig = openRig();
    rig.write('driver.mjs', only('docs/drivers.md', 'js'));
    rig.write('driver.sh', only('docs/drivers.md', 'sh'));
  });
  afterEach(() => rig.remove());

  const resultOf = (stdout: string) => {
    const result = findResultLine(stdout);
    if (!result.ok) throw new Error(result.reason);
    return result.line;
  };

  async function javascript(fault: string) {
    const module = rig.write('engine.mjs', engine(fault));
    const data = join(rig.directory, 'data');
    mkdirSync(data);
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(rig.directory, 'driver.mjs'),
      module,
      data,
      '50',
    ]);
    return resultOf(stdout);
  }

  it('the one in JavaScript reports a time, a check and what it did', async () => {
    const { metrics, checks, operations } = await javascript('none');
    expect(metrics['write_ns']).toBeGreaterThan(0);
    expect(checks).toEqual({ verified: { ok: true, detail: '0 of 50 records not as written, 50 in the store' } });
    expect(operations).toBe(50);
  });

  it.each([
    ['lost', '1 of 50 records not as written, 49 in the store'],
    ['altered', '1 of 50 records not as written, 50 in the store'],
    ['extra', '0 of 50 records not as written, 51 in the store'],
  ])('its check fails with an engine that has a record %s', async (fault, detail) => {
    expect((await javascript(fault)).checks).toEqual({ verified: { ok: false, detail } });
  });

  it('its experiment runs', async () => {
    rig.write('a.mjs', engine('none'));
    rig.write('b.mjs', engine('none'));
    const text = blocks('docs/drivers.md', 'yaml')[0] ?? '';
    expect(text).toContain('pairs: 16');
    rig.write('experiment.yaml', text.replace('pairs: 16', 'pairs: 2'));
    const { code } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    expect([0, 1]).toContain(code);
    const { trials } = rig.journal('run');
    expect(trials).toHaveLength(6);
    for (const { metrics, checks } of trials) {
      expect(metrics['write_ns']).toBeGreaterThan(0);
      expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
        ['exit code', true],
        ['driver: verified', true],
        ['equal: /operations', true],
      ]);
    }
  });

  it('its experiment is invalid with an engine that loses a record', async () => {
    rig.write('a.mjs', engine('none'));
    rig.write('b.mjs', engine('lost'));
    rig.write('experiment.yaml', blocks('docs/drivers.md', 'yaml')[0] ?? '');
    const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    expect(code).toBe(3);
    expect(stdout).toContain('1999 in the store');
  });

  function shell(path: string | undefined) {
    const input = rig.write('input', 'some text\n'.repeat(1000));
    const options = { cwd: rig.directory, encoding: 'utf8', env: { PATH: path } } as const;
    const { stdout, stderr } = spawnSync('/bin/sh', ['driver.sh', '6', input], options);
    return { ...resultOf(stdout), stderr };
  }

  it('the one in sh reports a size, a check and a fact', () => {
    const { metrics, checks, facts, stderr } = shell(process.env['PATH']);
    expect(metrics['size']).toBeGreaterThan(20);
    expect(metrics['size']).toBeLessThan(1000);
    expect(checks).toEqual({ verified: { ok: true, detail: 'read back as written' } });
    expect({ facts, stderr }).toEqual({ facts: { input: 10_000 }, stderr: '' });
  });

  it('its check fails where what is read back differs', () => {
    mkdirSync(join(rig.directory, 'bin'));
    const program = join(rig.directory, 'bin', 'gzip');
    writeFileSync(program, '#!/bin/sh\nhead -c 9999\n');
    chmodSync(program, 0o755);
    const { checks } = shell(`${join(rig.directory, 'bin')}:${process.env['PATH']}`);
    expect(checks).toEqual({ verified: { ok: false, detail: 'differs after decompression' } });
  });
});

it('the page on the doctor names every check, in the order of the table', () => {
  const named = [...page('docs/doctor.md').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, id]) => id);
  expect(named).toEqual([...ROWS.map(({ id }) => id), 'noise']);
});
