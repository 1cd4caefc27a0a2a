/** The kinds of text, numbers and lists that an experiment file is made of. */
import { z } from 'zod';
import { NPM_SPEC_PATTERN, parseNpmSpec } from './npm-spec.ts';
import { patternFault } from './pattern.ts';
import {
  DURATION_PATTERN,
  PERCENT_PATTERN,
  parseDuration,
  parseNanoseconds,
  parseSize,
  SHORT_DURATION_PATTERN,
  SIZE_PATTERN,
} from './quantities.ts';

export const ARM_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const METRIC_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_./-]{0,63}$/;
export const VARIABLE_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const PARAM_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const POINTER_PATTERN = /^(?:\/(?:[^~/]|~[01])*)+$/;
/** Relative, with no empty part, `.` or `..`. */
export const INNER_PATH_PATTERN = /^(?!\.{1,2}(?:\/|$))[^/]+(?:\/(?!\.{1,2}(?:\/|$))[^/]+)*$/;
export const UNIT_PATTERN = /^\S{1,32}$/;

const LONGEST_TIME_MS = 7 * 24 * 3600e3;

/*
 * `error` says what is expected, as words for the sentence "expected …, not …": it is the same for a wrong type and a
 * wrong form. Checks that need a sentence of their own raise `custom` issues.
 */

/** Text for programs: anything but NUL, or what the pattern says. */
export function text(expected: string, form?: RegExp): z.ZodString {
  const string = z.string({ error: expected });
  return sentence(form === undefined ? string : string.regex(form, { error: expected, abort: true }), (value) =>
    value.includes('\0') ? 'a NUL character cannot be used' : null,
  );
}

/** Text for people: not blank, no control characters but tab and newline. */
export function prose(expected: string, longest: number): z.ZodString {
  const string = z.string({ error: expected }).min(1, { error: expected }).max(longest, { error: expected });
  return sentence(string, (value) => {
    if (value.trim() === '') return 'the text is blank';
    return /\p{Cc}/u.test(value.replace(/[\t\n\r]/g, '')) ? 'control characters cannot be used' : null;
  });
}

export function flag(expected = 'true or false'): z.ZodBoolean {
  return z.boolean({ error: expected });
}

