/** Which functions of a program are the region in which instructions are counted. */
import { openElf, visitPlaces } from '../arms/binary/elf.ts';
import { withFile } from '../arms/binary/facts.ts';
import { AssayError } from '../failures.ts';

const MOST_NAMED = 3;

/**
 * What callgrind is told to switch counting at. It switches at each entry and exit of a function that matches, so that
 * a second one that the first calls would be left out: a pattern stands for the one function of the program that it
 * matches. Where the program has no symbols, or none that matches, it is taken as it stands.
 * @param program absolute path
 * @throws AssayError `arm` where the pattern matches several functions
 */
export function regionOf(arm: string, program: string, region: string): string {
  if (!/[*?]/.test(region)) return region;
  const matching = functionsLike(program, region);
  // Parts that a compiler splits off have the name of the whole, and a dot.
  const whole = matching.filter((name) => !matching.includes(name.slice(0, Math.max(0, name.indexOf('.')))));
  const [first = region, ...others] = whole;
  if (others.length === 0) return first;
  const named = whole.slice(0, MOST_NAMED).join(', ');
  throw new AssayError({
    kind: 'arm',
    arm,
    message: `the region ${region} matches ${whole.length} functions of ${program}: ${named}${whole.length > MOST_NAMED ? ' …' : ''}`,
    detail: '',
    remedy:
      'Where one of them calls another, what that does would not be counted: name one function in `counting: region`.',
  });
}

function functionsLike(program: string, pattern: string): readonly string[] {
  const names = new Set<string>();
  withFile(program, (source) => {
    const elf = openElf(source);
    if (elf === null) return;
    visitPlaces(elf, (name, { kind }) => {
      if (kind === 'code' && isLike(name, pattern)) names.add(name);
    });
  });
  return [...names].sort();
}

/** `*` stands for any characters, `?` for one. In time proportional to the product of the lengths at most. */
export function isLike(text: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (from < pattern.length && (pattern[from] === '?' || (pattern[from] !== '*' && pattern[from] === text[at]))) {
      at += 1;
      from += 1;
    } else if (pattern[from] === '*') {
      star = from;
      resume = at;
      from += 1;
    } else if (star >= 0) {
      from = star + 1;
      resume += 1;
      at = resume;
    } else return false;
  }
  return [...pattern.slice(from)].every((character) => character === '*');
}
