/** Command lines as a POSIX shell reads and writes them, without a shell: words and quotes, nothing else. */

export type SplitCommand =
  | { readonly ok: true; readonly argv: readonly [string, ...string[]] }
  /** `index` is where in the text the fault is, in UTF-16 units from 0. */
  | { readonly ok: false; readonly message: string; readonly index: number };

/** What a shell would do at a character that is not quoted. */
const SPECIAL: Readonly<Record<string, string>> = {
  '|': 'would start a pipe',
  '>': 'would redirect output',
  '<': 'would redirect input',
  '&': 'would run it in the background',
  ';': 'would separate two commands',
  $: 'would be replaced by a value',
  '`': 'would be replaced by the output of a command',
  '(': 'would start a subshell',
  ')': 'would end a subshell',
  '*': 'would be replaced by names of files',
  '?': 'would be replaced by names of files',
  '[': 'would be replaced by names of files',
  '\n': 'would end the command',
};

/** What a shell would do at a character that begins a word. */
const SPECIAL_AT_START: Readonly<Record<string, string>> = {
  '~': 'would be replaced by a home directory',
  '#': 'would start a comment',
};

/**
 * Splits a command line into words by the quoting rules of POSIX (Shell Command Language, 2.2): `'…'`, `"…"` with `\` before $ ` " \
 * and newline, and `\` outside of quotes. Whatever a shell would do more than that is refused.
 */
export function splitCommand(text: string): SplitCommand {
  const words: string[] = [];
  let word = '';
  /** Null between words: a word may be empty. */
  let start: number | null = null;
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '\0') return refuse('a NUL character cannot be given to a program', index);
    if (character === ' ' || character === '\t') {
      if (start !== null) words.push(word);
      word = '';
      start = null;
      index++;
    } else if (character === "'" || character === '"') {
      start ??= index;
      const quoted = character === "'" ? singleQuoted(text, index) : doubleQuoted(text, index);
      if (!quoted.ok) return quoted;
      word += quoted.value;
      index = quoted.next;
    } else if (character === '\\') {
      const next = text.charAt(index + 1);
      if (next === '') return refuse('nothing follows the backslash', index);
      if (next === '\0') return refuse('a NUL character cannot be given to a program', index + 1);
      // A backslash at the end of a line joins it with the next one, and begins no word.
      if (next !== '\n') {
        start ??= index;
        word += next;
      }
      index += 2;
    } else {
      const special = SPECIAL[character] ?? (start === null ? SPECIAL_AT_START[character] : undefined);
      if (special !== undefined) return refuseSpecial(character, special, index);
      start ??= index;
      word += character;
      if (character === '=' && words.length === 0 && isAssignment(text.slice(start, index + 1))) {
        return refuse('sets a variable, which only a shell does here: use `env NAME=value program`, or --shell', start);
      }
      index++;
    }
  }
  if (start !== null) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined) return refuse('the command is empty', 0);
  if (program === '') return refuse('the name of the program is empty', 0);
  return { ok: true, argv: [program, ...rest] };
}

/** A command line that `splitCommand`, and any POSIX shell, reads as these words. */
export function quoteCommand(argv: readonly string[]): string {
  return argv
    .map((word, position) => (position === 0 && word.includes('=') ? quoted(word) : quoteWord(word)))
    .join(' ');
}

/** One word, or a part of one, that is not the program. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

type Quoted = { readonly ok: true; readonly value: string; readonly next: number } | Refusal;
type Refusal = { readonly ok: false; readonly message: string; readonly index: number };

function singleQuoted(text: string, start: number): Quoted {
  const end = text.indexOf("'", start + 1);
  if (end < 0) return refuse("a quote that begins with ' does not end", start);
  const value = text.slice(start + 1, end);
  const nul = value.indexOf('\0');
  if (nul >= 0) return refuse('a NUL character cannot be given to a program', start + 1 + nul);
  return { ok: true, value, next: end + 1 };
}

function doubleQuoted(text: string, start: number): Quoted {
  let value = '';
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') return { ok: true, value, next: index + 1 };
    if (character === '\0') return refuse('a NUL character cannot be given to a program', index);
    if (character === '$' || character === '`') {
      return refuseSpecial(character, SPECIAL[character] ?? '', index, 'in double quotes');
    }
    const next = text.charAt(index + 1);
    if (character === '\\' && next !== '' && '$`"\\\n'.includes(next)) {
      if (next !== '\n') value += next;
      index++;
    } else {
      value += character;
    }
  }
  return refuse('a quote that begins with " does not end', start);
}

function isAssignment(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*=$/.test(text);
}

function refuseSpecial(character: string, effect: string, index: number, where = 'unquoted'): Refusal {
  const name = character === '\n' ? 'a line break' : `\`${character}\``;
  return refuse(
    `${name} ${effect} ${where}: put it in single quotes, or use --shell to run the command in a shell`,
    index,
  );
}

function refuse(message: string, index: number): Refusal {
  return { ok: false, message, index };
}
