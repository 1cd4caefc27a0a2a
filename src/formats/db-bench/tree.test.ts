/** What db_bench tells of the state of its database. */
import { describe, expect, it } from 'vitest';
import { reasonsOf, soundReading, toolOutput, valuesOf } from '../../../test/reading.ts';
import { readDbBench } from '../db-bench.ts';
import type { ToolResult } from '../reading.ts';
import { parseDbBench } from './output.ts';

const sample = (name: string): string => toolOutput(`db_bench/${name}.txt`);
const named = (text: string, name: string) =>
  soundReading(readDbBench(text)).results.filter((result) => result.name === name);
const metric = (result: ToolResult, name: string) => valuesOf(result)[name];

describe('the state of the database', () => {
  it('is that of its last print, by the names of columns, without intervals', () => {
    const [database] = named(sample('tree-hand-written'), 'database');
    if (database === undefined) throw new Error('no database');
    expect(database.settings).toEqual({ after: 'overwrite' });
    expect(valuesOf(database)).toEqual({
      // 4.00 GB / 2.00 GB: the 1.5 GB of flushes are in the four already.
      write_amplification: 2,
      ingested: 2 * 2 ** 30,
      compaction_written: 4 * 2 ** 30,
      compaction_read: 3 * 2 ** 30,
      compaction_time: 51.2e9,
      compaction_cpu: 40.1e9,
      compactions: 33,
      tree_size: 1.5 * 2 ** 30,
      tree_files: 12,
      l0_size: 64 * 2 ** 20,
      l0_files: 2,
      l1_size: 1546188227,
      l1_files: 10,
      stall_time: 4.12e9,
      stall_share: 0.041,
      stall_delays: 3,
      stall_stops: 1,
      buffer_manager_stops: 2,
      uptime: 100e9,
    });
  });

  it('tells the amplification of a small database by its rates, and exactly by the counters', () => {
    const [database] = named(sample('everything'), 'database');
    const [statistics] = named(sample('everything'), 'statistics');
    if (database === undefined || statistics === undefined) throw new Error('not there');
    expect(metric(database, 'write_amplification')).toBeCloseTo(7.03 / 6.13, 9);
    expect(metric(statistics, 'write_amplification')).toBeCloseTo((6229762 + 4652072) / 9485480, 12);
    expect(database.absent.map(({ name }) => name)).toEqual(['ingested', 'compaction_written', 'compaction_read']);
    // Stalls as they were counted before RocksDB 8.1: five times, writers waited for a memtable.
    expect(valuesOf(database)).toMatchObject({ stall_delays: 0, stall_stops: 5, l2_files: 6 });
  });

  it('is there once for each database', () => {
    const text = sample('tree-hand-written');
    const older = text.replaceAll('100.0 total', '40.0 total');
    const count = (whole: string) => named(whole, 'database').length;
    expect([count(older + text), count(text + older), count(text + text)]).toEqual([1, 2, 1]);
  });

  it('has no amplification where nothing is told of what was put, or rounding hides it', () => {
    const text = sample('tree-hand-written');
    const [whole] = named(text.slice(0, text.indexOf('** DB Stats')), 'database');
    expect(whole?.absent).toContainEqual({
      name: 'write_amplification',
      reason: 'what was put into the database is not printed',
    });
    const small = text
      .replace('2.00 GB, 20.48 MB/s', '0.01 GB, 0.02 MB/s')
      .replace('4.00 GB write, 40.96', '0.02 GB write, 0.04');
    expect(named(small, 'database')[0]?.absent.map(({ name }) => name)).toContain('write_amplification');
  });
});

