/** From what a user names to the sides of an import: files with names before them, or the results of one file. */
import { ARM_NAME_PATTERN } from '../experiment/schema-leaves.ts';
import type { ToolResult } from '../formats/reading.ts';
import { quoteStart } from '../trial/quote.ts';
import type { ImportSide } from './request.ts';

/** Files as they were named, each side with its own. */
export interface NamedSide {
  readonly arm: string;
  readonly files: readonly string[];
}

export type Named<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string; readonly remedy: string };

const SAY_SIDES = 'Say which side each file is: --arm before=old.json --arm after=new.json.';

/** Words of --arm: NAME=FILE begins a side or goes on with it; a word without a name belongs to the side before it. */
export function sidesOfWords(words: readonly string[]): Named<readonly NamedSide[]> {
  const sides = new Map<string, string[]>();
  let current: string[] | null = null;
  for (const word of words) {
    const at = word.indexOf('=');
    const name = at < 0 ? null : word.slice(0, at);
    if (name !== null && ARM_NAME_PATTERN.test(name)) {
      current = sides.get(name) ?? [];
      sides.set(name, current);
      // So that a shell can expand what follows: --arm before= runs/before-*.json
      if (at + 1 < word.length) current.push(word.slice(at + 1));
    } else if (current === null) {
      return { ok: false, message: `${quoteStart(word)} has no name of a side before it`, remedy: SAY_SIDES };
    } else {
      current.push(word);
    }
  }
  const empty = [...sides].find(([, files]) => files.length === 0);
  if (empty !== undefined) return { ok: false, message: `${empty[0]} has no file`, remedy: SAY_SIDES };
  return { ok: true, value: [...sides].map(([arm, files]) => ({ arm, files })) };
}

/** Names for the results of one file, in the order in which it first has them: those of --sides, else their own. */
export function sidesOfResults(
  results: readonly ToolResult[],
  names: readonly string[] | null,
): Named<readonly ImportSide[]> {
  const found = [...new Set(results.map(({ name }) => name))];
  const list = found.slice(0, 5).map((name) => quoteStart(name));
  const told = `${list.join(', ')}${found.length > list.length ? ` and ${found.length - list.length} more` : ''}`;
  if (found.length < 2) {
    return {
      ok: false,
      message: `the file has ${found.length === 0 ? 'no results' : `one result, ${told}`}`,
      remedy: SAY_SIDES,
    };
  }
  if (names !== null && names.length !== found.length) {
    const message = `--sides names ${names.length}, and the file has ${found.length} results: ${told}`;
    return { ok: false, message, remedy: `Name one for each result, in their order. ${SAY_SIDES}` };
  }
  const arms = names ?? found;
  if (!arms.every((arm) => ARM_NAME_PATTERN.test(arm))) {
    const message = `the file has ${found.length} results, whose names are none of sides: ${told}`;
    return { ok: false, message, remedy: 'Name the sides in their order: --sides old,new.' };
  }
  return { ok: true, value: arms.map((arm, at) => ({ arm, files: [0], result: found[at] ?? null })) };
}

/** A name for a copy of a file: letters, digits, `.`, `_` and `-`, whatever it was called. */
export function copyName(name: string, number: number): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '_').slice(-80);
  return `raw/results/${number}-${plain}`;
}
