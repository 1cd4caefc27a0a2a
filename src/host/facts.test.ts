import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { machineFacts, machineId, platformUuid } from './facts.ts';

let directory: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-facts-'));
  env = { PATH: process.env['PATH'], ASSAY_CACHE: join(directory, 'cache') };
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('says the same of this machine each time', async () => {
  const facts = await machineFacts(directory, env);
  const { free_bytes, steal, control_group, memory_available_bytes, swap, busy_processes, ...lasting } = facts;
  expect(await machineFacts(directory, env)).toMatchObject(lasting);
  expect(facts).toMatchObject({ platform: process.platform, arch: process.arch, node: process.versions.node });
  expect(facts.cpus).toBeGreaterThanOrEqual(1);
  expect(facts.memory_bytes).toBeGreaterThan(1 << 20);
  expect(memory_available_bytes).toBeGreaterThan(0);
  expect(memory_available_bytes).toBeLessThanOrEqual(facts.memory_bytes);
  expect(free_bytes).toBeGreaterThan(0);
  expect(facts.cpu_model).not.toBe('');
  expect(facts.machine_id).toMatch(/^[0-9a-f]{32}$/);
});

it.runIf(process.platform === 'linux')(
  'knows the file system of a directory that is not there yet, and through links',
  async () => {
    const { file_system, boot_id, storage } = await machineFacts(directory, env);
    expect(storage).not.toBeNull();
    expect(file_system).toMatch(/^[a-z0-9.]+$/);
    expect(boot_id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await machineFacts(join(directory, 'not', 'yet'), env)).file_system).toBe(file_system);
    symlinkSync('/proc', join(directory, 'link'));
    expect(await machineFacts(join(directory, 'link'), env)).toMatchObject({
      file_system: 'proc',
      storage: { source: 'other', disks: [] },
    });
  },
);

it('tells machines apart without giving them away', () => {
  const id = machineId('0123456789abcdef0123456789abcdef', 'Xeon');
  expect(id).toBe('1c9b89cfda18f32c4e9b4f9ae4c5a873');
  expect(machineId('0123456789abcdef0123456789abcdee', 'Xeon')).not.toBe(id);
  expect(machineId('0123456789abcdef0123456789abcdef', 'Epyc')).not.toBe(id);
});

it('finds the UUID that macOS gives a machine', () => {
  const text = '  |   "IOPlatformSerialNumber" = "C02"\n  |   "IOPlatformUUID" = "564D1F2A-0000"\n';
  expect(platformUuid(text)).toBe('564D1F2A-0000');
  expect(platformUuid('')).toBeNull();
});
