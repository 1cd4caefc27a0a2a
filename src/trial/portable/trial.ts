/** One trial, from settling to the account of it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Accounting, LaunchAccount, LaunchOutcome, LaunchRequest } from '../launch.ts';
import type { Affinity } from './affinity.ts';
import type { CpuClock } from './cpu-time.ts';
import { closeSubject, openSubject, type SubjectFiles } from './files.ts';
import { type MemorySampler, memoryAccounting, openMemorySampler } from './memory.ts';
import type { Process } from './processes.ts';
import { settle } from './settle.ts';
import { bootNs, runSubject, type SubjectEnd } from './subject.ts';
import type { Channel } from './turns.ts';
import { readTimeReport, type Tools, wrap, wrapperFailure } from './wrappers.ts';

/** What the watcher has found out about the machine, and keeps from trial to trial. */
export interface TrialHost {
  readonly tools: Tools;
  readonly affinity: Affinity;
  readonly cpuClock: CpuClock;
  /** A directory of the watcher's own. */
  readonly scratch: string;
  /** Put into the subject's environment. */
  readonly cookie: Readonly<Record<string, string>>;
  /** The leader of the trial's session. */
  subjectStarted(pid: number): void;
  /** Living processes of this trial. `thorough` also finds those that left session and parent. */
  findDescendants(thorough: boolean): Process[];
  /** Kills them until none is left; resolves with those that cannot be killed. */
  killDescendants(): Promise<readonly Process[]>;
}

/**
 * Rejects only when processes are left that cannot be killed.
 * @param channel descriptors 3 and 4 of the subject, where it works in slices
 */
export async function runTrial(
  request: LaunchRequest,
  host: TrialHost,
  cancelled: AbortSignal,
  channel: Channel | null = null,
): Promise<LaunchAccount> {
  const lacking = request.fixed_layout
    ? 'layout'
    : request.real_time
      ? 'real-time class'
      : request.memory_group !== null
        ? 'memory group'
        : null;
  if (lacking !== null) {
    return unstarted(
      request,
      { kind: 'not_started', code: 'ENOSYS', step: `${lacking} (needs the native launcher)` },
      host,
      0,
    );
  }
  const settleStart = process.hrtime.bigint();
  if (request.settle) await settle(host.tools.sync, cancelled);
  const settled_ns = request.settle ? Number(process.hrtime.bigint() - settleStart) : 0;
  if (cancelled.aborted) return unstarted(request, { kind: 'cancelled' }, host, settled_ns);
  const placement = host.affinity.place(request.cpu);
  if (!placement.ok) {
    return unstarted(request, { kind: 'not_started', code: placement.code, step: placement.step }, host, settled_ns);
  }
  const files = openSubject(request);
  if ('kind' in files) return unstarted(request, files, host, settled_ns);
  try {
    return await measure(request, host, { ...files, channel }, placement.cpus, cancelled, settled_ns);
  } finally {
    closeSubject(files, request.max_output_bytes);
  }
}

async function measure(
  request: LaunchRequest,
  host: TrialHost,
  files: SubjectFiles & { readonly channel: Channel | null },
  cpus: string | null,
  cancelled: AbortSignal,
  settled_ns: number,
): Promise<LaunchAccount> {
  const { tools, cpuClock } = host;
  const report = join(host.scratch, 'time');
  rmSync(report, { force: true });
  const sampler = tools.time === null && process.platform === 'linux' ? openMemorySampler() : null;
  const cpuBefore = cpuClock.read();
  const end = await runSubject({
    request,
    command: wrap(request.argv, tools, cpus, report),
    hasParent: tools.time !== null,
    env: { ...request.env, ...host.cookie },
    files,
    channel: files.channel,
    cancelled,
    started: host.subjectStarted,
    findDescendants: () => host.findDescendants(true),
    killDescendants: host.killDescendants,
    sample: () => sampler?.sample(host.findDescendants(false)),
  });
  const cpuAfter = cpuClock.read();
  const outcome = outcomeOf(request, tools, end, report);
  if (outcome.kind === 'not_started') return unstarted(request, outcome, host, settled_ns);
  const { max_rss_bytes, accounting } = peakMemory(tools, sampler, report);
  return {
    outcome,
    wall_ns: end.wall_ns,
    cpu_ns: cpuBefore === null || cpuAfter === null ? null : Math.max(0, cpuAfter - cpuBefore),
    max_rss_bytes,
    leftovers: end.leftovers,
    counters: uncounted(request),
    accounting: { wall: wallAccounting(tools), cpu: cpuClock.accounting, max_rss: accounting },
    started_boot_ns: end.started_boot_ns,
    ended_boot_ns: end.ended_boot_ns,
    started_unix_ms: end.started_unix_ms,
    settled_ns,
  };
}

function outcomeOf(request: LaunchRequest, tools: Tools, end: SubjectEnd, report: string): LaunchOutcome {
  if (end.own.kind === 'not_started') return end.own;
  if (end.own.kind === 'exited') {
    const code = wrapperFailure(end.own.code, request.argv[0], tools, request.stderr);
    if (code !== null) return { kind: 'not_started', code, step: 'exec' };
  }
  // GNU time ends with 128 + n for a subject that died by signal n; its report tells that from an exit code.
  return end.forced ?? readTimeReport(report)?.outcome ?? end.own;
}

function peakMemory(
  tools: Tools,
  sampler: MemorySampler | null,
  report: string,
): { readonly max_rss_bytes: number | null; readonly accounting: Accounting } {
  if (tools.time !== null) {
    return { max_rss_bytes: readTimeReport(report)?.max_rss_bytes ?? null, accounting: memoryAccounting('time', 0) };
  }
  if (sampler === null) return { max_rss_bytes: null, accounting: memoryAccounting('none', 0) };
  const { max_rss_bytes, resolution } = sampler.result();
  return { max_rss_bytes, accounting: memoryAccounting('sampled', resolution) };
}

/** Resolution: the spread (between quartiles) of an empty command on an idle machine is about 0.2 ms. */
function wallAccounting(tools: Tools): Accounting {
  const wrappers = [tools.taskset === null ? [] : ['taskset'], tools.time === null ? [] : ['GNU time']].flat();
  return {
    method: 'process.hrtime around node:child_process spawn … exit',
    resolution: 200_000,
    scope: ['from the call of spawn until Node.js says that the subject was reaped', ...wrappers].join(', with '),
  };
}

function uncounted({ counters: kind }: LaunchRequest): LaunchAccount['counters'] {
  return kind === null ? null : { kind, unsupported: 'only the native launcher counts (Linux, with a C compiler)' };
}

/** The account of a trial whose subject never ran. */
export function unstarted(
  request: LaunchRequest,
  outcome: LaunchOutcome,
  host: TrialHost,
  settled_ns: number,
): LaunchAccount {
  const now_ns = bootNs();
  const way = host.tools.time !== null ? 'time' : process.platform === 'linux' ? 'sampled' : 'none';
  return {
    outcome,
    wall_ns: 0,
    cpu_ns: null,
    max_rss_bytes: null,
    leftovers: 0,
    counters: uncounted(request),
    accounting: {
      wall: wallAccounting(host.tools),
      cpu: host.cpuClock.accounting,
      max_rss: memoryAccounting(way, 0),
    },
    started_boot_ns: now_ns,
    ended_boot_ns: now_ns,
    started_unix_ms: Date.now(),
    settled_ns,
  };
}
