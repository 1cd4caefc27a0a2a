import { RE2JS, RE2JSException } from 're2js';

/** In characters. */
export const LONGEST_PATTERN = 1000;

/** Of the compiled program: `(x{1,1000})` has 2003, a usual pattern 10 to 30. */
export const MOST_INSTRUCTIONS = 5000;

/** Counted repetitions are copied out when a pattern is compiled, so their sum bounds the time that this takes. */
const MOST_REPETITIONS = 2000;

/**
 * What is wrong with a pattern in RE2 syntax, or null. A pattern for a value must have exactly one capturing group
 * (`groups` 1), one that only has to occur may have any (`groups` null).
 */
export function patternFault(pattern: string, groups: 1 | null): string | null {
  if (pattern === '') return 'the pattern is empty, which occurs everywhere';
  if (pattern.length > LONGEST_PATTERN) return `a pattern is at most ${LONGEST_PATTERN} characters long`;
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, low, high]) => Number(high || low));
  if (counts.reduce((sum, each) => sum + each, 0) > MOST_REPETITIONS) {
    return `the counted repetitions of a pattern add up to at most ${MOST_REPETITIONS}`;
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `not a pattern in RE2 syntax: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
  if (compiled.programSize() > MOST_INSTRUCTIONS) {
    return `the pattern compiles to ${compiled.programSize()} steps, of at most ${MOST_INSTRUCTIONS}: repeat less`;
  }
  const count = compiled.groupCount();
  if (groups === null || count === groups) return null;
  const found = count === 0 ? 'this one has none' : `this one has ${count}`;
  return `a pattern needs exactly one group (…) around the value, and ${found}; (?:…) groups without capturing`;
}
