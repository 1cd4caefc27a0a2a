/** What a trial must have done for its numbers to count. Functions of the raw output alone, as the metrics are. */
import { createHash } from 'node:crypto';
import type { Check } from '../experiment/experiment.ts';
import { type Extracted, extractValue, type RawOutput } from './extract.ts';
import { canonicalJson, deeperThan } from './json-value.ts';
import type { LaunchOutcome } from './launch.ts';
import { compilePattern, occurs } from './pattern.ts';
import { quoteStart, quoteText, quoteValue } from './quote.ts';
import { type FoundResultLine, findResultLine } from './result-line.ts';
import type { SessionHalf } from './slice-metrics.ts';
import { operationsAsked } from './slices-file.ts';

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** For checks of equality the value, as one text that is the same for the same value; else what was found. */
  readonly detail: string;
}

/** Longer values are compared by their digest. */
const LONGEST_DETAIL = 200;
/** Of values that are compared. */
const MOST_DEPTH = 64;

/**
 * Runs all checks on one trial. The exit code must be 0 where no check says otherwise. Each check that the driver
 * reported as not ok fails, asked for or not. Whether values are equal is for whoever sees all trials; here the value
 * must exist.
 * @param half of a session: the driver must say that it did as many operations as it was asked for
 */
export function runChecks(checks: readonly Check[], raw: RawOutput, half: SessionHalf | null = null): CheckResult[] {
  const result = findResultLine(raw.stdout);
  const codes = checks.filter((check) => check.kind === 'exit_code').map((check) => check.code);
  const exit = (codes.length === 0 ? [0] : codes).map((code) => checkExit(code, raw.account.outcome));
  const others = checks.flatMap((check) => {
    if (check.kind === 'equal') return [checkEqual(check.name, extractValue(check.from, raw, result))];
    if (check.kind === 'pattern') return [checkPattern(check, raw)];
    return [];
  });
  return [
    ...exit,
    ...checkDriver(checks, result),
    ...(half === null ? [] : [checkOperations(half, result)]),
    ...others,
  ];
}

function checkOperations({ slices }: SessionHalf, result: FoundResultLine): CheckResult {
  const name = 'slices: operations';
  if (slices === null) return { name, ok: false, detail: 'there were no slices' };
  const asked = operationsAsked(slices);
  if (!result.ok) return { name, ok: false, detail: `${result.reason}; its \`operations\` would be ${asked}` };
  const { operations } = result.line;
  if (operations === asked) return { name, ok: true, detail: String(asked) };
  const found = operations === null ? 'missing' : quoteValue(operations);
  const detail = `/operations of the result line is ${found}, and the driver was asked for ${asked}`;
  return { name, ok: false, detail };
}

function checkExit(code: number, outcome: LaunchOutcome): CheckResult {
  const ok = outcome.kind === 'exited' && outcome.code === code;
  return { name: 'exit code', ok, detail: ok ? String(code) : `${ending(outcome)} (expected exit code ${code})` };
}

function ending(outcome: LaunchOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${outcome.code}`;
    case 'signalled':
      return `ended by ${outcome.signal}`;
    case 'timeout':
      return 'ended by the timeout';
    case 'output_limit':
      return `too much output on ${outcome.stream}`;
    case 'not_started':
      return `not started: ${outcome.code}`;
    case 'cancelled':
      return 'cancelled';
    case 'abandoned':
      return 'ended with the other process of its session';
  }
}

function checkDriver(checks: readonly Check[], result: FoundResultLine): CheckResult[] {
  const asked = checks.filter((check) => check.kind === 'driver');
  if (!result.ok) {
    // Without a check that asks for it, other programs may print JSON of their own. But one that tries to report checks
    // must not pass because it does so badly.
    if (asked.length === 0 && (result.kind === 'absent' || !result.reports_checks)) return [];
    return [{ name: 'driver: result line', ok: false, detail: result.reason }];
  }
  const reported = Object.entries(result.line.checks);
  const made = reported.map(([name, { ok, detail }]) => ({ name: `driver: ${name}`, ok, detail }));
  const missing = asked.flatMap((check) => check.names).filter((name) => !Object.hasOwn(result.line.checks, name));
  const absent = [...new Set(missing)].map((name) => {
    return { name: `driver: ${name}`, ok: false, detail: 'the driver did not report this check' };
  });
  if (made.length === 0 && absent.length === 0 && asked.length > 0) {
    return [{ name: 'driver: checks', ok: false, detail: 'the driver reported no check' }];
  }
  return [...made, ...absent];
}

function checkEqual(given: string, extracted: Extracted): CheckResult {
  const name = `equal: ${given}`;
  if (extracted.kind === 'absent' || extracted.kind === 'broken') return { name, ok: false, detail: extracted.reason };
  if (extracted.kind === 'text') return { name, ok: true, detail: shorten(quoteText(extracted.text)) };
  if (deeperThan(extracted.value, MOST_DEPTH)) {
    return { name, ok: false, detail: `the value is nested more than ${MOST_DEPTH} levels deep` };
  }
  const text = canonicalJson(extracted.value);
  if (text !== null) return { name, ok: true, detail: shorten(text) };
  const detail = 'a number of 2^53 or more cannot be compared exactly: report it as a string';
  return { name, ok: false, detail };
}

function shorten(text: string): string {
  if (text.length <= LONGEST_DETAIL) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')} (${text.length} characters)`;
}

function checkPattern(check: Check & { readonly kind: 'pattern' }, raw: RawOutput): CheckResult {
  const { stream, pattern, must } = check;
  const name = `${stream} ${must ? 'matches' : 'does not match'} ${quoteStart(pattern)}`;
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return { name, ok: false, detail: compiled.reason };
  const occurrence = occurs(compiled.pattern, raw[stream]);
  if (occurrence.kind === 'broken') return { name, ok: false, detail: occurrence.reason };
  return { name, ok: occurrence.found === must, detail: occurrence.found ? 'found' : 'not found' };
}
