import { describe, expect, it } from 'vitest';
import type { Experiment } from './experiment.ts';
import { readExperiment } from './parse.ts';

const PLAIN = 'arms: {a: {command: [a]}, b: {command: [b]}}';
const DRIVER = 'arms: {a: {prefix: a}, b: {prefix: b}}\nworkload: {driver: rocksdb, command: ["{arm.driver}"]}';

function read(text: string): Experiment {
  const found = readExperiment(`title: counters\n${text}\n`);
  if (!found.ok) throw new Error(JSON.stringify(found.errors));
  return found.experiment;
}

function errors(text: string): string[] {
  const found = readExperiment(`title: counters\n${text}\n`);
  return found.ok ? [] : found.errors.map(({ message }) => message);
}

const names = ({ metrics }: Experiment) => metrics.map(({ name }) => name);
const SYSTEM = ['wall', 'cpu', 'max_rss'];
const HARDWARE = ['cycles', 'instructions', 'branch_misses', 'cache_misses'];

describe('what is counted', () => {
  it('is hardware events where a driver of Assay’s counts them, else nothing', () => {
    expect(read(PLAIN)).toMatchObject({ counters: 'off', reject: { rules: [] } });
    expect(names(read(PLAIN))).toEqual(SYSTEM);
    expect(read(DRIVER).counters).toBe('hardware');
    expect(names(read(DRIVER))).toEqual([...SYSTEM, ...HARDWARE]);
    // Its own drivers say how many operations there were, whatever the primary metric is one of.
    expect(read(DRIVER).metrics.at(-1)?.per).toEqual({ pointer: '/operations' });
    expect(read(`${DRIVER}\ncounters: off`)).toMatchObject({ counters: 'off', reject: { rules: [] } });
    expect(names(read(`${DRIVER}\ncounters: off`))).toEqual(SYSTEM);
    expect(read(`${PLAIN}\ncounters: hardware`).counters).toBe('hardware');
  });

  it('becomes metrics per operation of the first primary metric, none of them primary', () => {
    const { metrics } = read(
      `${PLAIN}\ncounters: hardware\ndecision: {threshold: 1%}\nmetrics: [{name: read, unit: ns, per: 7}, {name: write, unit: ns, per: /facts/writes, primary: true}]`,
    );
    expect(metrics[2]).toEqual({
      name: 'cycles',
      unit: 'cycles',
      better: 'lower',
      primary: false,
      per: { pointer: '/facts/writes' },
      kind: 'ratio',
      optional: true,
      from: { kind: 'counter', name: 'cycles' },
      threshold: 0.01,
      margin: null,
    });
    expect(metrics).toHaveLength(6);
  });

  it('is compared by the difference where it may be zero', () => {
    const { metrics, reject } = read(`${PLAIN}\ncounters: software\ndecision: {threshold: 1%}`);
    expect(metrics.slice(3).map(({ name, unit, kind, threshold }) => [name, unit, kind, threshold])).toEqual([
      ['task_clock', 'ns', 'ratio', 0.01],
      ['context_switches', 'switches', 'difference', 0],
      ['page_faults', 'faults', 'difference', 0],
      ['cpu_migrations', 'migrations', 'difference', 0],
    ]);
    expect(reject.rules).toEqual([]);
  });

  it('may be named by a metric, and then is not added; nor is a name that is taken', () => {
    const { metrics } = read(
      `${PLAIN}\ncounters: hardware\nmetrics: [{name: work, from: counters.instructions, per: 3, primary: true, threshold: 2%}, {name: cycles, unit: rounds}]`,
    );
    expect(metrics.map(({ name, unit, per }) => [name, unit, per])).toEqual([
      ['work', 'instructions', 3],
      ['cycles', 'rounds', null],
      ['branch_misses', 'misses', 3],
      ['cache_misses', 'misses', 3],
    ]);
    expect(metrics[0]).toMatchObject({
      from: { kind: 'counter', name: 'instructions' },
      primary: true,
      optional: false,
    });
    expect(metrics[1]?.from).toEqual({ kind: 'result', pointer: '/metrics/cycles' });
  });
});

describe('the rule', () => {
  it('stands in the experiment where hardware events are counted', () => {
    const rule = { fact: 'counter_share', when: 'below', limit: 0.99 };
    expect(read(DRIVER).reject).toEqual({ rules: [rule], max_repeats: 2 });
    expect(read(`${DRIVER}\nreject: [{fact: steal, above: 2%}]`).reject.rules).toEqual([
      { fact: 'steal', when: 'above', limit: 0.02 },
      rule,
    ]);
  });

  it('gives way to one that the experiment states', () => {
    const { rules } = read(`${DRIVER}\nreject: [{fact: counter_share, below: 50%}]`).reject;
    expect(rules).toEqual([{ fact: 'counter_share', when: 'below', limit: 0.5 }]);
  });
});

describe('mistakes', () => {
  it.each([
    ['counters: on', /expected `hardware`, `software` or `off`, not "on"/],
    ['counters: hadrware', /did you mean `hardware`/],
    ['metrics: [{name: x, from: counters.cycles}]', /`cycles` is counted with `counters: hardware`.*`off`/],
    ['counters: software\nmetrics: [{name: x, from: counters.cycles}]', /`counters: hardware`.*`software`/],
    ['counters: hardware\nmetrics: [{name: x, unit: s, from: counters.cycles}]', /measured in `cycles`/],
    ['counters: hardware\nmetrics: [{name: x, from: counters.cycle}]', /a counter \(`counters.cycles`\)/],
    ['reject: [{fact: counter_share, below: 99%}]', /nothing is counted here/],
    ['counters: hardware\nreject: [{fact: counter_share, below: 99}]', /did you mean `99%`/],
    ['counters: hardware\nworkload: {env: {ASSAY_COUNTERS: software}}', /what `counters` says, and that is `hardware`/],
    ['workload: {pass_env: [ASSAY_COUNTERS]}', /the experiment says what is counted/],
    ['checks: [{equal: counters.cycles}]', /a JSON pointer/],
  ])('%s', (text, message) => {
    const [first, ...others] = errors(`${PLAIN}\n${text}`);
    expect(first).toMatch(message);
    expect(others).toEqual([]);
  });

  it('arms that count differently', () => {
    const arms = 'arms: {a: {command: [a], env: {ASSAY_COUNTERS: hardware}}, b: {command: [b]}}\ncounters: hardware';
    expect(errors(arms)).toEqual([expect.stringMatching(/the same in all arms/)]);
  });
});
