import { describe, expect, test } from 'vitest';
import { makePlan } from '../plan/plan.ts';
import { calibrationText, workloadText } from './calibrated.ts';
import type { Experiment } from './experiment.ts';
import { readExperiment } from './parse.ts';

const FILE = `# What is compared
title: writes
arms:
  old: {git: {repo: e, rev: a}, build: [make], params: &own {mode: x}}
  new: {git: {repo: e, rev: b}, build: [make], params: *own}
  other: {git: {repo: e, rev: c}, params: *own}
reference: new
workload: {command: ["{arm.dir}/x", "{params.mode}"]} # a long comment ${'that is not to be folded '.repeat(8)}
counters: software
design: {screening: {pairs: 4}, confirmation: {arms: [old, new], pairs: 6}, builds: 2, warmup: 1, seed: 5}
controls: {again: {same: new}}
comparisons: {three: {arms: [old, new, other]}}
counting: callgrind
decision: {threshold: 1%}
`;

function read(text: string): Experiment {
  const result = readExperiment(text);
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.experiment;
}

const SAME = { runs: 3, arm: null, cost: null };

describe('from an experiment to its calibration', () => {
  const original = read(FILE);

  test('the reference against its own artefact, and nothing beside it', () => {
    const text = calibrationText(FILE, SAME);
    expect(text).toContain('# What is compared');
    expect(text).toContain('calibration: { runs: 3 }');
    const { arms, design, calibrates, sides, counting, reference, workload, metrics, decision } = read(text);
    const [first, second] = arms;
    expect(arms).toHaveLength(2);
    expect(first).toEqual(original.arms[1]);
    expect(second).toEqual({ ...first, name: 'new-again', source: { kind: 'same', of: 'new' } });
    expect(reference).toBe('new');
    expect(calibrates).toEqual({ runs: 3, against: 'same', cost: null });
    expect({ sides, counting }).toEqual({ sides: [], counting: null });
    expect(design).toEqual({ ...original.design, arms: ['new', 'new-again'], builds: 1, screening_pairs: 0 });
    expect({ workload, metrics, decision }).toEqual({
      workload: original.workload,
      metrics: original.metrics,
      decision: original.decision,
    });
  });

  test('or against an arm of known cost', () => {
    const { arms, calibrates } = read(calibrationText(FILE, { runs: 2, arm: 'old', cost: '1%' }));
    expect(arms).toEqual([original.arms[1], original.arms[0]]);
    expect(calibrates).toEqual({ runs: 2, against: 'known', cost: 0.01 });
    const fraction = read(calibrationText(FILE, { runs: 2, arm: 'old', cost: '0.01' }));
    expect(fraction.calibrates).toEqual(calibrates);
  });

  test('JSON will do', () => {
    const json = JSON.stringify({ title: 't', arms: { a: { command: ['./a'] }, b: { command: ['./b'] } } });
    expect(read(calibrationText(json, SAME)).arms.map(({ name }) => name)).toEqual(['a', 'a-again']);
  });

  test('every run is balanced by itself, whatever its number of pairs', () => {
    for (const pairs of [2, 4, 6, 10]) {
      const experiment = read(calibrationText(FILE.replace('pairs: 6', `pairs: ${pairs}`), { ...SAME, runs: 5 }));
      for (let seed = 1; seed <= 20; seed++) {
        const plan = makePlan(experiment, seed);
        const blocks = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks ?? [];
        expect(blocks).toHaveLength(5 * pairs);
        const firsts = Array.from({ length: 5 }, (_, run) =>
          blocks.slice(run * pairs, (run + 1) * pairs).filter(([arm]) => arm === 'new'),
        );
        expect(firsts.map(({ length }) => length)).toEqual(Array(5).fill(pairs / 2));
        expect(plan.phases.map(({ phase }) => phase)).toEqual(['warmup', 'confirmation']);
      }
    }
  });

  test('no run of a sequential experiment ends early', () => {
    const sequential = FILE.replace('confirmation: {arms: [old, new], pairs: 6}, builds: 2', '').replace(
      'design: {screening: {pairs: 4}, ,',
      'design: {sequential: {min: 4, max: 8}, confirmation: {arms: [old, new]},',
    );
    const experiment = read(calibrationText(sequential, SAME));
    expect(experiment.design).toMatchObject({ confirmation_pairs: 8, sequential: { min_pairs: 4 } });
    expect(makePlan(experiment, 5)).toMatchObject({ sequential: null });
  });
});

describe('what is refused', () => {
  const errors = (calibration: string) => {
    const result = readExperiment(`${FILE}calibration: ${calibration}\n`);
    return result.ok ? [] : result.errors.map(({ message }) => message);
  };
  test.each([
    ['{runs: 1}', /from 2 to 1000/],
    ['{runs: 3, cost: 1%}', /name it with `arm`/],
    ['{runs: 3, arm: new}', /`new` is the reference/],
    ['{runs: 3, arm: odl}', /no arm `odl`: did you mean `old`/],
    ['{runs: 3, arm: other}', /no arm `other`/],
    ['{runs: 3, of: new}', /of/],
  ])('%s', (calibration, message) => {
    expect(errors(calibration)).toEqual([expect.stringMatching(message)]);
  });

  test('more pairs than an experiment may have', () => {
    const long = FILE.replace('pairs: 6', 'pairs: 400');
    const result = readExperiment(calibrationText(long, { ...SAME, runs: 40 }));
    const messages = result.ok ? [] : result.errors.map(({ message }) => message);
    expect(messages).toEqual(['40 runs of 400 pairs are more than 10000: at most 25 runs']);
  });
});

describe('one workload', () => {
  const id = (text: string) => workloadText(read(text));

  test('is that of the calibration, and of experiments that compare or decide otherwise', () => {
    expect(id(calibrationText(FILE, SAME))).toBe(id(FILE));
    expect(id(calibrationText(FILE, { runs: 3, arm: 'old', cost: null }))).toBe(id(FILE));
    for (const [from, to] of [
      ['rev: b', 'rev: d'],
      ['pairs: 6', 'pairs: 16'],
      ['threshold: 1%', 'threshold: 2%, margin: 3%'],
      ['title: writes', 'title: more writes'],
      ['seed: 5', 'seed: 6'],
    ] as const) {
      expect(id(FILE.replace(from, to))).toBe(id(FILE));
    }
  });

  test('is another with other work, metrics or settings of the machine', () => {
    for (const [from, to] of [
      ['{mode: x}', '{mode: y}'],
      ['counters: software', 'counters: off'],
      ['counters: software', 'counters: software\nmachine: {cpu: 1}'],
      ['counters: software', 'counters: software\nmetrics: [{name: cpu}]'],
      ['"{params.mode}"]', '"{params.mode}", more]'],
      ['design: {', 'trial_dir: /mnt\ndesign: {'],
    ] as const) {
      expect(FILE).toContain(from);
      expect(id(FILE.replace(from, to))).not.toBe(id(FILE));
    }
  });
});
