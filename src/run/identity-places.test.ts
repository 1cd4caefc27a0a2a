import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { journalOf } from '../../test/journal-builder.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { readExperiment } from '../experiment/parse.ts';
import { checkRecord } from '../journal/record-schema.ts';
import type { JournalRecord } from '../journal/records.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import { makePlan } from '../plan/plan.ts';
import { readOutput } from '../trial/read-output.ts';
import { firstRecord } from './first-record.ts';
import type { Identity } from './identity.ts';
import { keptIdentity, redactor } from './identity-places.ts';

const TEXT = `
title: new against old
question: Is new faster than old on ops?
arms:
  new: {env: {MODE: new}, params: {mode: new}}
  old: {env: {RUN: /home/ops/run}, params: {mode: old}}
workload:
  command: [bench, '{arm.name}', '{params.mode}', '{params.records}', '{trial.dir}', new, stdout]
  params: {records: 100}
  timeout: 120s
  pass_env: [WHICH]
metrics:
  - {name: rate, unit: ops, better: higher, from: {stdout: '^ops: ([0-9]+)'}}
  - {name: write, unit: ns, from: /metrics/write}
  - {name: size, unit: bytes, from: {file: data/stats.json, pointer: /levels/0}}
  - {name: wall}
checks:
  - must_match: {stderr: 'done in /home/ops'}
  - equal: /facts/keys
  - driver: [verified]
controls:
  again: {same: old, pairs: 2}
design: {confirmation: {pairs: 4}, screening: {pairs: 2}, warmup: 1}
reject: [{fact: steal, above: 2%}]
machine: {require: {governor: performance}}
`;

function experiment(): Experiment {
  const read = readExperiment(TEXT);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.experiment;
}

const NOBODY: Identity = { user: '', host: '', home: '', experiment_dir: '', env: {} };
const machine = journalOf({ values: { wall: { a: [1], b: [1] } } }).run.machine;

/** Every key and every string in a value, and the words in these. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...value.split(/[^A-Za-z0-9_]+/)];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...wordsOf(item)]);
}

/** What trials and analysis go by: all but what people read, and what was executed. */
function meaningOf(experiment: Experiment): unknown {
  const { arms, workload, sides, title, question, ...rest } = experiment;
  return {
    ...rest,
    arms: arms.map(({ name, env, params }) => [name, Object.keys(env), Object.keys(params)]),
    workload: { ...workload, command: null, cwd: null, env: Object.keys(workload.env) },
    sides: sides.map((side) => ({ ...side, command: null })),
  };
}

test('whoever is called as a word of the experiment: the record is one, of the same experiment and plan', () => {
  const original = experiment();
  const plan = makePlan(original, 5);
  const words = [...new Set(wordsOf([original, plan, machine, 'balanced', 'lower', TEXT]))].filter(
    (word) => word.length >= 3 && word.length < 40,
  );
  const word = fc.constantFrom(...words);
  const output = {
    stdout: `stops: 7\nops: 41\n${JSON.stringify({ metrics: { write: 5 }, facts: { keys: 3 }, checks: { verified: { ok: true, detail: 'x' } } })}\n`,
    stderr: 'done in /home/ops',
    files: { 'data/stats.json': '{"levels":[9]}' },
    account: accountOf(),
  };
  const read = (of: Experiment) => readOutput(phaseSetting(of, 'confirmation'), output, null);
  const expected = read(original);
  expect(expected.failure).toBe(null);
  fc.assert(
    fc.property(word, word, word, word, (user, host, home, value) => {
      const redact = redactor({ user, host, home, experiment_dir: `/${home}/x`, env: { WHICH: value } });
      const settled = redact.settled({ experiment: original, source: { name: 'x.yaml', text: TEXT }, plan, machine });
      const record = firstRecord(settled, '/nowhere/run', null);
      const again = checkRecord(JSON.parse(JSON.stringify(record)));
      if (!again.ok || again.record.kind !== 'run') throw new Error(again.ok ? 'no run' : again.problem);
      expect(makePlan(again.record.experiment, 5)).toEqual(plan);
      expect(again.record.plan).toEqual(plan);
      // Disks may be called as somebody calls them, and tools say what they like.
      const { storage, tools, counters } = machine;
      expect({ ...again.record.machine, storage, tools, counters }).toEqual(machine);
      expect(meaningOf(again.record.experiment)).toEqual(meaningOf(original));
      expect(read(again.record.experiment)).toEqual(expected);
      // What somebody is called as, or passes on, does not make another experiment of its text.
      const text = readExperiment(
        redactor({ ...NOBODY, user, host, env: { WHICH: value } }).settled(settled).source.text,
      );
      expect(text.ok).toBe(true);
    }),
    { numRuns: draws(40) },
  );
});

function accountOf() {
  const trial = journalOf({ values: { wall: { a: [1], b: [1] } } }).trials[0];
  if (trial === undefined) throw new Error('a journal has trials');
  return trial.account;
}

