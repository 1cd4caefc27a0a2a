import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { availability, availableCounters } from './counter-availability.ts';

let cache: string;
beforeAll(() => {
  cache = mkdtempSync(join(tmpdir(), 'assay-counters-'));
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

afterEach(() => vi.unstubAllEnvs());

const time = { enabled_ns: 10, running_ns: 10 };

it('is there where something was counted', () => {
  const events = { cycles: 5, instructions: 0, branch_misses: 0, cache_misses: 0 };
  expect(availability('hardware', { kind: 'hardware', events, ...time })).toEqual({ available: true });
});

it('is not there where it could be opened, and counted nothing', () => {
  const events = { cycles: 0, instructions: 0, branch_misses: 0, cache_misses: 0 };
  expect(availability('hardware', { kind: 'hardware', events, ...time })).toEqual({
    available: false,
    reason: 'cycles could be opened, but counted nothing',
  });
});

it('says why it is not there', () => {
  expect(availability('software', { kind: 'software', unsupported: 'forbidden' })).toEqual({
    available: false,
    reason: 'forbidden',
  });
  expect(availability('software', null)).toMatchObject({ available: false });
});

it('is only there with the native launcher, and says why that is not', async () => {
  const reason = expect.stringMatching(
    /^only the native launcher counts: (no C compiler|the native launcher works on)/,
  );
  vi.stubEnv('PATH', '/nonexistent');
  expect(await availableCounters(cache, process.env)).toEqual({
    hardware: { available: false, reason },
    software: { available: false, reason },
  });
  expect(await availableCounters(cache, { ...process.env, ASSAY_LAUNCHER: 'portable' })).toMatchObject({
    software: { available: false, reason: expect.stringContaining('ASSAY_LAUNCHER') },
  });
});

it('never fails, and says what is in the way', async () => {
  const reason = expect.stringMatching(/cache|compiler|native launcher works on/);
  expect(await availableCounters('/dev/null/cache', process.env)).toMatchObject({
    hardware: { available: false, reason },
    software: { available: false, reason },
  });
});
