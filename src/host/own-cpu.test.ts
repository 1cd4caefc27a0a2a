import { execFileSync, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { leaveSubjectCpu } from './own-cpu.ts';

const canPin = process.platform === 'linux' && spawnSync('taskset', ['-V']).status === 0 && cpus().length > 1;
const affinity = () =>
  /: (.*)/.exec(execFileSync('taskset', ['-p', '-c', String(process.pid)], { encoding: 'utf8' }))?.[1];
const all = canPin ? affinity() : '';

afterEach(() => {
  if (canPin) execFileSync('taskset', ['-a', '-p', '-c', all ?? '', String(process.pid)]);
});

test.runIf(canPin)('moves this process to the CPU that was named', async () => {
  expect(await leaveSubjectCpu({ cpu: 1, orchestrator_cpu: 0 }, cpus().length)).toBeNull();
  expect(affinity()).toBe('0');
});

test.runIf(canPin)('moves it off the CPU of a pinned subject', async () => {
  expect(await leaveSubjectCpu({ cpu: 0, orchestrator_cpu: null }, cpus().length)).toBeNull();
  expect(affinity()).not.toMatch(/^0/);
});

test.runIf(canPin)('stays where it is when nothing is pinned', async () => {
  expect(await leaveSubjectCpu({ cpu: null, orchestrator_cpu: null }, cpus().length)).toBeNull();
  expect(affinity()).toBe(all);
});

test('says so where it does not work', async () => {
  const told = await leaveSubjectCpu({ cpu: null, orchestrator_cpu: 60_000 }, cpus().length);
  expect(told?.message).toContain('CPU 60000');
});