test('names stay, texts do not', () => {
  const identity = { ...NOBODY, user: 'new', home: '/home/ops' };
  const settled = redactor(identity).settled({
    experiment: experiment(),
    source: { name: 'new.yaml', text: TEXT },
    plan: makePlan(experiment(), 1),
    machine: {
      ...machine,
      storage: {
        source: 'block',
        layers: [],
        disks: [{ kind: 'scsi', model: 'disk of new', bytes: 1, rotational: null }],
      },
      tools: { c_compiler: 'clang 17 (/home/ops/llvm)', cxx_compiler: null, valgrind: null },
      counters: { hardware: { available: false, reason: 'cc of new fails' }, software: { available: true } },
    },
  });
  expect(settled.machine.storage?.disks[0]?.model).toBe('disk of <user>');
  expect(settled.machine.tools?.c_compiler).toBe('clang 17 (<home>/llvm)');
  expect(settled.machine.counters?.hardware).toEqual({ available: false, reason: 'cc of <user> fails' });
  const { title, arms, workload, checks } = settled.experiment;
  expect(title).toBe('<user> against old');
  expect(arms.map(({ name }) => name)).toEqual(['new', 'old', 'old-again']);
  expect(arms[0].env).toEqual({ MODE: '<user>' });
  expect(arms[1].env).toEqual({ RUN: '<home>/run' });
  expect(workload.command?.slice(1, 6)).toEqual([
    ...['{arm.name}', '{params.mode}', '{params.records}', '{trial.dir}', '<user>'],
  ]);
  expect(checks).toContainEqual({ kind: 'pattern', stream: 'stderr', pattern: 'done in /home/ops', must: true });
  expect(settled.source.name).toBe('<user>.yaml');
  // The name of an arm is no secret any more; a path is one even where a pattern shows it.
  expect(settled.source.text).toContain('\n  new: {env: {MODE: new}');
  expect(settled.source.text).toContain('RUN: <home>/run}');
});

test('what stays though it holds identity is told', () => {
  const identity = { ...NOBODY, user: 'ops', home: '/home/ops', host: 'old', env: { WHICH: 'stdout' } };
  const told = (what: string) => `${what}: it stands in the journal and in reports as it is.`;
  expect(keptIdentity(experiment(), identity)).toEqual([
    told(`name "old" in arms holds the host's name`),
    told(`name "old-again" in arms holds the host's name`),
    told(`pattern "^ops: ([0-9]+)" in metrics holds the user's name`),
    told(`pattern "done in /home/ops" in checks holds the home directory, the user's name`),
  ]);
  expect(keptIdentity(experiment(), NOBODY)).toEqual([]);
});

test('of later records details, messages, paths and words are replaced, names and digests are not', () => {
  const { trials, prepared } = journalOf({ values: { wall: { abc: [1], b: [1] } } });
  const [trial] = trials;
  if (trial === undefined || prepared === null) throw new Error('a journal has both');
  const redact = redactor({ ...NOBODY, user: 'abc', env: { X: 'check', Y: '0123456789abcdef' } });
  const failed: JournalRecord = {
    ...trial,
    checks: [{ name: 'driver: abc', ok: false, detail: 'of abc' }],
    failure: { kind: 'check', check: 'driver: abc', message: 'check of abc' },
    last_words: 'abc ended',
    state: { load_1m: 1, cpu_pressure: 0, busiest: [{ name: 'abc', cpu: 1 }] },
  };
  expect(redact.record(failed)).toEqual({
    ...failed,
    checks: [{ name: 'driver: abc', ok: false, detail: 'of <user>' }],
    failure: { kind: 'check', check: 'driver: abc', message: '<env X> of <user>' },
    last_words: '<user> ended',
    state: { load_1m: 1, cpu_pressure: 0, busiest: [{ name: '<user>', cpu: 1 }] },
  });
  // Both halves of a session, and what the driver at fault answered.
  const session: JournalRecord = { kind: 'session', trials: [trial, failed], slices: null };
  expect(redact.record(session)).toEqual({ ...session, trials: [redact.record(trial), redact.record(failed)] });
  const fault = { subject: 1, kind: 'garbage', slice: 2, answer: 'done abc' };
  expect(redact.account({ session: { fault } })).toEqual({ session: { fault: { ...fault, answer: 'done <user>' } } });
  const arms = prepared.arms.map((arm) => ({
    ...arm,
    commands: { abc: ['/x/abc'] },
    files: [{ path: '/x/abc', sha256: '0123456789abcdef', bytes: 1 }],
    provenance: { repo: '/x/abc', commit: '0123456789abcdef', patch_sha256: '0123456789abcdef' },
  }));
  const record = redact.record({ ...prepared, arms });
  expect(record.kind === 'prepared' && record.arms[0]).toEqual({
    ...arms[0],
    command: ['./<user>'],
    commands: { abc: ['/x/<user>'] },
    files: [{ path: '/x/<user>', sha256: '0123456789abcdef', bytes: 1 }],
    provenance: { repo: '/x/<user>', commit: '0123456789abcdef', patch_sha256: '0123456789abcdef' },
  });
  const trialOf = { phase: 'abc', block: 1, position: 1, arm: 'abc', attempt: 1 };
  expect(redact.account({ trial: trialOf, command: ['abc'] })).toEqual({ trial: trialOf, command: ['<user>'] });
});
