import { describe, expect, it } from 'vitest';
import { foundIn, outcomesOf, resultNamed, resultsOf, sampleOf, warningCodes } from '../../test/tool-readings.ts';
import { readFio } from './fio.ts';

/** A latency of fio 3.x, in ns. */
const latency = (mean: number, percentile?: Record<string, number>) => ({
  min: 100,
  max: 90_000,
  mean,
  stddev: 1,
  N: 1000,
  ...(percentile === undefined ? {} : { percentile }),
});

const NONE = { min: 0, max: 0, mean: 0, stddev: 0, N: 0 };

const READ = {
  io_bytes: 4_096_000,
  io_kbytes: 4000,
  bw_bytes: 8_192_000,
  bw: 8000,
  iops: 2000,
  iops_mean: 2381.5,
  runtime: 500,
  total_ios: 1000,
  short_ios: 0,
  drop_ios: 0,
  slat_ns: NONE,
  clat_ns: latency(480, { '1.000000': 200, '99.000000': 900, '99.900000': 4000 }),
  lat_ns: latency(500),
};
const IDLE = { io_bytes: 0, bw: 0, iops: 0, runtime: 0, total_ios: 0, slat_ns: NONE, clat_ns: NONE, lat_ns: NONE };

const job = (more: object = {}) => ({
  jobname: 'randread',
  error: 0,
  'job options': { rw: 'randread', bs: '4k' },
  read: READ,
  write: IDLE,
  trim: IDLE,
  usr_cpu: 12.5,
  sys_cpu: 30.25,
  ctx: 1003,
  ...more,
});

const output = (jobs: readonly object[], more: object = {}) =>
  JSON.stringify({ 'fio version': 'fio-3.33', ...more, jobs }, null, 2);

