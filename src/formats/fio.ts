/** Reads what fio writes with `--output-format=json` or `json+`, of 2.x and 3.x: one result for each job, or group of jobs that are reported as one. */
import { Findings } from './findings.ts';
import { excessOf, finiteOf, type JsonObject, listOf, objectOf, parseStrangersJson, textOf } from './json.ts';
import { scanJson, type TextMembers } from './json-members.ts';
import { excerptOf, linesOf } from './lines.ts';
import { percentileName } from './percentile.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** `mixed` is all of them, with unified_rw_reporting. */
const DIRECTIONS = ['read', 'write', 'trim', 'mixed'] as const;
const LATENCIES = ['slat', 'clat', 'lat'] as const;
/** Each job has the options of all jobs: what is in the text once is in memory as often. */
const MOST_JOBS = 10_000;
const MOST_OPTIONS = 200;
/** More would be the same again. */
const MOST_MESSAGES = 20;
/**
 * The last bin of fio's histograms holds all that is longer: it begins at 2^34 − 2^27 ns in 3.x, at 2^24 − 2^17 µs in 2.x, and
 * percentiles in it are its middle.
 */
const LAST_BIN = { ns: { from: 2 ** 34 - 2 ** 27, end: 2 ** 34 }, us: { from: 2 ** 24 - 2 ** 17, end: 2 ** 24 } };
const ERRORS: Readonly<Record<number, string>> = {
  2: 'no such file',
  5: 'I/O error',
  28: 'no space left',
  84: 'verification failed',
};

/** Linear time; never throws. */
export function readFio(text: string): Reading {
  const excess = excessOf(text);
  if (excess !== null) return { ok: false, reason: excess };
  const start = text.startsWith('{') ? 0 : text.indexOf('\n{') + 1;
  if (text[start] !== '{') return { ok: false, reason: 'it has no JSON: no line begins with {' };
  const scan = scanJson(text, start, ofOptions);
  if (scan === null) return { ok: false, reason: 'its JSON was cut' };
  const parsed = parseStrangersJson(text.slice(start, scan.end));
  if (!parsed.ok) return parsed;
  const root = objectOf(parsed.value);
  const version = textOf(root?.['fio version']);
  const jobs = listOf(root?.['jobs']);
  if (root === null || version === null || jobs === null)
    return { ok: false, reason: 'it has no fio version and jobs' };
  const objects = jobs.map(objectOf).filter((job) => job !== null);
  if (objects.length < jobs.length) return { ok: false, reason: 'it has a job that is no object' };
  if (objects.length === 0) return { ok: false, reason: 'it has no job' };
  if (objects.length > MOST_JOBS) return { ok: false, reason: `it has more than ${MOST_JOBS} jobs` };
  const warnings = messagesIn(text.slice(0, start));
  if (text.slice(scan.end).trim() !== '') {
    warnings.push({
      code: 'other-text',
      message: 'what follows the JSON was not read',
      remedy: 'Ask fio for JSON alone: --output-format=json.',
    });
  }
  const names = jobNames(objects, warnings);
  const options = optionsIn(scan.objects);
  // The numbers are then those of what was done until then.
  const ended = /(?:^|\n)fio: terminating on signal ([0-9]{1,3})/.exec(text.slice(0, start))?.[1] ?? null;
  const results = objects.map((job, index) => {
    const settings = { fio: version, ...options.get(null), ...options.get(index) };
    return resultOf(job, names[index] ?? '', settings, ended, warnings);
  });
  warnDevices(results, warnings);
  return { ok: true, results, warnings };
}

function ofOptions(path: readonly (string | number)[]): boolean {
  return path.at(-1) === 'global options' || path.at(-1) === 'job options';
}

/** fio writes its errors before the JSON, where both go to one place. */
function messagesIn(text: string): ReadingWarning[] {
  const messages: ReadingWarning[] = [];
  for (const line of linesOf(text)) {
    const said = excerptOf(line.text);
    if (said === '') continue;
    messages.push({
      code: 'tool-message',
      message: `fio said: ${said}`,
      remedy: 'Mend what fio complains of, and run it again.',
    });
    if (messages.length === MOST_MESSAGES) break;
  }
  return messages;
}

