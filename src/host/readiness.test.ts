import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import type { Judgement, Observed } from './judgement.ts';
import type { ControlGroup, Disk, MachineFacts, StorageFacts } from './machine.ts';
import { judge, judgeProbe, type NoiseProbe, ROWS } from './readiness.ts';

/** A machine with which nothing is wrong. */
const { machine } = journalOf({ values: { wall: { a: [1], b: [1] } } }).run;
const FIT: MachineFacts = { ...machine, smt_siblings: [] };
const GROUP: ControlGroup = {
  version: 2,
  cpu_quota: null,
  periods: null,
  throttled_periods: null,
  throttled_ns: null,
  memory_limit_bytes: null,
};
const DISK: Disk = { kind: 'nvme', model: 'Example', bytes: 1e12, rotational: false };
const GIB = 2 ** 30;

function judged(id: string, change: Partial<MachineFacts>, busy: Observed['busy'] = []): Judgement | undefined {
  return judge({ facts: { ...FIT, ...change }, busy }).find((fact) => fact.id === id);
}

function on(disk: Partial<Disk>): StorageFacts {
  return { source: 'block', layers: [], disks: [{ ...DISK, ...disk }] };
}

const elsewhere = (source: StorageFacts['source']): StorageFacts => ({ source, layers: [], disks: [] });
const tools = { c_compiler: 'cc 1', cxx_compiler: 'c++ 1', valgrind: 'valgrind-3' };
const none = { available: false, reason: 'perf_event_open is forbidden' } as const;
const range = { driver: 'intel_pstate', governors: ['performance'], min_hz: 8e8, max_hz: 3.6e9 };

type Case = readonly [id: string, change: Partial<MachineFacts>, status: Judgement['status'], found: RegExp];

