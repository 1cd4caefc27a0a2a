import { expect, test } from 'vitest';
import { readExperiment } from '../experiment/parse.ts';
import { preparationsOf } from './preparations.ts';

test('each build of an arm is a copy of its source that no other arm is', () => {
  const read = readExperiment(`
title: t
arms:
  before: {git: {repo: e, rev: a}}
  after: {git: {repo: e, rev: b}}
  rebuild: {of: after}
  ablation: {of: after, patch: x.diff}
workload: {command: ["{arm.dir}/x"]}
design: {builds: 3, confirmation: {arms: [before, after, ablation]}}
controls: {again: {same: before}, layout: {rebuild: after}, layout-2: {rebuild: before}}
`);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const made = preparationsOf(read.experiment).map(({ arm, build, builds }) => {
    if (arm.source.kind !== 'git') throw new Error('only git arms are built');
    return `${arm.name} ${build}/${builds} ${arm.source.again?.of ?? '-'} ${arm.source.again?.copy ?? 0}`;
  });
  expect(made).toEqual([
    ...['before 0/3 - 0', 'before 1/3 before 2', 'before 2/3 before 4'],
    ...['after 0/3 - 0', 'after 1/3 after 3', 'after 2/3 after 6'],
    'rebuild 0/1 after 1',
    ...['ablation 0/3 after 2', 'ablation 1/3 after 5', 'ablation 2/3 after 8'],
    'before-rebuilt 0/1 before 1',
  ]);
});