describe('what fio writes as JSON', () => {
  it('gives a result for each job: rates, parts of the latency, percentiles, CPU, and its options', () => {
    const reading = readFio(output([job()], { 'global options': { ioengine: 'psync', bs: '8k' } }));
    const result = resultNamed(reading, 'randread');
    expect(result).toMatchObject({
      settings: { fio: 'fio-3.33', ioengine: 'psync', rw: 'randread', bs: '4k' },
      failure: null,
    });
    expect(foundIn(result)).toEqual({
      read_ops_per_second: 2000,
      read_bytes_per_second: 8_192_000,
      read_operations: 1000,
      read_bytes: 4_096_000,
      read_clat_mean: 480,
      read_clat_min: 100,
      read_clat_max: 90_000,
      read_clat_p1: 200,
      read_clat_p99: 900,
      read_clat_p99_9: 4000,
      read_lat_mean: 500,
      read_lat_min: 100,
      read_lat_max: 90_000,
      user_cpu: 12.5,
      system_cpu: 30.25,
      context_switches: 1003,
    });
    expect(warningCodes(reading)).toEqual([]);
  });

  it('of 2.x has KiB and microseconds, and zeros where percentiles are not used', () => {
    const clat = { min: 2, max: 900, mean: 11.5, stddev: 1, percentile: { '99.000000': 40, '0.00': 0 } };
    const slat = { min: 0, max: 0, mean: 0, stddev: 0 };
    const lat = { min: 3, max: 901, mean: 12.5, stddev: 1 };
    const read = { io_bytes: 4000, bw: 8000, iops: 2000, runtime: 500, total_ios: 1000, slat, clat, lat };
    const found = foundIn(resultNamed(readFio(output([job({ read })], { 'fio version': 'fio-2.16' })), 'randread'));
    expect(found).toMatchObject({
      read_bytes: 4_096_000,
      read_bytes_per_second: 8_192_000,
      read_clat_mean: 11_500,
      read_clat_p99: 40_000,
      read_lat_mean: 12_500,
    });
    expect(Object.keys(found).filter((name) => /slat|p0/.test(name))).toEqual([]);
  });

  it.each([
    ['fio-2.16', undefined, 4000 * 1024],
    ['fio-2.99', 3, 4000],
    ['fio-3.0', undefined, 4000],
  ])('of %s with io_kbytes %j has the bytes %d', (version, io_kbytes, bytes) => {
    const text = output([job({ read: { ...READ, io_bytes: 4000, io_kbytes } })], { 'fio version': version });
    expect(foundIn(resultNamed(readFio(text), 'randread'))['read_bytes']).toBe(bytes);
  });

  it('has the rate of the whole run, not the mean of samples (fio 1575)', () => {
    const read = { ...READ, iops: 111_000, iops_mean: 132_163 };
    expect(foundIn(resultNamed(readFio(output([job({ read })])), 'randread'))['read_ops_per_second']).toBe(111_000);
  });

  it('keeps every filename, though they are one key (fio 1571)', () => {
    const text = output([job({ jobname: 'other' }), job()]).replaceAll(
      '"rw": "randread"',
      '"filename" : "/a/1", "filename" : "/a/2", "filename" : "/a/\\"3", "filename" : "/a/4"',
    );
    for (const { settings } of resultsOf(readFio(text))) expect(settings['filename']).toBe('/a/1:/a/2:/a/"3:/a/4');
  });

  it('has options that are those of its own job', () => {
    const jobs = [job({ jobname: 'one', 'job options': {} }), job({ jobname: 'two', 'job options': { bs: '64k' } })];
    const settings = resultsOf(readFio(output(jobs, { 'global options': { bs: '1k' } }))).map((one) => one.settings);
    expect(settings.map(({ bs }) => bs)).toEqual(['1k', '64k']);
  });

  it('may have errors before it, which are kept (fio 1685)', () => {
    const said = 'fio: io_u error on file /dev/sdx: Input/output error: read offset=4096, buflen=4096';
    const reading = readFio(`${said}\n\u001b[2J{not this}\n${output([job({ error: 5 })])}`);
    // What begins with an escape is no JSON's first line.
    expect(resultNamed(reading, 'randread').failure).toBe('it ended with error 5 (I/O error)');
    expect(reading).toMatchObject({ warnings: [{ code: 'tool-message', message: `fio said: ${said}` }, {}] });
  });

  it.each([
    [{ error: 28 }, 'it ended with error 28 (no space left)'],
    [{ error: 110 }, 'it ended with error 110'],
    [{ total_err: 3, first_error: 84 }, '3 of its operations failed, the first with error 84 (verification failed)'],
    [{ read: IDLE }, 'it did no I/O'],
    [{ error: 0, total_err: 0 }, null],
  ])('with %j failed: %j', (more, failure) => {
    expect(resultNamed(readFio(output([job(more)])), 'randread').failure).toBe(failure);
  });

  it('has percentiles that its histogram could not hold: they are absent (fio 1668)', () => {
    const saturated = 17_112_760_320;
    const percentile = { '30.000000': 9_000_000_000, '40.000000': saturated, '99.990000': saturated };
    const clat_ns = { min: 1000, max: 94_396_000_000, mean: 2.5e10, stddev: 1, N: 50, percentile };
    const reading = readFio(output([job({ read: { ...READ, clat_ns } })]));
    expect(foundIn(resultNamed(reading, 'randread'))).toMatchObject({
      read_clat_max: 94_396_000_000,
      read_clat_p30: 9_000_000_000,
      read_clat_p40: 'it is beyond the end of the histogram: saturated',
      read_clat_p99_99: 'it is beyond the end of the histogram: saturated',
    });
    expect(warningCodes(reading)).toEqual(['percentiles-saturated']);
    // One that lies there by right is what it says.
    const real = { ...clat_ns, max: 17_150_000_000 };
    expect(
      foundIn(resultNamed(readFio(output([job({ read: { ...READ, clat_ns: real } })])), 'randread')),
    ).toMatchObject({ read_clat_p40: saturated });
  });

  it('failed where a signal ended fio early', () => {
    const reading = readFio(`\nfio: terminating on signal 15\n${output([job()])}`);
    expect(resultNamed(reading, 'randread').failure).toBe('signal 15 ended fio early');
  });

  it('has clones of a job apart: parts of one rate, and no repetitions', () => {
    const reading = readFio(output([job(), job(), job({ jobname: 'log' })]));
    expect(resultsOf(reading).map(({ name }) => name)).toEqual(['randread/1', 'randread/2', 'log']);
    expect(warningCodes(reading)).toEqual(['jobs-apart']);
  });

  it.each([
    ['/dev/nvme0n1', {}, ['device-unwritten']],
    ['/dev/nvme0n1', { write: READ }, []],
    ['/a/file:/dev/sdx', {}, ['device-unwritten']],
    ['/dev/shm/file', {}, []],
    ['/a/file', {}, []],
  ])('of %s with %j warns of a device that nothing filled', (filename, more, codes) => {
    expect(warningCodes(readFio(output([job({ 'job options': { filename }, ...more })])))).toEqual(codes);
  });

  it('does not warn where another job of the run filled the device', () => {
    const options = { 'job options': { filename: '/dev/nvme0n1' } };
    const fill = job({ jobname: 'fill', read: IDLE, write: READ, ...options });
    expect(warningCodes(readFio(output([fill, job(options)])))).toEqual([]);
  });

  it('warns of I/Os that were short, and of what follows the JSON', () => {
    const reading = readFio(`${output([job({ read: { ...READ, short_ios: 2 } })])}\n\nrandread: (groupid=0, jobs=1)\n`);
    expect(warningCodes(reading)).toEqual(['other-text', 'short-ios']);
  });

  it('has no latency that was not measured', () => {
    const found = foundIn(
      resultNamed(readFio(output([job({ read: { ...READ, clat_ns: NONE, lat_ns: NONE } })])), 'randread'),
    );
    expect(found['read_clat_mean']).toBe('fio did not measure it');
    expect(Object.keys(found).filter((name) => /lat_(?:min|max|p)/.test(name))).toEqual([]);
  });

  it.each([
    ['', 'it has no JSON: no line begins with {'],
    ['randread: (g=0): rw=randread\nfio-3.33\n', 'it has no JSON: no line begins with {'],
    [output([job()]).slice(0, -20), 'its JSON was cut'],
    ['{ [ } ]', 'its JSON was cut'],
    ['{ hello }', 'it is no JSON, or was cut'],
    ['{"benchmarks": []}', 'it has no fio version and jobs'],
    [output([]), 'it has no job'],
  ])('is refused where it is none: %j', (text, reason) => {
    expect(readFio(text)).toEqual({ ok: false, reason });
  });

  it('is refused where it holds more than memory should', () => {
    const reason = 'it holds more than 1000000 values';
    expect(readFio(`{"a": [${'1,'.repeat(1_000_001)}1]}`)).toEqual({ ok: false, reason });
    expect(readFio('{'.repeat(1_000_001) + '}'.repeat(1_000_001))).toEqual({ ok: false, reason });
  });
});