const CASES: readonly Case[] = [
  ['cpu', {}, 'ok', /^Example CPU, 1 socket, 2 cores, 4 CPUs$/],
  [
    'cpu',
    { allowed_cpus: '2-3', isolated_cpus: '2-3' },
    'ok',
    /4 CPUs, of which Assay may use 2 \(2-3\); isolated: 2-3$/,
  ],
  ['cpu', { allowed_cpus: '3' }, 'warn', /may use 1 \(3\)/],
  ['cpu', { cpus: 1, allowed_cpus: null }, 'warn', /1 CPU$/],
  ['smt', {}, 'ok', /one CPU a core/],
  ['smt', { virtual: true }, 'ok', /that this virtual machine shows/],
  ['smt', { smt_siblings: ['0,4', '1,5'] }, 'warn', /0,4 and 1,5$/],
  ['smt', { smt_siblings: ['0,4', '1,5', '2,6', '3,7', '8,9', '10,11'] }, 'warn', /3,7 and 2 more$/],
  ['smt', { smt_siblings: null }, 'warn', /not known/],
  ['governor', {}, 'ok', /^performance \(driver intel_pstate\)$/],
  [
    'governor',
    { frequency: { ...range, governors: ['performance', 'powersave'] } },
    'warn',
    /performance and powersave/,
  ],
  ['governor', { frequency: null, governor: 'schedutil' }, 'warn', /^schedutil$/],
  ['governor', { frequency: null, governor: 'performance' }, 'ok', /^performance$/],
  ['governor', { frequency: null, governor: null }, 'warn', /not known/],
  ['turbo', {}, 'ok', /off/],
  ['turbo', { turbo: true }, 'warn', /^on/],
  ['turbo', { turbo: null }, 'warn', /not known/],
  ['frequency', {}, 'ok', /^2 GHz, fixed$/],
  ['frequency', { frequency: range }, 'ok', /^0.8 GHz to 3.6 GHz, held high/],
  ['frequency', { frequency: { ...range, governors: ['powersave'] } }, 'warn', /^0.8 GHz to 3.6 GHz$/],
  ['frequency', { frequency: null }, 'warn', /not known/],
  ['numa', {}, 'ok', /^one$/],
  ['numa', { numa_nodes: ['0-1', '2-3', ''] }, 'warn', /^3, with the CPUs 0-1 and 2-3 and none$/],
  ['hardware-counters', {}, 'ok', /^available$/],
  ['hardware-counters', { counters: { hardware: none, software: { available: true } } }, 'warn', /forbidden/],
  ['software-counters', {}, 'ok', /^available$/],
  ['software-counters', { counters: { hardware: { available: true }, software: none } }, 'warn', /forbidden/],
  ['virtual', {}, 'ok', /^no$/],
  ['virtual', { virtual: true }, 'warn', /^yes/],
  ['virtual', { virtual: null }, 'warn', /not known/],
  ['steal', { steal: 0 }, 'ok', /^0 %/],
  ['steal', { steal: 0.01 }, 'ok', /^1 %/],
  ['steal', { steal: 0.02 }, 'warn', /^2 %/],
  ['steal', { steal: 0.11 }, 'bad', /^11 %/],
  ['cpu-quota', {}, 'ok', /^none$/],
  ['cpu-quota', { control_group: null }, 'ok', /^none$/],
  ['cpu-quota', { control_group: { ...GROUP, cpu_quota: 4 } }, 'ok', /4 CPUs of time for 4 CPUs .*cgroup v2/],
  ['cpu-quota', { control_group: { ...GROUP, version: 1, cpu_quota: 3.9 } }, 'bad', /3.9 CPUs of time .*cgroup v1/],
  ['cpu-quota', { control_group: { ...GROUP, cpu_quota: 1 }, allowed_cpus: '2' }, 'ok', /1 CPU of time for 1 CPU /],
  ['throttling', { control_group: { ...GROUP, periods: 0, throttled_periods: 0 } }, 'ok', /^none$/],
  [
    'throttling',
    { control_group: { ...GROUP, periods: 9, throttled_periods: 0, throttled_ns: 0 } },
    'ok',
    /^in 0 of 9/,
  ],
  [
    'throttling',
    { control_group: { ...GROUP, periods: 1000, throttled_periods: 9, throttled_ns: 5e9 } },
    'warn',
    /^in 9 of 1000 periods, 5 s in all$/,
  ],
  [
    'throttling',
    { control_group: { ...GROUP, periods: 1000, throttled_periods: 11 } },
    'bad',
    /^in 11 of 1000 periods$/,
  ],
  ['memory-limit', {}, 'ok', /^none$/],
  ['memory-limit', { control_group: { ...GROUP, memory_limit_bytes: 8 * GIB } }, 'ok', /^8 GiB/],
  ['memory-limit', { control_group: { ...GROUP, memory_limit_bytes: GIB / 2 } }, 'warn', /^512 MiB/],
  ['memory-limit', { control_group: { ...GROUP, memory_limit_bytes: GIB / 8 } }, 'bad', /^128 MiB/],
  ['busy', {}, 'ok', /^0; all others together keep 0.02 CPUs busy$/],
  ['busy', { busy_processes: 1, other_cpu: 0.15 }, 'warn', /^1; /],
  ['busy', { other_cpu: 0.5 }, 'warn', /^0; .* 0.5 CPUs/],
  ['busy', { busy_processes: 2, other_cpu: 3.1 }, 'bad', /^2; .* 3.1 CPUs/],
  ['busy', { busy_processes: 2, other_cpu: 0.6, allowed_cpus: '0' }, 'bad', /^2; /],
  ['busy', { busy_processes: null, other_cpu: null }, 'warn', /not known/],
  ['memory', {}, 'ok', /^7.45 GiB, 5.59 GiB of it available$/],
  ['memory', { memory_available_bytes: GIB - 1 }, 'warn', /available$/],
  ['memory', { memory_available_bytes: GIB / 8 }, 'bad', /128 MiB of it available$/],
  ['memory', { memory_available_bytes: null }, 'ok', /^7.45 GiB$/],
  ['swap', {}, 'ok', /^none$/],
  ['swap', { swap: { total_bytes: GIB, used_bytes: 0, swappiness: 60 } }, 'ok', /^0 B of 1 GiB in use, swappiness 60$/],
  ['swap', { swap: { total_bytes: GIB, used_bytes: 4096, swappiness: null } }, 'warn', /^4 KiB of 1 GiB in use$/],
  ['huge-pages', {}, 'ok', /^transparent: madvise; reserved: 0 of 2 MiB$/],
  [
    'huge-pages',
    { huge_pages: { transparent: 'always', reserved: null, page_bytes: null } },
    'warn',
    /^transparent: always/,
  ],
  ['aslr', {}, 'ok', /^yes: each trial/],
  ['aslr', { aslr: 1 }, 'ok', /but for the heap/],
  ['aslr', { aslr: 0 }, 'warn', /^no/],
  ['file-system', {}, 'ok', /^ext4$/],
  ['file-system', { file_system: 'tmpfs', storage: elsewhere('memory') }, 'warn', /^tmpfs, which lies in memory/],
  ['file-system', { file_system: 'overlay', storage: elsewhere('overlay') }, 'warn', /^overlay, which copies/],
  ['file-system', { file_system: 'nfs4', storage: elsewhere('remote') }, 'warn', /^nfs4, which belongs to another/],
  ['device', {}, 'ok', /^NVMe, model Example SSD 980/],
  ['device', { storage: on({ kind: 'virtio', rotational: true }) }, 'ok', /^virtio/],
  ['device', { storage: on({ kind: 'scsi', rotational: true }) }, 'warn', /rotational as the system says: yes/],
  ['device', { storage: on({ kind: 'loop' }) }, 'warn', /^loop device/],
  ['device', { storage: elsewhere('other') }, 'warn', /not known/],
  ['free-space', {}, 'ok', /^93.1 GiB$/],
  ['free-space', { free_bytes: 4 * GIB }, 'warn', /^4 GiB$/],
  ['free-space', { free_bytes: 0 }, 'bad', /^0 B$/],
  ['kernel', {}, 'ok', /^Example Linux 12, linux 6.1.0, x64$/],
  ['kernel', { platform: 'darwin', distribution: null }, 'warn', /^darwin/],
  ['clock', {}, 'ok', /^tsc$/],
  ['clock', { clock_source: 'hpet' }, 'warn', /^hpet: reading it is slow$/],
  ['c-library', {}, 'ok', /^glibc 2.36$/],
  ['c-library', { c_library: null }, 'warn', /not known/],
  ['c-compiler', { tools }, 'ok', /^cc 1$/],
  ['c-compiler', { tools: { ...tools, c_compiler: null } }, 'warn', /none that works/],
  ['cxx-compiler', { tools }, 'ok', /^c\+\+ 1$/],
  ['cxx-compiler', { tools: { ...tools, cxx_compiler: null } }, 'warn', /none that works/],
  ['valgrind', { tools }, 'ok', /^valgrind-3$/],
  ['valgrind', { tools: { ...tools, valgrind: null } }, 'warn', /none that works/],
  ['node', { node: '20.19.0' }, 'ok', /^20.19.0$/],
  ['node', { node: '22.1.0' }, 'ok', /^22.1.0$/],
  ['node', { node: '20.18.9' }, 'bad', /^20.18.9$/],
];