export function count(least: number, most: number): z.ZodInt {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

function quantity(expected: string, pattern: RegExp) {
  return z.union([z.number({ error: expected }).min(0, { error: expected }), text(expected, pattern)], {
    error: expected,
  });
}

export function sentence<T extends z.ZodType>(schema: T, fault: (value: z.output<T>) => string | null): T {
  return schema.check((context) => {
    if (context.issues.length > 0) return;
    const message = fault(context.value);
    if (message !== null) context.issues.push({ code: 'custom', message, input: context.value });
  });
}

export const duration = sentence(
  quantity('a time such as `10m`, `30s` or `500ms`, or a number of seconds', DURATION_PATTERN),
  (value) => {
    const milliseconds = parseDuration(value) ?? 0;
    if (milliseconds < 1) return 'a time is at least 1 ms';
    return milliseconds > LONGEST_TIME_MS ? 'a time is at most 168 hours' : null;
  },
);

const SHORTEST_NS = 1000;
const LONGEST_SHORT_NS = 600e9;

/** A time that may well be below a millisecond. */
export function shortDuration(unit: 'us' | 's') {
  const example = unit === 'us' ? '`600us` or `2ms`' : '`1s` or `500ms`';
  return sentence(quantity(`a time such as ${example}`, SHORT_DURATION_PATTERN), (value) => {
    const ns = parseNanoseconds(value) ?? 0;
    if (ns < SHORTEST_NS) return 'a time is at least 1 us here';
    return ns > LONGEST_SHORT_NS ? 'a time is at most 10 minutes here' : null;
  });
}

export const size = sentence(quantity('a size such as `16 MiB`, or a number of bytes', SIZE_PATTERN), (value) => {
  const bytes = parseSize(value) ?? 0;
  if (bytes < 1) return 'a size is at least 1 byte';
  return bytes > 2 ** 40 ? 'a size is at most 1024 GiB' : null;
});

const SMALLEST_DEVICE_BYTES = 2 ** 20;

/** Of less there is no file system, or none with room: which it is depends on the version of mkfs. */
export const deviceSize = sentence(size, (value) =>
  (parseSize(value) ?? 0) < SMALLEST_DEVICE_BYTES
    ? 'a device has at least 1 MiB: a smaller one has no room for a file system'
    : null,
);

export const fraction = quantity('a fraction such as `0.01` or a percentage such as `1%`', PERCENT_PATTERN);
export const change = quantity('a change such as `1%` or `0.01`', PERCENT_PATTERN);

const word = z.union([text('text'), z.number({ error: 'text' }), flag('text')], { error: 'text' });

const argv = z
  .array(word, { error: 'a list of words, `[program, argument, …]`' })
  .min(1, { error: 'a list with at least the program' })
  .max(10_000, { error: 'at most 10000 words' });

export const command = z.union([argv, text('a command')], {
  error: 'a list of words, `[program, argument, …]`, or with `shell: true` one text',
});

const buildText = sentence(text('a command'), (value) => (value.trim() === '' ? 'the command is empty' : null));

export const build = z
  .array(
    z.union([argv, buildText], {
      error: 'a command: one text for `/bin/sh`, or a list of words, `[program, argument, …]`',
    }),
    { error: 'a list of commands, `["make -j4", [program, argument, …]]`' },
  )
  .max(100, { error: 'at most 100 commands' });

export const env = z.record(text('a name of a variable: letters, digits and `_`', VARIABLE_PATTERN), word, {
  error: 'a map of variables, `{NAME: value}`',
});

export const params = z.record(
  text('a name of a parameter: letters, digits, `_` and `-`', PARAM_NAME_PATTERN),
  z.union([text('text, a number, true or false'), z.number({ error: 'text, a number, true or false' }), flag()], {
    error: 'text, a number, true or false',
  }),
  { error: 'a map of parameters, `{name: value}`' },
);

export const npm = sentence(z.string({ error: 'a package of the npm registry as `name@version`' }), (value) => {
  const parsed = parseNpmSpec(value);
  return parsed.ok ? null : parsed.message;
}).meta({ pattern: NPM_SPEC_PATTERN.source });

/** What git must not take for an option or for a program to run, and what would give a secret away. */
export const repository = sentence(
  text('a path or an address of a git repository').min(1, { error: 'a path or an address of a git repository' }),
  (value) => {
    if (value.startsWith('-')) return 'a repository cannot begin with `-`: write `./-name` for such a directory';
    if (/^[^/]*::/.test(value)) return 'an address of the form `helper::…` would run a program: it cannot be used';
    // Where there is no user to name but a token, it is a password as well.
    if (/^(?:https?:\/\/[^/@]*|[a-z][a-z0-9+.-]*:\/\/[^/@]*:[^/@]*)@/i.test(value)) {
      return 'a password or token does not belong into an experiment, which is kept with every run: clone the repository yourself and name the path';
    }
    return null;
  },
);

/** git allows `..` in no name. What follows `:` is a path or a message, and a message may stand in braces. */
function rangeFault(value: string): string | null {
  const range = /^([^:{]*?)\.{2,3}([^:{]*)$/.exec(value);
  if (range === null) return null;
  const [one, other] = range.slice(1).map((name) => name || 'HEAD');
  return `\`${value}\` is a range of commits, and an arm is one commit: name it, or write \`merge-base: [${one}, ${other}]\` for the one at which the two part`;
}

export const revision = sentence(
  text('a revision such as `v9.1.0`, `HEAD~1` or a hash').min(1, { error: 'a revision such as `v9.1.0`' }),
  (value) => (value.startsWith('-') ? 'a revision cannot begin with `-`' : rangeFault(value)),
);

export const mergeBase = z.tuple([revision, revision], { error: 'two revisions, `[main, my-branch]`' });

export const pointer = text('a JSON pointer such as `/metrics/write_ns`', POINTER_PATTERN);

const operationCount = 'a number of operations, 1 or more, or where the result line has it, such as `/operations`';
export const operations = z.union([z.int({ error: operationCount }).min(1, { error: operationCount }), pointer], {
  error: operationCount,
});

const pattern = z.string({ error: 'a pattern in RE2 syntax' });
export const valuePattern = sentence(pattern, (value) => patternFault(value, 1)).meta({
  minLength: 1,
  maxLength: 1000,
});
export const anyPattern = sentence(pattern, (value) => patternFault(value, null)).meta({
  minLength: 1,
  maxLength: 1000,
});

/** For the exported schema: exactly one of these names. `exactlyOne` says the same to people. */
export function oneOf(...names: readonly string[]): { oneOf: readonly { required: readonly string[] }[] } {
  return { oneOf: names.map((name) => ({ required: [name] })) };
}
