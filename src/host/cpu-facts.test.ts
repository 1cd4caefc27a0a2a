import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MachineTree, openMachineTree } from '../../test/machine-tree.ts';
import { cpuFacts } from './cpu-facts.ts';

let tree: MachineTree;
beforeEach(() => {
  tree = openMachineTree();
});
afterEach(() => tree.remove());

const CPUS = 'sys/devices/system/cpu';
const NODES = 'sys/devices/system/node';

const NOTHING = {
  allowed_cpus: null,
  isolated_cpus: null,
  smt_siblings: null,
  frequency: null,
  steal: null,
  numa_nodes: null,
  clock_source: null,
};

describe('cpuFacts', () => {
  it('says null where the machine says nothing', () => {
    expect(cpuFacts(tree.files)).toEqual(NOTHING);
    tree.write({
      'proc/self/status': 'Name:\tnode\n',
      'proc/stat': 'intr 5\n',
      [`${CPUS}/isolated`]: 'garbage\n',
      [`${CPUS}/cpu0/cpufreq/scaling_min_freq`]: '<unknown>\n',
      [`${CPUS}/cpu0/cpufreq/scaling_max_freq`]: '\n',
      [`${CPUS}/cpufreq/policy0`]: '',
    });
    expect(cpuFacts(tree.files)).toEqual(NOTHING);
  });

  it('knows who may run where, and what is isolated', () => {
    tree.write({
      'proc/self/status': 'Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n',
      [`${CPUS}/isolated`]: '2-3\n',
    });
    expect(cpuFacts(tree.files)).toMatchObject({ allowed_cpus: '0-3,8', isolated_cpus: '2-3' });
  });

  it('tells that nothing is isolated from that it is not known', () => {
    tree.write({ [`${CPUS}/isolated`]: '\n' });
    expect(cpuFacts(tree.files).isolated_cpus).toBe('');
  });

  it('lists cores with several CPUs once each, in the order of the CPUs', () => {
    const siblings = ['0,12', '1,13', '2', '11', '1,13', '0,12'];
    const numbers = [0, 1, 2, 11, 13, 12];
    for (const [at, list] of siblings.entries()) {
      tree.write({ [`${CPUS}/cpu${numbers[at]}/topology/thread_siblings_list`]: `${list}\n` });
    }
    // One that is offline.
    tree.write({ [`${CPUS}/cpu14/online`]: '0\n' });
    expect(cpuFacts(tree.files).smt_siblings).toEqual(['0,12', '1,13']);
  });

  it('tells cores with one CPU from cores that are not known', () => {
    tree.write({ [`${CPUS}/cpu0/topology/thread_siblings_list`]: '0\n' });
    expect(cpuFacts(tree.files).smt_siblings).toEqual([]);
  });

  it('has the widest limits and all governors of the CPUs', () => {
    const cpu = (number: number, low: number, high: number, governor: string) => ({
      [`${CPUS}/cpu${number}/cpufreq/scaling_min_freq`]: `${low}\n`,
      [`${CPUS}/cpu${number}/cpufreq/scaling_max_freq`]: `${high}\n`,
      [`${CPUS}/cpu${number}/cpufreq/scaling_governor`]: `${governor}\n`,
    });
    tree.write({
      ...cpu(0, 800_000, 3_600_000, 'powersave'),
      ...cpu(1, 400_000, 2_800_000, 'performance'),
      ...cpu(2, 800_000, 3_600_000, 'powersave'),
      [`${CPUS}/cpu1/cpufreq/scaling_driver`]: 'intel_pstate\n',
    });
    expect(cpuFacts(tree.files).frequency).toEqual({
      driver: 'intel_pstate',
      governors: ['performance', 'powersave'],
      min_hz: 400_000_000,
      max_hz: 3_600_000_000,
    });
  });

  it('has steal as a share of what was wanted, not of the time', () => {
    // user nice system idle iowait irq softirq steal
    tree.write({ 'proc/stat': 'cpu  60 10 20 900000 5 4 1 5 0 0\ncpu0 60 10 20 900000 5 4 1 5 0 0\n' });
    expect(cpuFacts(tree.files).steal).toBeCloseTo(5 / 100, 12);
  });

  it('has the CPUs of each node, also of one that has only memory', () => {
    tree.write({
      [`${NODES}/node0/cpulist`]: '0-7\n',
      [`${NODES}/node1/cpulist`]: '8-15\n',
      [`${NODES}/node10/cpulist`]: '16\n',
      [`${NODES}/node2/cpulist`]: '\n',
      [`${NODES}/online`]: '0-2,10\n',
    });
    expect(cpuFacts(tree.files).numa_nodes).toEqual(['0-7', '8-15', '', '16']);
  });

  it('names the clock in text that a terminal does not obey', () => {
    tree.write({ 'sys/devices/system/clocksource/clocksource0/current_clocksource': 'tsc\u001b[31m\nmore\n' });
    expect(cpuFacts(tree.files).clock_source).toBe('tsc?[31m');
  });
});
