/** What `JSON.parse` does not tell: where a JSON text ends, and keys that an object has twice. */

/** Members whose values are texts, of one object. */
export interface TextMembers {
  /** Keys and indices that lead to the object. */
  readonly path: readonly (string | number)[];
  /** In their order; a key may be there several times. */
  readonly members: readonly (readonly [key: string, value: string])[];
}

interface Frame {
  readonly closes: string;
  /** Of the value that comes next: its key, or its index. */
  at: string | number;
  /** Null where nobody asks for them. */
  readonly members: [string, string][] | null;
}

/** Deeper objects are not looked at: a path is made for each. */
const DEEPEST = 16;

/**
 * The object or list that begins at `start`: the index after it, and the objects in it that have texts, where `wanted` holds of
 * their path. Null where the text ends first, or brackets do not match. Linear; it is no check of all else that makes JSON.
 */
export function scanJson(
  text: string,
  start: number,
  wanted: (path: readonly (string | number)[]) => boolean,
): { readonly end: number; readonly objects: readonly TextMembers[] } | null {
  const frames: Frame[] = [];
  const objects: TextMembers[] = [];
  /** In an object: a string was read that is a key if a colon follows. */
  let last: string | null = null;
  let afterColon = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    const frame = frames.at(-1);
    if (character === '"') {
      const end = stringEnd(text, at);
      if (end === null) return null;
      last = text.slice(at, end);
      at = end - 1;
      if (afterColon) frame?.members?.push([String(frame.at), unquote(last)]);
    } else if (character === ':') {
      if (frame?.closes === '}' && last !== null) frame.at = unquote(last);
      afterColon = true;
      last = null;
      continue;
    } else if (character === '{' || character === '[') {
      const path = frames.length <= DEEPEST ? frames.map((outer) => outer.at) : null;
      const members: [string, string][] | null = character === '{' && path !== null && wanted(path) ? [] : null;
      if (path !== null && members !== null) objects.push({ path, members });
      frames.push({ closes: character === '{' ? '}' : ']', at: character === '{' ? '' : 0, members });
    } else if (character === ',') {
      if (typeof frame?.at === 'number') frame.at += 1;
    } else if (character === '}' || character === ']') {
      if (frame?.closes !== character) return null;
      frames.pop();
      if (frames.length === 0) return { end: at + 1, objects };
    } else continue;
    afterColon = false;
  }
  return null;
}

/** The index after the string that begins at `start`. */
function stringEnd(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return null;
}

function unquote(written: string): string {
  if (!written.includes('\\')) return written.slice(1, -1);
  try {
    return String(JSON.parse(written));
  } catch {
    return written.slice(1, -1);
  }
}