/** Clones of a job (numjobs) have its name: they are parts of one measurement, no repetitions of it. */
function jobNames(jobs: readonly JsonObject[], warnings: ReadingWarning[]): string[] {
  const seen = new Map<string, number>();
  const names = jobs.map((job) => textOf(job['jobname']) || 'job');
  for (const name of names) seen.set(name, (seen.get(name) ?? 0) + 1);
  const next = new Map<string, number>();
  for (const [name, count] of seen) {
    if (count < 2) continue;
    warnings.push({
      code: 'jobs-apart',
      message: `${count} jobs are named ${name}: each has its part of the rate, and none is a repetition of another`,
      remedy: 'Let fio report them as one: group_reporting.',
    });
  }
  return names.map((name) => {
    if (seen.get(name) === 1) return name;
    next.set(name, (next.get(name) ?? 0) + 1);
    return `${name}/${next.get(name)}`;
  });
}

/** Options of all jobs, and those of each, by its index. */
function optionsIn(objects: readonly TextMembers[]): ReadonlyMap<number | null, Readonly<Record<string, string>>> {
  const options = new Map<number | null, Readonly<Record<string, string>>>();
  for (const { path, members } of objects) {
    const [list, job, last] = path;
    if (list === 'jobs' && typeof job === 'number' && last === 'job options') options.set(job, joined(members));
    else if (list === 'global options') options.set(null, joined(members));
  }
  return options;
}

/** A key may be there several times, as `filename`: all its values count, as fio itself writes several files in one value. */
function joined(members: TextMembers['members']): Readonly<Record<string, string>> {
  const options = new Map<string, string[]>();
  for (const [key, value] of members) {
    const values = options.get(key);
    if (values !== undefined) values.push(value);
    else if (options.size < MOST_OPTIONS) options.set(key, [value]);
  }
  return Object.fromEntries([...options].map(([key, values]) => [key, values.join(':')]));
}

function resultOf(
  job: JsonObject,
  name: string,
  settings: Readonly<Record<string, string>>,
  ended: string | null,
  warnings: ReadingWarning[],
): ToolResult {
  const findings = new Findings();
  const saturated = new Set<string>();
  const old = /^fio-[12]\./.test(settings['fio'] ?? '');
  for (const direction of DIRECTIONS) {
    const io = objectOf(job[direction]);
    if (io === null || !didIo(io)) continue;
    takeRates(findings, direction, io, old);
    for (const latency of LATENCIES) takeLatency(findings, `${direction}_${latency}`, latency, io, saturated);
    const short = (finiteOf(io['short_ios']) ?? 0) + (finiteOf(io['drop_ios']) ?? 0);
    if (short > 0) {
      warnings.push({
        code: 'short-ios',
        message: `${short} ${direction}s of ${name} were short or dropped`,
        remedy: 'Look at the end of the file and at errors of the device.',
      });
    }
  }
  const sync = objectOf(job['sync']);
  if (sync !== null && (finiteOf(sync['total_ios']) ?? 0) > 0)
    takeLatency(findings, 'sync_lat', 'lat', sync, saturated);
  if (saturated.size > 0) {
    warnings.push({
      code: 'percentiles-saturated',
      message: `${name} has ${[...saturated].join(', ')} beyond what fio's histogram tells apart (about 17 s)`,
      remedy: 'Take the mean and the maximum, or latencies that fio logs (write_lat_log).',
    });
  }
  const did = findings.metrics.length > 0;
  findings.takePositive({ name: 'user_cpu', unit: '%', better: null }, finiteOf(job['usr_cpu']));
  findings.takePositive({ name: 'system_cpu', unit: '%', better: null }, finiteOf(job['sys_cpu']));
  findings.take({ name: 'context_switches', unit: 'switches', better: null }, finiteOf(job['ctx']));
  const early = ended === null ? null : `signal ${ended} ended fio early`;
  const failure = failureOf(job) ?? early ?? (did ? null : 'it did no I/O');
  return { name, settings, failure, metrics: findings.metrics, absent: findings.absent };
}

function didIo(io: JsonObject): boolean {
  return (finiteOf(io['total_ios']) ?? 0) > 0 || (finiteOf(io['io_bytes']) ?? 0) > 0;
}