describe('what fio 3.33 wrote', () => {
  const read = (name: string) => readFio(sampleOf('fio', `${name}.json`));

  it.each([
    ['read', [['randread', null]], []],
    ['mixed-json-plus', [['mixed', null]], []],
    ['two-files', [['files', null]], []],
    [
      'clones',
      [
        ['clones/1', null],
        ['clones/2', null],
      ],
      ['jobs-apart'],
    ],
    ['disk-full', [['fill', 'it ended with error 28 (no space left)']], ['tool-message', 'tool-message']],
    ['no-file', [['gone', 'it did no I/O']], ['tool-message']],
    ['terminated', [['killed', 'signal 15 ended fio early']], ['tool-message']],
    ['verification-failed', [['v', 'it ended with error 84 (verification failed)']], Array(3).fill('tool-message')],
  ])('as %s has the outcomes %j', (name, outcomes, codes) => {
    expect(outcomesOf(read(name))).toEqual(outcomes);
    expect(warningCodes(read(name))).toEqual(codes);
  });

  it('has its numbers', () => {
    expect(foundIn(resultNamed(read('read'), 'randread'))).toMatchObject({
      read_ops_per_second: 4045.862413,
      read_bytes_per_second: 16_571_852,
      read_operations: 4058,
      read_bytes: 16_621_568,
      read_clat_mean: 244_584.715131,
      read_clat_p99_99: 17_956_864,
      read_lat_max: 18_054_406,
      user_cpu: 1.796407,
      context_switches: 3814,
    });
    const mixed = foundIn(resultNamed(read('mixed-json-plus'), 'mixed'));
    expect(mixed).toMatchObject({ read_slat_mean: 505_650.400068, read_lat_p50: 436_224, write_operations: 3080 });
    expect(mixed['sync_lat_mean']).toBe(5250285.674157);
  });

  it('has every file of a job', () => {
    expect(resultNamed(read('two-files'), 'files').settings['filename']).toBe('/data/a:/data/b');
  });

  it('is refused where the disk on which it was to be kept was full', () => {
    expect(read('output-cut-refused')).toEqual({ ok: false, reason: 'its JSON was cut' });
  });
});
