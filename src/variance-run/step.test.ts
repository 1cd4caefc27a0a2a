import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PlannedStep } from '../storage/benchmark/steps.ts';
import { timeLimit } from '../storage/benchmark/time-limit.ts';
import type { LaunchAccount, LaunchRequest } from '../trial/launch.ts';
import { runStep } from './step.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-step-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const HANGING: PlannedStep = {
  workload: { name: 'byrx', keys: 5000, flags: [] },
  ...{ threads: 1, repetition: 2, step: 'readrandom', seed: 1 },
};

it('a step that hangs has a limit in proportion to the run', () => {
  const small = { small: true, duration_s: 1 };
  expect([timeLimit('fillseq', small), timeLimit('readrandom', small)]).toEqual([601, 601]);
  const whole = { small: false, duration_s: 1800 };
  expect([timeLimit('fillseq', whole), timeLimit('readrandom', whole)]).toEqual([604_800, 45_000]);
});

it('says how long it waited for db_bench, where to look, and how to go on', async () => {
  const asked: LaunchRequest[] = [];
  const launcher = {
    kind: 'native' as const,
    limitations: [],
    launch: (request: LaunchRequest) => {
      asked.push(request);
      return Promise.resolve({ outcome: { kind: 'timeout' } } as LaunchAccount);
    },
    launchSession: () => Promise.reject(new Error('none was asked for')),
    cancel: () => {},
    close: () => Promise.resolve(),
  };
  const setting = {
    ...{ launcher, directory, db_bench: '/usr/bin/db_bench', env: {} },
    rules: { small: true, duration_s: 1 },
  };
  await expect(runStep(setting, HANGING, join(directory, 'db'), directory)).rejects.toMatchObject({
    failure: {
      kind: 'machine',
      message: expect.stringMatching(/repetition 2: db_bench had not ended after 10 min, and was ended$/),
      remedy: expect.stringMatching(/What it printed is in .*Look what held it up.*without --small.*--resume/),
    },
  });
  expect(asked.map(({ timeout_ms }) => timeout_ms)).toEqual([601_000]);
});
