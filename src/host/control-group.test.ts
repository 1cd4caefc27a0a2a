import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MachineTree, openMachineTree } from '../../test/machine-tree.ts';
import { controlGroup } from './control-group.ts';

let tree: MachineTree;
beforeEach(() => {
  tree = openMachineTree();
});
afterEach(() => tree.remove());

const GIB = 2 ** 30;
const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';
const V1 = [
  '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
].join('\n');
const read = () => controlGroup(tree.files, 64 * GIB);

const UNLIMITED = {
  cpu_quota: null,
  periods: null,
  throttled_periods: null,
  throttled_ns: null,
  memory_limit_bytes: null,
};

describe('version 2', () => {
  const group = 'sys/fs/cgroup/a.slice/b.scope';
  beforeEach(() => tree.write({ 'proc/self/mountinfo': V2, 'proc/self/cgroup': '0::/a.slice/b.scope\n' }));

  it('has the quota of the group, and how often it was stopped', () => {
    tree.write({
      [`${group}/cpu.max`]: '150000 100000\n',
      [`${group}/cpu.stat`]: 'usage_usec 900\nnr_periods 200\nnr_throttled 30\nthrottled_usec 4500\nnr_bursts 0\n',
      [`${group}/memory.max`]: `${8 * GIB}\n`,
    });
    expect(read()).toEqual({
      version: 2,
      cpu_quota: 1.5,
      periods: 200,
      throttled_periods: 30,
      throttled_ns: 4_500_000,
      memory_limit_bytes: 8 * GIB,
    });
  });

  it('is not limited by max, nor by more memory than there is', () => {
    tree.write({ [`${group}/cpu.max`]: 'max 100000\n', [`${group}/memory.max`]: `${64 * GIB}\n` });
    expect(read()).toEqual({ version: 2, ...UNLIMITED });
  });

  it('is as tight as the tightest group above, and memory.high counts', () => {
    tree.write({
      [`${group}/cpu.max`]: '400000 100000\n',
      [`${group}/memory.max`]: `${8 * GIB}\n`,
      'sys/fs/cgroup/a.slice/cpu.max': '200000 100000\n',
      'sys/fs/cgroup/a.slice/cpu.stat': 'nr_periods 9\nnr_throttled 3\nthrottled_usec 7\n',
      'sys/fs/cgroup/a.slice/memory.max': 'max\n',
      'sys/fs/cgroup/a.slice/memory.high': `${2 * GIB}\n`,
    });
    expect(read()).toMatchObject({
      cpu_quota: 2,
      throttled_periods: 3,
      throttled_ns: 7000,
      memory_limit_bytes: 2 * GIB,
    });
  });

  it('takes the way from where the mount begins, as in a container', () => {
    tree.write({
      'proc/self/mountinfo': '30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
      'proc/self/cgroup': '0::/docker/1/x\n',
      'sys/fs/cgroup/x/cpu.max': '50000 100000\n',
    });
    expect(read()?.cpu_quota).toBe(0.5);
  });

  it('stays within the mount where the group lies outside of it', () => {
    tree.write({
      'proc/self/cgroup': '0::/../../../sys/elsewhere\n',
      'sys/elsewhere/cpu.max': '1000 100000\n',
      'sys/fs/cgroup/cpu.max': '300000 100000\n',
    });
    expect(read()?.cpu_quota).toBe(3);
  });

  it('has no limit where the kernel has no such controller, or writes nonsense', () => {
    expect(read()).toEqual({ version: 2, ...UNLIMITED });
    tree.write({
      [`${group}/cpu.max`]: '100000 0\n',
      [`${group}/cpu.stat`]: 'nr_periods many\n',
      [`${group}/memory.max`]: '-7\n',
    });
    expect(read()).toEqual({ version: 2, ...UNLIMITED });
  });
});

describe('version 1', () => {
  const cpu = 'sys/fs/cgroup/cpu,cpuacct/one';
  const membership = '4:memory:/two\n2:cpu,cpuacct:/one\n1:name=systemd:/x\n';
  beforeEach(() => tree.write({ 'proc/self/mountinfo': V1, 'proc/self/cgroup': membership }));

  it('has quota and memory, each of its own hierarchy', () => {
    tree.write({
      [`${cpu}/cpu.cfs_quota_us`]: '200000\n',
      [`${cpu}/cpu.cfs_period_us`]: '100000\n',
      [`${cpu}/cpu.stat`]: 'nr_periods 10\nnr_throttled 1\nthrottled_time 5000\n',
      'sys/fs/cgroup/memory/two/memory.limit_in_bytes': `${4 * GIB}\n`,
    });
    expect(read()).toEqual({
      version: 1,
      cpu_quota: 2,
      periods: 10,
      throttled_periods: 1,
      throttled_ns: 5000,
      memory_limit_bytes: 4 * GIB,
    });
  });

  it('is not limited by -1, nor by the largest number', () => {
    tree.write({
      [`${cpu}/cpu.cfs_quota_us`]: '-1\n',
      [`${cpu}/cpu.cfs_period_us`]: '100000\n',
      [`${cpu}/cpu.stat`]: 'nr_periods 0\nnr_throttled 0\nthrottled_time 0\n',
      'sys/fs/cgroup/memory/two/memory.limit_in_bytes': '9223372036854771712\n',
    });
    expect(read()).toEqual({ ...UNLIMITED, version: 1, periods: 0, throttled_periods: 0, throttled_ns: 0 });
  });

  it('is of version 1 where both are mounted and version 2 has no controllers', () => {
    tree.write({
      'proc/self/mountinfo': `${V1}\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n`,
      'proc/self/cgroup': `${membership}0::/\n`,
      'sys/fs/cgroup/unified/cpu.stat': 'usage_usec 5\n',
      [`${cpu}/cpu.cfs_quota_us`]: '100000\n',
      [`${cpu}/cpu.cfs_period_us`]: '100000\n',
    });
    expect(read()).toMatchObject({ version: 1, cpu_quota: 1 });
  });

  it('finds a mount whose name has a blank', () => {
    tree.write({
      'proc/self/mountinfo': '32 31 0:29 / /c\\040g rw - cgroup cgroup rw,cpu\n',
      'c g/one/cpu.cfs_quota_us': '50000\n',
      'c g/one/cpu.cfs_period_us': '100000\n',
    });
    expect(read()?.cpu_quota).toBe(0.5);
  });
});

it('is null where there are no control groups', () => {
  expect(read()).toBeNull();
  tree.write({ 'proc/self/mountinfo': '22 1 0:20 / /proc rw - proc proc rw\n', 'proc/self/cgroup': '' });
  expect(read()).toBeNull();
});
