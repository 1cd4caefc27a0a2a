import { expect, test } from 'vitest';
import { readExperiment } from './parse.ts';

function sources(arms: string) {
  const read = readExperiment(`title: t\narms: ${arms}\nworkload: {command: ["{arm.dir}/run"]}\n`);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.experiment.arms.map(({ source }) => source);
}

test('a git arm has its defaults', () => {
  const [source] = sources('{a: {git: {repo: ../x, rev: v1}}, b: {npm: x@1.0.0}}');
  expect(source).toEqual({
    kind: 'git',
    repo: '../x',
    rev: 'v1',
    submodules: false,
    patch: null,
    build: [],
    build_env: {},
    build_timeout_ms: 3_600_000,
    again: null,
  });
});

test('two revisions stand for their merge base', () => {
  const [source] = sources('{a: {git: {repo: x, merge-base: [origin/main, mine]}}, b: {of: a}}');
  expect(source).toMatchObject({ rev: { merge_base: ['origin/main', 'mine'] } });
});

test('an arm with `of` is the other one but for its copy, also where it stands first', () => {
  const git =
    '{git: {repo: x, rev: v1, submodules: true}, patch: p, build: [make -j4, [make, -j, 4]], build_env: {V: 1}, build_timeout: 2m}';
  const [first, source, second] = sources(`{c: {of: a}, a: ${git}, b: {of: a}}`);
  expect(source).toMatchObject({
    submodules: true,
    patch: 'p',
    build: [
      ['/bin/sh', '-c', 'make -j4'],
      ['make', '-j', '4'],
    ],
    build_env: { V: '1' },
    build_timeout_ms: 120_000,
    again: null,
  });
  expect(first).toEqual({ ...source, again: { of: 'a', copy: 1 } });
  expect(second).toEqual({ ...source, again: { of: 'a', copy: 2 } });
});

test('braces and words of a shell are not placeholders in a build', () => {
  const [source] = sources('{a: {git: {repo: x, rev: v1}, build: ["awk {print} {a,b}"]}, b: {of: a}}');
  expect(source).toMatchObject({ build: [['/bin/sh', '-c', 'awk {print} {a,b}']] });
});

test.each([
  ['main..mine', 'main, mine'],
  ['main...mine', 'main, mine'],
  ['..mine', 'HEAD, mine'],
])('the range %s is no revision, and may mean a merge base', (rev, both) => {
  const arms = `{a: {git: {repo: x, rev: "${rev}"}}, b: {npm: x@1.0.0}}`;
  const read = readExperiment(`title: t\narms: ${arms}\nworkload: {command: ["{arm.dir}/run"]}\n`);
  expect(read).toMatchObject({
    ok: false,
    errors: [{ line: 2, message: expect.stringContaining(`is a range of commits`) }],
  });
  expect(read).toMatchObject({ errors: [{ message: expect.stringContaining(`merge-base: [${both}]`) }] });
});

test.each(['v1.2.3', ':/mend a..b', 'HEAD^{/mend a..b}', 'main~3'])('%s is no range', (rev) => {
  const [source] = sources(`{a: {git: {repo: x, rev: "${rev}"}}, b: {npm: x@1.0.0}}`);
  expect(source).toMatchObject({ rev });
});
