import { expect, it } from 'vitest';
import { parseCpuList } from '../../host/cpu-list.ts';
import { cpuHierarchies } from './cgroup.ts';

const homes = (mountinfo: string, membership: string) =>
  cpuHierarchies(mountinfo, membership).map(({ method, home }) => [method, home]);

it('finds the one hierarchy of version 2', () => {
  const mountinfo = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';
  expect(homes(mountinfo, '0::/user.slice/a:b.scope\n')).toEqual([
    ['cgroup v2 cpu.stat', '/sys/fs/cgroup/user.slice/a:b.scope'],
  ]);
});

it('prefers version 2 in a mixture, and finds cpuacct where it shares a hierarchy', () => {
  const mountinfo = [
    '32 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    '33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct',
    '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
  ].join('\n');
  expect(homes(mountinfo, '9:memory:/m\n2:cpu,cpuacct:/one\n0::/two\n')).toEqual([
    ['cgroup v2 cpu.stat', '/sys/fs/cgroup/unified/two'],
    ['cgroup v1 cpuacct.usage', '/sys/fs/cgroup/cpu,cpuacct/one'],
  ]);
});

it('takes the path from where the mount begins, as in a container', () => {
  const mountinfo = '33 31 0:30 /docker/1 /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct';
  expect(homes(mountinfo, '2:cpuacct:/docker/1/x\n')).toEqual([
    ['cgroup v1 cpuacct.usage', '/sys/fs/cgroup/cpuacct/x'],
  ]);
});

it('finds nothing where there is nothing', () => {
  expect(homes('22 1 0:20 / /proc rw - proc proc rw\n', '')).toEqual([]);
});

it('reads lists of CPUs', () => {
  expect(parseCpuList('0-2,8')).toEqual([0, 1, 2, 8]);
  expect(parseCpuList('5')).toEqual([5]);
  expect(parseCpuList('')).toEqual([]);
});