describe('judge', () => {
  it.each(CASES)('%s of %j is %s', (id, change, status, found) => {
    const judgement = judged(id, change);
    expect(judgement?.status).toBe(status);
    expect(judgement?.found).toMatch(found);
    if (status === 'ok') expect(judgement?.remedy).toBeNull();
    else expect(judgement?.remedy).toMatch(/^[A-Z].{10,}\.$/);
  });

  it('has each status that a row can have among the cases above', () => {
    const met = new Set(CASES.map(([id, , status]) => `${id} ${status}`));
    for (const { id } of ROWS) {
      expect(met, id).toContain(`${id} ok`);
      expect(
        [...met].some((one) => one === `${id} warn` || one === `${id} bad`),
        id,
      ).toBe(true);
    }
  });

  it('finds nothing wrong with a fit machine, in the order of the table', () => {
    const facts = judge({ facts: { ...FIT, tools }, busy: [] });
    expect(facts.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(facts.map(({ id }) => id)).toEqual(ROWS.map(({ id }) => id));
  });

  it('leaves out what such a system does not have, and asks for Linux where that would tell', () => {
    const nothing = Object.fromEntries(
      [
        'steal',
        'control_group',
        'numa_nodes',
        'swap',
        'huge_pages',
        'aslr',
        'file_system',
        'storage',
        'clock_source',
        'c_library',
      ]
        .concat(['virtual', 'governor', 'turbo', 'frequency', 'smt_siblings', 'busy_processes', 'other_cpu'])
        .map((name) => [name, null]),
    );
    const facts = judge({ facts: { ...FIT, ...nothing, platform: 'darwin' }, busy: null });
    expect(facts.map(({ id }) => id)).toEqual([
      ...['cpu', 'smt', 'governor', 'turbo', 'frequency', 'hardware-counters', 'software-counters', 'virtual'],
      ...['busy', 'memory', 'free-space', 'kernel', 'c-compiler', 'cxx-compiler', 'valgrind', 'node'],
    ]);
    expect(facts.find(({ id }) => id === 'turbo')?.remedy).toBe('Measure on Linux, which says so.');
  });

  it('names busy processes, cut, and not all of them', () => {
    const busy = Array.from({ length: 7 }, (_, index) => ({ name: `worker-${index}-${'x'.repeat(40)}`, cpu: 0.5 }));
    const { found = '' } = judged('busy', { busy_processes: 7, other_cpu: 3.5 }, busy) ?? {};
    expect(found).toContain(`worker-4-${'x'.repeat(23)} 50 %, …)`);
    expect(found).not.toContain('worker-5');
  });

  it('tells who could say what a virtual machine hides', () => {
    expect(judged('governor', { frequency: null, governor: null, virtual: true })?.remedy).toMatch(
      /host of this virtual/,
    );
    expect(judged('governor', { frequency: null, governor: null })?.remedy).toMatch(/firmware/);
  });
});

it('asks for the Node.js that the package asks for', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  };
  const least = engines.node.replace('>=', '');
  expect(judged('node', { node: `${least}.0` })?.status).toBe('ok');
  expect(judged('node', { node: '20.0.0' })?.remedy).toContain(least);
});

