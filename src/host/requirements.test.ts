import { describe, expect, it } from 'vitest';
import type { Machine } from '../experiment/experiment.ts';
import type { MachineFacts } from './machine.ts';
import { unmet } from './requirements.ts';

const FACTS: MachineFacts = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6.1',
  cpu_model: 'Xeon',
  cpus: 4,
  memory_bytes: 1,
  virtual: false,
  governor: 'powersave',
  turbo: true,
  node: '20.19.0',
  machine_id: '0',
  boot_id: null,
  file_system: 'ext4',
  storage: null,
  ...{ cores: null, sockets: null, distribution: null, c_library: null },
};
const SILENT: MachineFacts = { ...FACTS, virtual: null, governor: null, turbo: null };
const NONE: Machine['require'] = { governor: null, turbo: null, virtual: null, min_cpus: null, max_load: null };

describe('unmet', () => {
  it('is empty where nothing is required, or all is met', () => {
    expect(unmet(NONE, SILENT, null)).toEqual([]);
    const met = { governor: 'powersave', turbo: true, virtual: false, min_cpus: 4, max_load: 0.5 };
    expect(unmet(met, FACTS, 0.5)).toEqual([]);
  });

  it.each<[Partial<Machine['require']>, RegExp, RegExp]>([
    [{ governor: 'performance' }, /uses powersave: .*cpupower frequency-set -g performance/, /does not say which/],
    [{ turbo: false }, /turbo off, and it is on: write 1 to .*no_turbo or 0 to/, /does not say whether/],
    [{ virtual: true }, /requires a virtual machine, and this is none/, /does not say what it is/],
  ])('%j', (required, other, silent) => {
    expect(unmet({ ...NONE, ...required }, FACTS, 0)).toEqual([expect.stringMatching(other)]);
    expect(unmet({ ...NONE, ...required }, SILENT, 0)).toEqual([expect.stringMatching(silent)]);
  });

  it('compares counts and loads', () => {
    expect(unmet({ ...NONE, min_cpus: 5 }, FACTS, 0)).toEqual([expect.stringMatching(/at least 5 CPUs, .* has 4/)]);
    expect(unmet({ ...NONE, max_load: 0.5 }, FACTS, 0.51)).toEqual([
      expect.stringMatching(/at most 0.5, and it is 0.51/),
    ]);
    expect(unmet({ ...NONE, max_load: 0.5 }, FACTS, null)).toEqual([expect.stringMatching(/does not say its load/)]);
  });

  it('names each that is unmet', () => {
    const all = { governor: 'performance', turbo: false, virtual: true, min_cpus: 8, max_load: 1 };
    expect(unmet(all, FACTS, 3)).toHaveLength(5);
  });
});