describe('what the output has besides', () => {
  const output = (text: string) => {
    const parsed = parseDbBench(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed;
  };

  it('is the shape of the tree, by levels and by priorities', () => {
    const [tree] = output(sample('everything')).trees;
    const [family] = tree?.families ?? [];
    expect(family?.levels.map(({ name, files, keysIn }) => [name, files, keysIn])).toEqual([
      ['L0', 0, 0],
      ['L1', 0, 115000],
      ['L2', 6, 36000],
    ]);
    expect(family?.priorities.map(({ name, compactions }) => [name, compactions])).toEqual([
      ['Low', 21],
      ['High', 55],
    ]);
    expect(family?.sum).toMatchObject({ files: 6, bytes: 521318, writeAmplification: 2.3, compactionCpuNs: 260e6 });
    expect(family?.flushedBytes).toBe(0.004 * 2 ** 30);
    expect(family?.stalls?.causes.get('memtable_compaction')).toBe(5);
    expect(tree).toMatchObject({ after: 'compact', writes: 72000, keys: 72000, stallShare: 0.014 });
  });

  it('is every print of it, of which those between are not of a database that ended', () => {
    const text = sample('tree-hand-written');
    const print = text.slice(text.indexOf('** Compaction'));
    const twice = text + print.replaceAll('100.0 total', '200.0 total');
    expect(output(twice).trees.map(({ uptimeNs, families }) => [uptimeNs, families.length])).toEqual([
      [100e9, 1],
      [200e9, 1],
    ]);
    expect(named(twice, 'database').map((result) => metric(result, 'uptime'))).toEqual([200e9]);
  });

  it('is read among the progress of a benchmark that prints it every second', () => {
    const text = sample('universal-intervals');
    expect(output(text).trees.map(({ after, uptimeNs }) => [after, uptimeNs])).toEqual([
      [null, 1.3e9],
      [null, 25e9],
      ['fillrandom', 62e9],
    ]);
    const [database, ...others] = named(text, 'database');
    expect(others).toEqual([]);
    expect(database === undefined ? null : valuesOf(database)).toMatchObject({
      write_amplification: 9.08 / 3.94,
      l3_files: 1,
      l6_size: Math.round(31.71 * 2 ** 20),
      stall_delays: 56,
      stall_stops: 31,
      stall_time: 2.505e9,
    });
  });

  it('adds column families up, whose amplification is told by bytes alone', () => {
    const text = sample('tree-hand-written');
    const end = text.indexOf('** DB Stats');
    const family = text.slice(text.indexOf('** Compaction'), end).replace('[default]', '[second]');
    const [database] = named(text.slice(0, end) + family + text.slice(end), 'database');
    expect(database === undefined ? null : valuesOf(database)).toMatchObject({
      write_amplification: 4,
      compaction_written: 8 * 2 ** 30,
      tree_files: 24,
      l1_files: 20,
      stall_delays: 6,
    });
    const unequal = text.slice(0, end) + family.replace('40.96 MB/s write', '999.00 MB/s write') + text.slice(end);
    expect(named(unequal, 'database').map((result) => metric(result, 'write_amplification'))).toEqual([4]);
  });

  it('leaves out a row that has not the columns of its header', () => {
    const [whole] = named(sample('tree-hand-written').replace('  10/0    1.44 GB', '  10/0    1.44'), 'database');
    expect(whole === undefined ? null : valuesOf(whole)).not.toHaveProperty('l1_size');
  });

  it('of what was put in, and of seconds that compactions took, tells nothing', () => {
    const text = sample('tree-hand-written');
    const [unknown] = named(text.replace('2.00 GB, 20.48 MB/s', '0.00 GB, 0.00 MB/s'), 'database');
    expect(unknown === undefined ? '' : reasonsOf(unknown)['write_amplification']).toMatch(/^too little was written/);
    const [quick] = named(
      text.replace('51.20             40.10        33', ' 0.00              0.00        33'),
      'database',
    );
    expect(quick === undefined ? null : reasonsOf(quick)).toMatchObject({
      compaction_time: 'it is printed as 0.00 seconds, rounded down',
      compaction_cpu: 'it is printed as 0.00 seconds, rounded down',
    });
  });
});
