/** Which files a command starts or is given, as far as its words tell. */
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { findExecutable, isExecutable } from '../io/executable.ts';

/** Where the words of a command are looked up. */
interface Surroundings {
  /** Relative words are tried in each. */
  readonly directories: readonly string[];
  /** The search path that the trial will have. */
  readonly path: string | undefined;
}

const SHELL = /(?:^|\/)(?:sh|bash|dash|ksh|zsh)$/;
/** Words of a shell's text. The first group is there where a command begins, after settings of variables. */
const SHELL_WORD = /([|&;(`\n][ \t]*(?:[A-Za-z_][A-Za-z0-9_]*=[^ \t\n]*[ \t]+)*)?([A-Za-z0-9_@%+=,./:~-]+)/g;
const SHEBANG_BYTES = 256;

/**
 * Absolute paths that the words name: every argument, and every value of `--option=value`, that could be a file (the
 * caller sees whether it is one); for `sh -c TEXT` the words of the text, and the programs that it starts; and the
 * interpreters of scripts.
 * @param command the expanded words, the first one an absolute path
 */
export async function namedFiles(command: readonly string[], surroundings: Surroundings): Promise<readonly string[]> {
  const [program = '', ...args] = command;
  const found = new Set<string>([program]);
  const add = (word: string) => {
    if (word === '' || word.includes('\0')) return;
    if (isAbsolute(word)) found.add(word);
    else for (const directory of surroundings.directories) found.add(resolve(directory, word));
  };
  for (const word of args) {
    add(word);
    const equals = word.indexOf('=');
    if (equals > 0) add(word.slice(equals + 1));
  }
  if (SHELL.test(program) && args[0] === '-c') {
    for (const [, start, word = ''] of `;${args[1] ?? ''}`.matchAll(SHELL_WORD)) {
      if (word.includes('/')) add(word);
      else if (start !== undefined) found.add((await findExecutable(word, surroundings.path)) ?? '');
      else add(word);
    }
  }
  found.delete('');
  for (const path of [...found]) {
    for (const interpreter of await interpretersOf(path, surroundings)) found.add(interpreter);
  }
  return [...found];
}

/** What the first line of an executable script starts: the interpreter, and with `env` what that looks up. */
async function interpretersOf(path: string, { path: search }: Surroundings): Promise<readonly string[]> {
  if (!(await isExecutable(path))) return [];
  const words = (await firstLine(path)).split(/[ \t]+/).filter((word) => word !== '');
  const interpreter = words[0];
  if (interpreter === undefined || !isAbsolute(interpreter)) return [];
  if (!interpreter.endsWith('/env')) return [interpreter];
  const program = words.slice(1).find((word) => !word.startsWith('-') && !word.includes('='));
  const looked = program === undefined ? null : await findExecutable(program, search);
  return looked === null ? [interpreter] : [interpreter, looked];
}

/** What stands after `#!`; empty for a file that is no script. */
async function firstLine(path: string): Promise<string> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, 'r');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SHEBANG_BYTES), 0, SHEBANG_BYTES, 0);
    const text = buffer.subarray(0, bytesRead).toString('latin1');
    return text.startsWith('#!') ? (text.slice(2).split('\n')[0] ?? '') : '';
  } catch {
    // Executable but not readable: then its digest fails, with a reason.
    return '';
  } finally {
    await handle?.close();
  }
}