describe('judgeProbe', () => {
  const PROBE: NoiseProbe = {
    method: 'launcher',
    cpu: 3,
    pairs: 20,
    loop_ns: 101e6,
    sd: 0.01,
    detectable: 0.0085,
    pairs_for_one_percent: 13,
    noise: { steal: 0.004, other_cpu: 0.31, frequency_hz: null },
  };

  it('ends in the smallest effect, and says what is not in it', () => {
    expect(judgeProbe(PROBE)).toMatchObject({
      status: 'ok',
      found:
        '0.85 % is the smallest effect that 16 pairs of a 0.1 s loop would find with 80 % power, layout and input/output not included (by 20 pairs, pinned to CPU 3, timed as trials are, 101 ms each; meanwhile steal 0.4 % of a CPU and 0.31 CPUs of other work)',
    });
  });

  it('is worse the larger that is, and says what 1 % would take', () => {
    expect(judgeProbe({ ...PROBE, detectable: 0.02 })).toMatchObject({
      status: 'warn',
      remedy: expect.stringContaining('it would take 13 pairs of it.'),
    });
    const hopeless = judgeProbe({ ...PROBE, detectable: 0.2, pairs_for_one_percent: null });
    expect(hopeless).toMatchObject({ status: 'bad', remedy: expect.stringContaining('no number of pairs would do') });
  });

  it('says how else it was timed', () => {
    const noise = { steal: null, other_cpu: null, frequency_hz: null };
    const { found } = judgeProbe({ ...PROBE, method: 'node', cpu: null, noise });
    expect(found).toMatch(/\(by 20 pairs, not pinned, timed within Node.js, 101 ms each\)$/);
  });

  it('warns where there is no result', () => {
    expect(judgeProbe(null)).toMatchObject({ id: 'noise', status: 'warn' });
  });
});
