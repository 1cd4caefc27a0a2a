/** Why a trial failed, if it did: the first reason in the order of what happened. */
import type { Workload } from '../experiment/experiment.ts';
import type { TrialFailure } from '../journal/records.ts';
import type { CheckResult } from './checks.ts';
import type { LaunchAccount } from './launch.ts';

export function trialFailure(
  account: LaunchAccount,
  limits: Pick<Workload, 'timeout_ms' | 'max_output_bytes'>,
  checks: readonly CheckResult[],
  metric: { readonly metric: string; readonly message: string } | null,
): TrialFailure | null {
  const { outcome } = account;
  switch (outcome.kind) {
    case 'not_started':
      return { kind: 'launch', message: startFailure(outcome.step, outcome.code) };
    case 'timeout':
      return { kind: 'timeout', timeout_ms: limits.timeout_ms };
    case 'output_limit':
      return { kind: 'output_limit', stream: outcome.stream, limit_bytes: limits.max_output_bytes };
    case 'signalled':
      return { kind: 'signal', signal: outcome.signal };
    case 'cancelled':
    case 'abandoned':
    case 'exited':
      break;
  }
  // A driver whose check failed may well say so by its exit code too: the check says more.
  const failures = checks.filter((check) => !check.ok);
  const failed = failures.find((check) => check.name.startsWith('driver: ')) ?? failures[0];
  if (failed !== undefined) return { kind: 'check', check: failed.name, message: failed.detail };
  return metric === null ? null : { kind: 'metric', ...metric };
}

/** Why a subject did not start, as far as a user can mend it. */
function startFailure(step: string, code: string): string {
  if (step.startsWith('affinity')) return `the CPU that it is pinned to cannot be used (${step}: ${code})`;
  if (step === 'layout') return `the layout of memory cannot be fixed here (${code}): a container may forbid it`;
  if (step === 'real-time class')
    return `the real-time class is not allowed (${code}): run as root, or raise RLIMIT_RTPRIO`;
  return `${step}: ${code}`;
}
