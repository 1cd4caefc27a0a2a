/** The driver's protocol: one JSON object in the last line of stdout. */
import { z } from 'zod';
import { COUNTER_NAMES } from '../experiment/counters.ts';
import { isOperationCount, OPERATION_COUNT } from '../experiment/operations.ts';
import { deeperThan, resolvePointer } from './json-value.ts';
import type { CounterReading } from './launch.ts';
import { quoteStart, quoteValue } from './quote.ts';

interface ReportedCheck {
  readonly ok: boolean;
  readonly detail: string;
}

interface ResultLine {
  readonly metrics: Readonly<Record<string, number>>;
  readonly checks: Readonly<Record<string, ReportedCheck>>;
  readonly facts: Readonly<Record<string, unknown>>;
  /** That the driver did, where it says so. */
  readonly operations: number | null;
  /** What the driver counted, or why it could not; null where it says nothing. */
  readonly counters: CounterReading | null;
  /** The whole object, which JSON pointers are resolved in. */
  readonly document: Readonly<Record<string, unknown>>;
}

export type FoundResultLine =
  | { readonly ok: true; readonly line: ResultLine }
  /** No such line, so no protocol either. */
  | { readonly ok: false; readonly kind: 'absent'; readonly reason: string }
  /** A line that breaks the protocol; `reports_checks`: it seems to say whether checks passed. */
  | { readonly ok: false; readonly kind: 'malformed'; readonly reason: string; readonly reports_checks: boolean };

/** In characters. A driver reports some dozens of numbers; this bounds what a stranger can make us parse and keep. */
const LONGEST_LINE = 1 << 20;
/** Lines that begin with a brace and are no JSON; each costs an exception. */
const MOST_CANDIDATES = 10_000;
/** What a line of the protocol mentions. */
const MEMBERS = /"(?:metrics|checks|facts)"/;
/** Deeper values are never looked at: recursion over them would end in a stack overflow. */
const MOST_DEPTH = 64;

/** Names end up in tables: no control characters, nothing invisible. */
const name = z.string().regex(/^[^\p{C}\u2028\u2029]{1,200}$/u, 'a name is 1 to 200 visible characters');

const ns = z.number().min(0).max(1e18);

/** Events that Assay does not know are ignored. */
const COUNTERS = z
  .looseObject({
    kind: z.enum(['hardware', 'software'], { error: 'expected "hardware" or "software"' }),
    events: z.record(name, z.number().min(0)).optional(),
    enabled_ns: ns.optional(),
    running_ns: ns.optional(),
    unsupported: z.string().min(1).max(1000).optional(),
  })
  .transform(({ kind, events, enabled_ns, running_ns, unsupported }, { issues, value }): CounterReading => {
    if (unsupported !== undefined) return { kind, unsupported };
    const whole = events !== undefined && enabled_ns !== undefined && running_ns !== undefined;
    if (whole && running_ns <= enabled_ns) {
      const known = COUNTER_NAMES.flatMap((each) => (Object.hasOwn(events, each) ? [[each, events[each] ?? 0]] : []));
      return { kind, events: Object.fromEntries(known), enabled_ns, running_ns };
    }
    const message = whole
      ? 'expected running_ns to be at most enabled_ns'
      : 'expected events, enabled_ns and running_ns, or unsupported';
    issues.push({ code: 'custom', input: value, message });
    return { kind, unsupported: message };
  });

/** Other keys are allowed and ignored. */
const RESULT = z.looseObject({
  metrics: z.record(name, z.number()).optional(),
  checks: z.record(name, z.looseObject({ ok: z.boolean(), detail: z.string().max(10_000).optional() })).optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
  operations: z.custom<number>(isOperationCount, `expected ${OPERATION_COUNT}`).optional(),
  counters: COUNTERS.optional(),
});

/**
 * Finds the result line: the last line of stdout that is one JSON object,
 * `{"metrics": {name: number}, "checks": {name: {"ok": bool, "detail": string}}, "facts": {…}, "operations": number,
 * "counters": {…}}`, each part optional.
 * Other text after it does no harm, unless it looks like a result line that is broken: then an earlier line, of
 * progress perhaps, must not be taken for the result.
 */
export function findResultLine(stdout: string): FoundResultLine {
  let candidates = 0;
  for (let end = stdout.length; end >= 0 && candidates < MOST_CANDIDATES; ) {
    const start = end === 0 ? 0 : stdout.lastIndexOf('\n', end - 1) + 1;
    if (startsObject(stdout, start, end)) {
      candidates += 1;
      const text = stdout.slice(start, end);
      const document = text.length > LONGEST_LINE ? null : parseObject(text);
      if (document !== null) return validate(text, document);
      if (MEMBERS.test(text)) return malformed(text, brokenLine(text));
    }
    end = start - 1;
  }
  return { ok: false, kind: 'absent', reason: 'stdout has no line that is one JSON object' };
}

function brokenLine(text: string): string {
  return text.length > LONGEST_LINE
    ? `the result line is longer than ${LONGEST_LINE} characters`
    : `the result line is not JSON (which has no NaN and no Infinity): ${quoteStart(text.trim(), 120)}`;
}

function malformed(text: string, reason: string): FoundResultLine {
  return { ok: false, kind: 'malformed', reason, reports_checks: text.includes('"checks"') };
}

/** Whether the first character of a line that is no blank is a brace, without copying the line. */
function startsObject(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x7b) return true;
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return false;
  }
  return false;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    // The text begins with a brace: what parses is an object.
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function validate(text: string, document: Record<string, unknown>): FoundResultLine {
  if (deeperThan(document, MOST_DEPTH)) {
    return malformed(text, `the result line is nested more than ${MOST_DEPTH} levels deep`);
  }
  const parsed = RESULT.safeParse(document);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = issue?.path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('') ?? '';
    const found = quoteValue(resolvePointer(document, path));
    return malformed(
      text,
      `the result line breaks the protocol at ${quoteStart(path)}: ${expectation(issue)}, found ${found}`,
    );
  }
  // The validator drops a key of this name, and what was not validated must not look as if it had been.
  for (const part of ['metrics', 'checks', 'facts'] as const) {
    const value = document[part];
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      return malformed(text, `the result line breaks the protocol at /${part}: a name may not be __proto__`);
    }
  }
  const { metrics = {}, checks = {}, facts = {}, operations = null, counters = null } = parsed.data;
  const reported = Object.entries(checks).map(([check, { ok, detail = '' }]) => [check, { ok, detail }] as const);
  return { ok: true, line: { metrics, checks: Object.fromEntries(reported), facts, operations, counters, document } };
}

function expectation(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_key') return 'expected a name of 1 to 200 visible characters';
  if (issue?.code === 'invalid_type') {
    return `expected ${issue.expected === 'number' ? 'a finite number' : `type ${issue.expected}`}`;
  }
  return issue?.message ?? 'not as expected';
}
