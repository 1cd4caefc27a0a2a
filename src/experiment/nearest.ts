/** The valid name that a wrong one was probably meant to be. */

/** Longer words are no typing mistakes, and the distance costs their product. */
const LONGEST_WORD = 64;

/**
 * The number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other, no part
 * being edited twice (optimal string alignment; Damerau 1964).
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

/** The name closest to `word`, in any case of letters, or null where none is close enough to be what was meant. */
export function nearest(word: string, names: Iterable<string>): string | null {
  if (word.length > LONGEST_WORD) return null;
  const folded = fold(word);
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const name of names) {
    if (name.length > LONGEST_WORD) continue;
    const distance = editDistance(folded, fold(name));
    const allowed = Math.max(1, Math.floor(Math.max(word.length, name.length) / 3));
    const different = distance < Math.max(word.length, name.length);
    if (different && distance <= allowed && distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean …?` where a name is near, else the names that there are. */
export function suggestion(word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  if (near !== null) return `did you mean \`${near}\`?`;
  return names.length === 0 ? 'there are none' : `known here: ${listed(names)}`;
}

const MOST_NAMES = 20;

/** Names for a sentence: `a`, `b` and `c`, cut where there are very many. */
export function listed(names: readonly string[], word = 'and'): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => `\`${name}\``);
  if (names.length > MOST_NAMES) return `${shown.join(', ')} ${word} ${names.length - MOST_NAMES} more`;
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} ${word} ${last}`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll('-', '_');
}
