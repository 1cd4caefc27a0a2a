/** Patterns of experiments in RE2 syntax, and numbers in text. Time is linear in the text, whatever the pattern is. */
import { RE2JS, RE2JSException } from 're2js';
import { LONGEST_PATTERN, MOST_INSTRUCTIONS } from '../experiment/pattern.ts';
import { quoteStart } from './quote.ts';

export interface Pattern {
  readonly compiled: RE2JS;
  /** Instructions of the compiled program. */
  readonly size: number;
}

export type Compiled =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly reason: string };

/** `broken`: the question cannot be answered, which is neither a match nor none. */
export type Match =
  | { readonly kind: 'match'; readonly value: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly reason: string };

export type Occurrence = { readonly kind: 'found'; readonly found: boolean } | (Match & { readonly kind: 'broken' });

/**
 * Instructions × characters that a search may cost. An instruction takes up to 20 ns a character and a search up to two
 * passes, so the worst pattern takes some 40 s. 16 MiB of output leave room for 59 instructions; a usual pattern has 10
 * to 30, and takes 0.1 to 3 s on so much text.
 */
const MOST_WORK = 1e9;

/**
 * Compiles a pattern in RE2 syntax. `^` and `$` also match at the start and end of each line, as if it began with
 * `(?m)`: output is made of lines. A stranger's pattern may be anything, so faults are reasons, not exceptions.
 */
export function compilePattern(text: string): Compiled {
  if (text.length > LONGEST_PATTERN) {
    return { ok: false, reason: `a pattern is at most ${LONGEST_PATTERN} characters long` };
  }
  try {
    const compiled = RE2JS.compile(text, RE2JS.MULTILINE);
    const size = compiled.programSize();
    if (size > MOST_INSTRUCTIONS) return { ok: false, reason: `the pattern ${quoteStart(text)} is too large` };
    return { ok: true, pattern: { compiled, size } };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { ok: false, reason: `${quoteStart(text)} is not a pattern in RE2 syntax` };
  }
}

/**
 * What the group of a pattern holds where the pattern matches. Further matches must hold the same: which of several
 * numbers is meant only the experiment can say.
 */
export function matchOne(pattern: Pattern, text: string): Match {
  if (pattern.compiled.groupCount() !== 1) return { kind: 'broken', reason: 'the pattern has not exactly one group' };
  const occurrence = occurs(pattern, text);
  if (occurrence.kind === 'broken') return occurrence;
  if (!occurrence.found) return { kind: 'none' };
  const matcher = pattern.compiled.matcher(text);
  const value = matcher.find() ? matcher.group(1) : null;
  if (value === null) return { kind: 'none' };
  while (matcher.find()) {
    const other = matcher.group(1);
    if (other === value) continue;
    const both = `${quoteStart(value)} and ${quoteStart(other ?? '')}`;
    return { kind: 'broken', reason: `the pattern matches in several places, with ${both}: let it match in one` };
  }
  return { kind: 'match', value };
}

/** Whether a pattern matches anywhere. About 10 ms a MiB of text, where finding the place takes 5 to 10 times that. */
export function occurs(pattern: Pattern, text: string): Occurrence {
  if (pattern.size * text.length > MOST_WORK) {
    const reason = `the pattern is too large (${pattern.size} steps) for ${text.length} characters of text`;
    return { kind: 'broken', reason };
  }
  return { kind: 'found', found: pattern.compiled.test(text) };
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** The longest double in full, 5e-324, has 1075 digits. */
const LONGEST_NUMBER = 1100;

/**
 * A number as C prints it in the C locale, decimal or scientific, blanks around it ignored. Null for anything else:
 * digit groups, decimal commas, hexadecimal, infinities, NaN, and what is too large for a double.
 */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_NUMBER || !NUMBER.test(trimmed)) return null;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : null;
}
