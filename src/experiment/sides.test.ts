import { expect, test } from 'vitest';
import type { Experiment } from './experiment.ts';
import { readExperiment } from './parse.ts';

function read(text: string): Experiment {
  const result = readExperiment(text);
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.experiment;
}

const FILE = `
title: sides
arms:
  "2": {git: {repo: e, rev: a}, build: [make], params: {mode: x}}
  "1": {git: {repo: e, rev: b}, patch: fix.diff}
  rebuild: {of: "2", params: {mode: x}}
  ablation: {of: "2", patch: less.diff}
workload: {command: ["{arm.dir}/x", "{params.mode}"], params: {mode: write}}
counters: software
design: {confirmation: {arms: ["1", "2"]}, builds: 2}
controls:
  "9": {same: "1", pairs: 8}
  layout: {rebuild: "2", pairs: 4}
  "7": {rebuild: "1"}
  uncounted: {counters: off}
  reads: {params: {mode: read}, metrics: [wall]}
  rss: {metric: max_rss}
  faults: {metric: page_faults}
comparisons:
  "5": {arms: ["2", rebuild, ablation], blocks: 12, against: {ablation: rebuild}, counters: off}
`;

const general = { against: {}, command: null, params: {}, metrics: null, counters: 'software', blocks: 16 };

test('controls and comparisons run in the order of the file', () => {
  const { design, reference, sides, unchanged } = read(FILE);
  expect(design).toMatchObject({ arms: ['1', '2'], builds: 2, confirmation_pairs: 16 });
  expect(reference).toBe('1');
  expect(sides).toEqual([
    { ...general, name: '9', control: { kind: 'same' }, arms: ['1', '1-again'], blocks: 8 },
    { ...general, name: 'layout', control: { kind: 'rebuild' }, arms: ['2', 'rebuild'], blocks: 4 },
    { ...general, name: '7', control: { kind: 'rebuild' }, arms: ['1', '1-rebuilt'] },
    { ...general, name: 'uncounted', control: { kind: 'uncounted' }, arms: ['1', '2'], counters: 'off' },
    {
      ...{ ...general, name: 'reads', control: { kind: 'unchanged' }, arms: ['1', '2'] },
      ...{ params: { mode: 'read' }, metrics: ['wall'] },
    },
    {
      ...{ ...general, name: '5', control: null, arms: ['2', 'rebuild', 'ablation'], blocks: 12 },
      ...{ against: { ablation: 'rebuild' }, counters: 'off' },
    },
  ]);
  expect(unchanged).toEqual([
    { name: 'rss', metric: 'max_rss' },
    { name: 'faults', metric: 'page_faults' },
  ]);
});

test('a control of the confirmation compares what that compares, whichever arm is the reference', () => {
  const { reference, design, sides } = read(FILE.replace('workload:', 'reference: "2"\nworkload:'));
  expect([reference, design.arms]).toEqual(['2', ['1', '2']]);
  const named = (name: string) => sides.find((side) => side.name === name)?.arms;
  expect(['uncounted', 'reads'].map(named)).toEqual([
    ['2', '1'],
    ['2', '1'],
  ]);
});

test('arms that controls need and the file does not name come behind those of the file', () => {
  const { arms } = read(FILE);
  expect(arms.map(({ name }) => name)).toEqual(['2', '1', 'rebuild', 'ablation', '1-again', '1-rebuilt']);
  const [two, one, rebuild, ablation, again, rebuilt] = arms;
  expect(again).toEqual({ ...one, name: '1-again', source: { kind: 'same', of: '1' } });
  expect(rebuilt).toEqual({ ...one, name: '1-rebuilt', source: { ...one.source, again: { of: '1', copy: 1 } } });
  expect(rebuild?.source).toEqual({ ...two.source, again: { of: '2', copy: 1 } });
  expect(ablation?.source).toEqual({ ...two.source, patch: 'less.diff', again: { of: '2', copy: 2 } });
});

test('a rebuild with other parameters is no rebuild, and one is made', () => {
  const { sides } = read(FILE.replace('rebuild: {of: "2", params: {mode: x}}', 'rebuild: {of: "2"}'));
  expect(sides.find(({ name }) => name === 'layout')?.arms).toEqual(['2', '2-rebuilt']);
});

test('two controls of one arm share its second side', () => {
  const { arms, sides } = read(FILE.replace('  "7": {rebuild: "1"}', '  "7": {same: "1"}'));
  expect(arms.map(({ name }) => name).filter((name) => name === '1-again')).toHaveLength(1);
  expect(sides.filter(({ control }) => control?.kind === 'same').map((side) => side.arms)).toEqual([
    ['1', '1-again'],
    ['1', '1-again'],
  ]);
});

test('an arm made of another takes its library where it names none', () => {
  const { arms } = read(`
title: t
arms:
  a: {git: {repo: e, rev: a}, artifacts: {include: [include], library: lib.a}}
  b: {of: a}
  c: {of: a, prefix: /usr}
workload: {driver: rocksdb, command: ["{arm.driver}", x]}
controls: {layout: {rebuild: a}}
`);
  expect(arms.map(({ library }) => library?.kind)).toEqual(['artifacts', 'artifacts', 'prefix']);
});
