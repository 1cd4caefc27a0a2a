import { expect, test } from 'vitest';
import { compareDocument } from './compare-document.ts';
import type { Experiment } from './experiment.ts';
import { readExperiment } from './parse.ts';

const OPTIONS = { shell: false, pairs: 16, warmup: 0, pass_env: [] };

function experiment(options: Parameters<typeof compareDocument>[0]): Experiment {
  const document = compareDocument(options);
  if (!document.ok) throw new Error(document.message);
  const read = readExperiment(document.text);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.experiment;
}

test('two commands become an experiment with wall as its one primary metric', () => {
  const read = experiment({ ...OPTIONS, commands: ['sleep 0.05', "./new '{x}' {trial.dir}"] });
  expect(read.arms.map(({ name, command }) => ({ name, command }))).toEqual([
    { name: 'a', command: ['sleep', '0.05'] },
    { name: 'b', command: ['./new', '{{x}}', '{trial.dir}'] },
  ]);
  expect(read).toMatchObject({ title: "./new '{x}' {trial.dir} against sleep 0.05", reference: 'a' });
  expect(read.metrics.map(({ name, primary }) => [name, primary])).toEqual([
    ['wall', true],
    ['cpu', false],
    ['max_rss', false],
  ]);
  expect(read.workload).toMatchObject({ cwd: '{experiment.dir}', shell: false });
  expect(read.design).toMatchObject({ confirmation_pairs: 16, screening_pairs: 0, warmup: 0, seed: null });
});

test('the options arrive', () => {
  const read = experiment({
    commands: ["awk '{print $1}' <a", './b | wc'],
    shell: true,
    pairs: 8,
    warmup: 2,
    cpu: 1,
    threshold: '5%',
    margin: '0.1',
    pass_env: ['LD_PRELOAD'],
  });
  expect(read.arms[0].command).toEqual(['/bin/sh', '-c', "awk '{{print $1}}' <a"]);
  expect(read).toMatchObject({
    design: { confirmation_pairs: 8, warmup: 2 },
    machine: { cpu: 1 },
    decision: { threshold: 0.05, margin: 0.1 },
    workload: { pass_env: ['LD_PRELOAD'], shell: true },
  });
});

test('a command that only a shell understands is refused', () => {
  expect(compareDocument({ ...OPTIONS, commands: ['./a', './b > x'] })).toMatchObject({
    ok: false,
    command: './b > x',
    index: 4,
  });
});

test('long commands and control characters leave a title that can be read', () => {
  const { title } = experiment({ ...OPTIONS, commands: [`./a ${'x'.repeat(500)}`, "./b 'two\nlines\u001b'"] });
  expect(title.length).toBeLessThanOrEqual(200);
  expect(title).toContain("./b 'two lines '");
});
