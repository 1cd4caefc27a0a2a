/** The messages between Assay and native/launcher.c: requests to bytes, reply lines to accounts. */
import { constants } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { COUNTER_EVENTS, type CounterKind } from '../experiment/counters.ts';
import { AssayError } from '../failures.ts';
import { counterReason } from './counter-reason.ts';
import type { CounterReading, LaunchAccount, LaunchOutcome, LaunchRequest } from './launch.ts';

/** A request: a length, then its fields. */
export function encodeFrame(fields: readonly string[]): Buffer {
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''), 'utf8');
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}

function unusable(message: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy: 'Correct the command, its environment or its files.' });
}

/**
 * Refuses what no operating system can start: NUL characters, names of variables that are empty or have "=".
 * Throws AssayError `usage` for these, and Error for requests that Assay must not make (relative paths, bad numbers).
 */
export function checkRequest(request: LaunchRequest): void {
  const { argv, cwd, env, stdin, stdout, stderr, cpu, timeout_ms, grace_ms, max_output_bytes, memory_group } = request;
  const paths = [argv[0], cwd, stdout, stderr, ...[stdin, memory_group].filter((path) => path !== null)];
  for (const text of [...argv, ...paths, ...Object.keys(env), ...Object.values(env)]) {
    if (text.includes('\0')) throw unusable('A command, a path or a variable of the environment has a NUL character.');
  }
  for (const name of Object.keys(env)) {
    if (name === '' || name.includes('=')) {
      throw unusable(`${JSON.stringify(name)} cannot be the name of a variable of the environment.`);
    }
  }
  for (const path of paths) {
    if (!isAbsolute(path)) throw new Error(`launch needs absolute paths, not ${JSON.stringify(path)}`);
  }
  for (const number of [timeout_ms, grace_ms, max_output_bytes, cpu ?? 0]) {
    if (!(Number.isFinite(number) && number >= 0)) throw new Error(`launch needs numbers from 0, not ${number}`);
  }
}

/** A timer cannot be longer than this many milliseconds (about 31 years): keeps nanoseconds within 64 bits. */
const LONGEST_MS = 1e12;

/** As the launcher numbers them, from 1. */
const COUNTED: readonly CounterKind[] = ['hardware', 'software'];

/** What the launcher is told of a subject. */
export function launchFields(request: LaunchRequest): string[] {
  const { argv, cwd, env, stdin, stdout, stderr, cpu, timeout_ms, grace_ms, max_output_bytes } = request;
  const { settle, fixed_layout, real_time, counters, memory_group } = request;
  const numbers = [
    Number(settle),
    cpu === null ? -1 : Math.min(cpu, 0x7fffffff),
    Number(fixed_layout),
    Number(real_time),
    counters === null ? 0 : COUNTED.indexOf(counters) + 1,
  ];
  const limits = [Math.min(timeout_ms, LONGEST_MS), Math.min(grace_ms, LONGEST_MS), max_output_bytes];
  const fields = [...numbers, ...limits].map((value) => String(Math.ceil(value)));
  const group = memory_group === null ? '' : join(memory_group, 'cgroup.procs');
  fields.push(cwd, stdin ?? '/dev/null', stdout, stderr, group, String(argv.length), ...argv);
  return [...fields, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
}

/** The bytes of a request to launch. Throws as `checkRequest` does. */
export function encodeLaunch(id: string, request: LaunchRequest): Buffer {
  checkRequest(request);
  return encodeFrame(['launch', id, ...launchFields(request)]);
}

/** The bytes that cancel the launch `id`; harmless when it has ended. */
export function encodeCancel(id: string): Buffer {
  return encodeFrame(['cancel', id]);
}

/** A reply line: its first word, where that is no field, and its fields. */
export function parseLine(line: string): { readonly word: string; readonly fields: ReadonlyMap<string, string> } {
  const words = line.split(' ');
  const fields = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals > 0) fields.set(word.slice(0, equals), word.slice(equals + 1));
  }
  return { word: words[0] ?? '', fields };
}

/** The name of an errno, "errno N" where it has none. */
export function errorName(errno: number): string {
  const found = Object.entries(constants.errno).find(([, value]) => value === errno);
  return found?.[0] ?? `errno ${errno}`;
}

/** The name of a signal, "signal N" for those without (the real-time ones). */
export function signalName(signal: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === signal);
  return found?.[0] ?? `signal ${signal}`;
}

function outcomeOf(kind: string, step: string, value: number): LaunchOutcome {
  switch (kind) {
    case 'exited':
      return { kind, code: value };
    case 'signalled':
      return { kind, signal: signalName(value) };
    case 'timeout':
    case 'cancelled':
    case 'abandoned':
      return { kind };
    case 'not_started':
      return { kind, step, code: errorName(value) };
    case 'output_limit':
      if (step === 'stdout' || step === 'stderr') return { kind, stream: step };
  }
  throw new Error(`the launcher's answer has an unknown outcome: ${kind} ${step}`);
}

/** What was counted: `counters=KIND`, then numbers of each event and of time; or the event that failed, and why. */
function countersOf(fields: ReadonlyMap<string, string>, integer: (name: string) => number): CounterReading | null {
  const kind = COUNTED[integer('counters') - 1];
  if (kind === undefined) return null;
  const events = COUNTER_EVENTS[kind];
  const refused = integer('refused');
  if (refused !== 0) {
    const paranoid = Number.parseInt(fields.get('paranoid') ?? '', 10);
    const event = events[integer('event')]?.name ?? 'an event';
    const level = Number.isNaN(paranoid) ? null : paranoid;
    return { kind, unsupported: counterReason(kind, event, errorName(refused), level) };
  }
  return {
    kind,
    events: Object.fromEntries(events.map(({ name }, index) => [name, integer(`event${index}`)])),
    enabled_ns: integer('enabled'),
    running_ns: integer('running'),
  };
}

/**
 * The account in the reply to launch `id`. Durations must be exact (below 2^53 ns, 104 days). The boot clock passes
 * that on machines that run for longer; there a number holds it to 2 ns or better for the next 100 days and so on.
 * Throws Error for a line that is none of ours.
 */
export function parseAccount(line: string, id: string, pageBytes: number): LaunchAccount {
  const { fields } = parseLine(line);
  const integer = (name: string): number => {
    const text = fields.get(name) ?? '';
    if (!/^\d{1,19}$/.test(text)) throw new Error(`the launcher's answer has no number "${name}"`);
    return Number(text);
  };
  const exact = (name: string): number => {
    const value = integer(name);
    if (!Number.isSafeInteger(value)) throw new Error(`the launcher's answer has too large a number "${name}"`);
    return value;
  };
  if (fields.get('id') !== id) throw new Error('the launcher answered another request');
  const outcome = outcomeOf(fields.get('outcome') ?? '', fields.get('step') ?? '', exact('value'));
  const scope = 'subject and all descendants that were waited for';
  return {
    outcome,
    wall_ns: exact('wall'),
    cpu_ns: exact('cpu'),
    max_rss_bytes: exact('rss'),
    leftovers: exact('leftovers'),
    counters: countersOf(fields, integer),
    accounting: {
      wall: { method: 'clock_monotonic', resolution: 1, scope: 'from fork until the subject was waited for' },
      cpu: { method: 'wait4', resolution: 1000, scope },
      max_rss: { method: 'wait4', resolution: pageBytes, scope: 'the largest process of the trial' },
    },
    started_boot_ns: integer('boot0'),
    ended_boot_ns: integer('boot1'),
    started_unix_ms: exact('unix'),
    settled_ns: exact('settled'),
  };
}
