import { expect, it } from 'vitest';
import { setUpDifference } from './same-set-up.ts';

const GIB = 2 ** 30;
const GROUP = { version: 2, cpu_quota: null, periods: null, throttled_periods: null, throttled_ns: null } as const;
const BEFORE = {
  cpus: 8,
  cores: 4,
  memory_bytes: 30.9 * GIB,
  allowed_cpus: '0-7',
  control_group: { ...GROUP, memory_limit_bytes: null },
};

it.each([
  [{ cpus: 4 }, 'the number of CPUs was 8 when the run began, and is 4 here'],
  [{ cores: 8 }, 'the number of cores was 4 when the run began, and is 8 here'],
  [{ memory_bytes: 62 * GIB }, 'the memory that may be used was 32 GiB when the run began, and is 64 GiB here'],
  [
    { control_group: { ...GROUP, memory_limit_bytes: GIB / 2 } },
    'the memory that may be used was 32 GiB when the run began, and is 512 MiB here',
  ],
  [{ allowed_cpus: '0-3' }, 'what CPUs may be used was 0-7 when the run began, and is 0-3 here'],
  [
    { control_group: { ...GROUP, memory_limit_bytes: null, cpu_quota: 1.5 } },
    'the limit of CPU time was none when the run began, and is 1.5 here',
  ],
])('%j is another set-up', (change, clause) => {
  expect(setUpDifference(BEFORE, { ...BEFORE, ...change })).toBe(clause);
});

it('is the same where the system keeps a little more for itself, and where something is not known', () => {
  const unknown = { cores: null, allowed_cpus: null, control_group: null };
  for (const now of [BEFORE, { ...BEFORE, memory_bytes: 30.8 * GIB }, { ...BEFORE, ...unknown }]) {
    expect(setUpDifference(BEFORE, now)).toBeNull();
    expect(setUpDifference(now, BEFORE)).toBeNull();
  }
});
