import type { Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { listed } from './nearest.ts';

/** A map at the path must have exactly one of these keys. */
export function* exactlyOne(
  { document, hasUnknownKey }: Reading,
  path: Path,
  names: readonly string[],
): Generator<Fault> {
  const found = names.filter((name) => document.has([...path, name]));
  if (found.length > 1) {
    yield { path: [...path, found[1] ?? ''], at: 'key', message: `only one of ${listed(found)} can be here` };
  }
  // A key that is not known was probably meant to be one of them, and that has been said.
  if (found.length === 0 && !hasUnknownKey(path)) {
    yield { path, at: 'value', message: `expected one of ${listed(names, 'or')}` };
  }
}
