import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readExperiment } from './parse.ts';
import { expand, literalTemplate, PLACEHOLDERS, placeholdersOf, placeholderValues } from './placeholders.ts';

fc.configureGlobal({ seed: 20261130 });

test('placeholders are replaced and doubled braces are braces', () => {
  const values = { 'arm.dir': '/a', 'params.size': '3' };
  expect(expand('{arm.dir}/x --size={params.size} {{arm.dir}} }}{{', values)).toBe('/a/x --size=3 {arm.dir} }{');
  expect(expand('{{{arm.dir}}}', values)).toBe('{/a}');
  expect(placeholdersOf('{arm.dir} {{x}} {params.size}{arm.dir}')).toEqual(['arm.dir', 'params.size', 'arm.dir']);
});

test('a value is not expanded once more', () => {
  expect(expand('{arm.name}', { 'arm.name': '{arm.name}}{' })).toBe('{arm.name}}{');
});

test('names that every object has are no placeholders', () => {
  expect(() => expand('{constructor}', {})).toThrow('{constructor}');
});

test('any text can be written as a template', () => {
  const text = fc.string({ unit: fc.constantFrom('{', '}', 'a', 'arm.dir', '{arm.dir}') });
  fc.assert(
    fc.property(text, (each) => {
      expect(expand(literalTemplate(each, []), {})).toBe(each);
    }),
  );
});

test('placeholders that are kept are still replaced in a literal text', () => {
  const template = literalTemplate("awk '{print}' {trial.dir}/x {{trial.dir}", ['trial.dir']);
  expect(expand(template, { 'trial.dir': '/t' })).toBe("awk '{print}' /t/x {/t");
});

test('the parameters of an arm win over those of the workload', () => {
  const read = readExperiment(`
title: t
arms: {a: {params: {size: 2}}, b: {}}
workload: {command: [x, "{params.size} {params.on}"], params: {size: 1, on: true}}
`);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const [a, b] = read.experiment.arms;
  const dirs = { arm: null, trial: '/t', experiment: '/e' };
  expect(placeholderValues(read.experiment, a, dirs)).toEqual({
    'arm.name': 'a',
    'trial.dir': '/t',
    'experiment.dir': '/e',
    'params.size': '2',
    'params.on': 'true',
  });
  expect(placeholderValues(read.experiment, b, { ...dirs, arm: '/a' })).toMatchObject({
    'arm.dir': '/a',
    'params.size': '1',
  });
  expect(placeholderValues(read.experiment, a, dirs, { size: 3 })).toMatchObject({
    'params.size': '3',
    'params.on': 'true',
  });
  const same = { ...a, name: 'a-again', source: { kind: 'same', of: 'a' } } as const;
  expect(placeholderValues(read.experiment, same, dirs)).toEqual(placeholderValues(read.experiment, a, dirs));
  const known = Object.keys(
    placeholderValues(read.experiment, b, { ...dirs, arm: '/a', driver: '/d', cgroup: '/c', device_stat: '/s' }),
  );
  expect(known.filter((name) => !name.startsWith('params.')).sort()).toEqual([...PLACEHOLDERS].sort());
});