function failureOf(job: JsonObject): string | null {
  const error = finiteOf(job['error']);
  if (error !== null && error !== 0) return `it ended with error ${errorName(error)}`;
  const total = finiteOf(job['total_err']) ?? 0;
  return total === 0
    ? null
    : `${total} of its operations failed, the first with error ${errorName(finiteOf(job['first_error']) ?? 0)}`;
}

function errorName(error: number): string {
  const name = ERRORS[error];
  return name === undefined ? String(error) : `${error} (${name})`;
}

function takeRates(findings: Findings, direction: string, io: JsonObject, old: boolean): void {
  const total = finiteOf(io['total_ios']);
  // iops_mean is the mean of samples, and another number.
  const rate = finiteOf(io['iops']);
  const kib = finiteOf(io['bw']);
  const bytesPerSecond = finiteOf(io['bw_bytes']) ?? (kib === null ? null : kib * 1024);
  // In bytes since 3.x, which has io_kbytes beside it.
  const unit = old && io['io_kbytes'] === undefined ? 1024 : 1;
  findings.takePositive({ name: `${direction}_ops_per_second`, unit: '1/s', better: 'higher' }, rate);
  findings.takePositive({ name: `${direction}_bytes_per_second`, unit: 'bytes/s', better: 'higher' }, bytesPerSecond);
  findings.take({ name: `${direction}_operations`, unit: 'operations', better: null }, total);
  findings.take({ name: `${direction}_bytes`, unit: 'bytes', better: null, scale: unit }, finiteOf(io['io_bytes']));
}

/** Mean, bounds and percentiles. Nothing where this part of the time is not kept apart, as slat of engines that wait. */
function takeLatency(findings: Findings, name: string, key: string, io: JsonObject, saturated: Set<string>): void {
  const inNs = objectOf(io[`${key}_ns`]);
  const latency = inNs ?? objectOf(io[key]);
  const max = finiteOf(latency?.['max']);
  if (latency === null || latency['N'] === 0 || max === 0) {
    if (key === 'clat') findings.lack(`${name}_mean`, 'fio did not measure it');
    return;
  }
  const scale = inNs === null ? 1000 : 1;
  const metric = (part: string) => ({ name: `${name}_${part}`, unit: 'ns', better: 'lower' as const, scale });
  findings.takePositive(metric('mean'), finiteOf(latency['mean']));
  findings.takePositive(metric('min'), finiteOf(latency['min']));
  findings.takePositive(metric('max'), max);
  const bin = inNs === null ? LAST_BIN.us : LAST_BIN.ns;
  for (const [percent, written] of Object.entries(objectOf(latency['percentile']) ?? {})) {
    const percentile = percentileName(percent);
    if (percentile === null) continue;
    const value = finiteOf(written);
    if (value !== null && value >= bin.from && (max ?? 0) > bin.end) {
      findings.lack(`${name}_${percentile}`, 'it is beyond the end of the histogram: saturated');
      saturated.add(`${name}_${percentile}`);
    } else findings.takePositive(metric(percentile), value);
  }
}

/** Blocks of a device that were never written, or were discarded, can be read without a look at the flash. */
function warnDevices(results: readonly ToolResult[], warnings: ReadingWarning[]): void {
  const has = ({ metrics }: ToolResult, name: string) => metrics.some((metric) => metric.name === name);
  const written = new Set(
    results.filter((result) => has(result, 'write_operations')).map(({ settings }) => settings['filename']),
  );
  const warned = new Set<string>();
  for (const result of results) {
    const file = result.settings['filename'];
    if (file === undefined || warned.has(file) || written.has(file) || !has(result, 'read_operations')) continue;
    warned.add(file);
    if (!file.split(':').some((path) => path.startsWith('/dev/') && !path.startsWith('/dev/shm/'))) continue;
    warnings.push({
      code: 'device-unwritten',
      message: `${result.name} reads ${excerptOf(file)}, and nothing here says that it was written before: blocks never written are read without touching the device`,
      remedy: 'Fill the device first, in the same run of fio, or say that it was filled.',
    });
  }
}
