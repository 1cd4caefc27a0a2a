/** What a trial's raw output says: a pure function of it, so that it can be computed again from what was kept. */
import type { Slices } from '../experiment/experiment.ts';
import type { TrialFailure, TrialRecord } from '../journal/records.ts';
import type { PhaseSetting } from '../plan/phase-setting.ts';
import { runChecks } from './checks.ts';
import { type CountOutput, readCount } from './count.ts';
import { extractMetrics, type RawOutput } from './extract.ts';
import { trialFailure } from './failure.ts';
import { lastWords } from './last-words.ts';
import type { SessionFault } from './launch.ts';
import { endsByLimit, faultText } from './session-fault.ts';
import type { SessionHalf } from './slice-metrics.ts';
import { readerWarnings } from './tool-output.ts';
import { trialCounters } from './trial-counters.ts';

type ReadOutput = Pick<
  TrialRecord,
  'metrics' | 'operations' | 'checks' | 'counted' | 'counters' | 'failure' | 'last_words' | 'reader_warnings'
>;

/**
 * Metrics, checks, counts and failure of a trial, from its raw output and its account alone.
 * @param setting what holds in its phase
 * @param count what valgrind left of a trial that was counted; null for one that was timed
 * @param half what else is known of a half of a session
 */
export function readOutput(
  { workload, metrics, checks: wanted, counters: mode, counting, slices }: PhaseSetting,
  output: RawOutput,
  count: CountOutput | null,
  half: SessionHalf | null = null,
): ReadOutput {
  const broken = half?.fault == null || slices === null ? null : readBroken(half.fault, half, slices, workload, output);
  if (broken !== null) return broken;
  const counters = trialCounters({ counters: mode }, output, half);
  const { values, operations, failure: metricFailure } = extractMetrics(metrics, output, counters, half);
  const checks = runChecks(wanted, output, half);
  const ended = trialFailure(output.account, workload, checks, metricFailure);
  const read = counting === null || count === null ? null : readCount(counting, output, count);
  const failure = read === null ? ended : countingFailure(ended, read.failure);
  const log = typeof count?.log === 'string' ? count.log : '';
  const said = () => lastWords(output.stdout, output.stderr) ?? lastWords(log, '');
  return {
    metrics: values,
    operations,
    checks,
    counted: failure === null ? (read?.counted ?? null) : null,
    counters,
    failure,
    last_words: failure === null ? null : said(),
    reader_warnings: readerWarnings(metrics, output),
  };
}

/**
 * A half of a session that was cut off by a fault: it has no numbers. The failure is of the driver at fault, and the other
 * has none.
 */
function readBroken(
  fault: SessionFault,
  { subject, asked }: SessionHalf,
  { answer_timeout_ms }: Slices,
  workload: PhaseSetting['workload'],
  output: RawOutput,
): ReadOutput {
  const nothing = { metrics: {}, operations: {}, checks: [], counted: null, counters: null, reader_warnings: [] };
  if (fault.subject !== subject) return { ...nothing, failure: null, last_words: null };
  const { account, stdout, stderr } = output;
  const limit = endsByLimit(account, workload.timeout_ms) ? trialFailure(account, workload, [], null) : null;
  const message = faultText(fault, account.outcome, { answer_timeout_ms, asked });
  return { ...nothing, failure: limit ?? { kind: 'slices', message }, last_words: lastWords(stdout, stderr) };
}

/** How a trial that is counted failed: how it ended says more than what callgrind then lacks. */
function countingFailure(ended: TrialFailure | null, message: string | null): TrialFailure | null {
  if (ended?.kind === 'signal' && ended.signal === 'SIGILL') {
    const cause =
      'often an instruction that valgrind does not know (as of AVX-512): build all arms without -march=native';
    return { kind: 'counting', message: `ended by SIGILL: ${cause}` };
  }
  return ended ?? (message === null ? null : { kind: 'counting', message });
}
