import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMachineTree } from '../../test/machine-tree.ts';
import { machineFacts, machineId, platformUuid, systemFacts } from './facts.ts';

let directory: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-facts-'));
  env = { PATH: process.env['PATH'], ASSAY_CACHE: join(directory, 'cache') };
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('says the same of this machine each time', async () => {
  const facts = await machineFacts(directory, env);
  const { free_bytes, steal, control_group, memory_available_bytes, swap, busy_processes, other_cpu, ...lasting } =
    facts;
  expect(await machineFacts(directory, env)).toMatchObject(lasting);
  expect(facts).toMatchObject({ platform: process.platform, arch: process.arch, node: process.versions.node });
  expect(facts.cpus).toBeGreaterThanOrEqual(1);
  expect(facts.memory_bytes).toBeGreaterThan(1 << 20);
  expect(memory_available_bytes).toBeGreaterThan(0);
  expect(memory_available_bytes).toBeLessThanOrEqual(facts.memory_bytes);
  expect(free_bytes).toBeGreaterThan(0);
  expect(steal).toBeGreaterThanOrEqual(0);
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

it('reads all that another machine says of itself', () => {
  const tree = openMachineTree();
  try {
    tree.write({
      'proc/cpuinfo': 'processor\t: 0\nmodel name\t: Example 9000\nflags\t\t: fpu hypervisor\n',
      'proc/self/mountinfo': '27 1 254:0 / / rw - xfs /dev/vda rw\n30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n',
      'proc/self/cgroup': '0::/\n',
      'cg/cpu.max': '200000 100000\n',
      'proc/meminfo': 'MemAvailable: 1000 kB\n',
      'proc/sys/kernel/random/boot_id': '02fa3964-f9ce-40fd-9df8-2ed1122cfe37\n',
      'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor': 'performance\n',
      'sys/devices/system/cpu/intel_pstate/no_turbo': '1\n',
    });
    expect(systemFacts(directory, tree.files)).toMatchObject({
      cpu_model: 'Example 9000',
      virtual: true,
      governor: 'performance',
      turbo: false,
      boot_id: '02fa3964-f9ce-40fd-9df8-2ed1122cfe37',
      file_system: 'xfs',
      storage: { source: 'other', disks: [] },
      control_group: { version: 2, cpu_quota: 2 },
      memory_available_bytes: 1_024_000,
      numa_nodes: null,
    });
  } finally {
    tree.remove();
  }
});

it('says null of what a machine does not say', () => {
  const tree = openMachineTree();
  try {
    const facts = systemFacts(directory, tree.files);
    const silent = Object.entries(facts).flatMap(([name, value]) => (value === null ? [name] : []));
    expect(silent.sort()).toEqual(
      [
        ...['allowed_cpus', 'aslr', 'boot_id', 'clock_source', 'control_group', 'cores', 'distribution', 'file_system'],
        ...['frequency', 'governor', 'sockets'],
        ...[
          'huge_pages',
          'isolated_cpus',
          'numa_nodes',
          'smt_siblings',
          'steal',
          'storage',
          'swap',
          'turbo',
          'virtual',
        ],
      ].sort(),
    );
  } finally {
    tree.remove();
  }
});
