import { describe, expect, it } from 'vitest';
import { importResults } from '../import-results.ts';
import type { FoundRun } from './found-runs.ts';
import { RUN_FORMAT, RUN_VERSION, type RunRecord, runRecordSchema } from './run-record.ts';

const TABLE =
  'ops_sec\ttest\tdate\n100\tfillseq.wal_disabled\t2026-01-01T00:00:00\n101\tfillseq.wal_disabled\t2026-01-01T01:00:00\n';
const MACHINE = {
  ...{ platform: 'linux', arch: 'x64', kernel: '6', cpu_model: 'c', cpus: 8, memory_bytes: 2 ** 34, virtual: null },
  ...{ governor: null, turbo: null, node: '22', machine_id: 'm', boot_id: null, file_system: null },
};

function found(
  place: string,
  setup: string,
  change: Partial<RunRecord> = {},
  cautions: readonly string[] = [],
): FoundRun {
  const flags = (bits: string) => [
    { name: 'num', value: String(setup.length), because: 'x' },
    { name: 'bloom_bits', value: bits, because: 'x' },
  ];
  const run = runRecordSchema.parse({
    ...{ format: RUN_FORMAT, version: RUN_VERSION, assay: '0', setup, small: false, data: '/d' },
    db_bench: { path: '/usr/bin/db_bench', sha256: 'a'.repeat(64) },
    workloads: [{ name: 'byrx', keys: 1000, flags: flags('10') }],
    ...{ threads: [1], repetitions: 2, duration_s: 10, seed: 1, machine: MACHINE },
    report: { deviation: 'sample', limit: 0.03, pairs: 16 },
  });
  return { place, run: { ...run, ...change }, done: 10, cautions };
}

function read(runs: readonly FoundRun[], more: readonly string[] = []) {
  const tables = runs.map(({ place, run }) => `${place === '' ? '' : `${place}/`}${run.setup}.nt1/sum.byrx.txt`);
  const read = () => ({ ok: true, text: TABLE }) as const;
  const rules = { steps: null, metric: 'ops_sec', layout: null, workload: null, threads: null, mostSteps: 100 };
  const imported = importResults({ root: 'fleet', paths: [...tables, ...more], runs, read }, rules);
  return { ...imported, setups: imported.series.map(({ setup }) => setup) };
}

describe('directories of assay variance run that are read together', () => {
  it('are called as they were when they ran, or by their directories where two are called the same', () => {
    expect(read([found('a', 'm5'), found('deep/b', 'c6i.ht0')]).setups).toEqual(['m5', 'c6i.ht0']);
    expect(read([found('a', 'm5'), found('b', 'm5'), found('c', 'c6i')]).setups).toEqual(['a/m5', 'b/m5', 'c6i']);
    expect(read([found('', 'm5')]).setups).toEqual(['m5']);
  });

  it('have files that are no results and are not left out either; what else lies there is ignored', () => {
    const own = ['run.json', 'lock', 'database.json', 'steps/byrx.nt1.1/fillseq/stdout', 'databases/x/1.sst'];
    const others = ['a/notes.md', 'a/steps', 'b/run.json', 'ab/lock', 'a/m5.nt1/sum.txt.old'];
    const { ignored } = read([found('a', 'm5')], [...own.map((name) => `a/${name}`), ...others]);
    expect(ignored.map(({ path }) => path)).toEqual(others);
  });

  it('are told apart from tables that somebody has put among them', () => {
    expect(read([found('a', 'm5')], ['a/c6i.nt1/sum.byrx.txt']).setups).toEqual(['m5', 'a/c6i']);
  });

  it('need no warning where only what follows from the machine differs', () => {
    expect(read([found('a', 'm5', { seed: 2 }), found('b', 'm5.large')]).warnings).toEqual([]);
  });

  it('warn of what makes their coefficients hard to compare', () => {
    const flags = [{ name: 'bloom_bits', value: '16', because: 'x' }];
    const other = found('b', 'c6i', {
      db_bench: { path: '/usr/bin/db_bench', sha256: 'b'.repeat(64) },
      duration_s: 1800,
      workloads: [{ name: 'byrx', keys: 1000, flags }],
    });
    const { warnings } = read([found('a', 'm5'), other, found('c', 'm5d')]);
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'different-programs: programs differ: db_bench of digest aaaaaaaaaaaa in m5, m5d; db_bench of digest bbbbbbbbbbbb in c6i',
      'different-settings: steps ran for different times: 10 s in m5, m5d; 30 min in c6i',
      'different-settings: --bloom_bits differs: 10 in m5, m5d; 16 in c6i',
    ]);
  });

  it('repeat what db_bench warned of once, and say which has not ended', () => {
    const runs = [
      found('a', 'm5', {}, ['slow']),
      { ...found('b', 'c6i', {}, ['slow', 'hot']), done: 7 },
      // Of which no steps were brought along.
      { ...found('c', 'm5d'), done: 0 },
    ];
    expect(read(runs).warnings.map(({ message }) => message)).toEqual([
      'db_bench warns: slow',
      'db_bench warns: hot',
      'c6i: 7 of 10 steps are on record',
    ]);
  });
});
