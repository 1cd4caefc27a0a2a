/** The end of what a failed trial printed: mostly it says why. */

const MOST_LINES = 3;
const MOST_CHARACTERS = 300;

/** The last lines of stderr, else of stdout, in one; null where both are blank. */
export function lastWords(stdout: string, stderr: string): string | null {
  const printed = [stderr, stdout].map((text) => text.slice(-4 * MOST_CHARACTERS).trim()).find((text) => text !== '');
  if (printed === undefined) return null;
  const lines = printed.split(/\r?\n/).slice(-MOST_LINES).join(' / ');
  return lines.length > MOST_CHARACTERS ? `…${lines.slice(-MOST_CHARACTERS)}` : lines;
}
