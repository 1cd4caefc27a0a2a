import { expect, test } from 'vitest';
import { namedEnvironment } from './environment.ts';
import { readExperiment } from './parse.ts';
import { placeholderValues } from './placeholders.ts';

const read = readExperiment(`
title: t
arms:
  a: {command: [x], env: {LD_LIBRARY_PATH: "{experiment.dir}/a", OWN: a}}
  b: {command: [x]}
workload: {env: {LD_LIBRARY_PATH: "{params.dir}/w", MODE: w}, pass_env: [TOKEN, ABSENT], params: {dir: /p}}
`);
if (!read.ok) throw new Error(JSON.stringify(read.errors));
const { experiment } = read;

test('variables that are passed on, of the workload and of the arm, the later ones winning', () => {
  const own = { PATH: '/bin', TOKEN: 'secret', LD_LIBRARY_PATH: '/outer', HOME: '/home' };
  const of = (arm: (typeof experiment.arms)[number]) =>
    namedEnvironment(
      experiment,
      arm,
      placeholderValues(experiment, arm, { arm: null, trial: '/t', experiment: '/e' }),
      own,
    );
  const [a, b] = experiment.arms;
  expect(of(a)).toEqual({ PATH: '/bin', TOKEN: 'secret', MODE: 'w', LD_LIBRARY_PATH: '/e/a', OWN: 'a' });
  expect(of(b)).toEqual({ PATH: '/bin', TOKEN: 'secret', MODE: 'w', LD_LIBRARY_PATH: '/p/w' });
});
