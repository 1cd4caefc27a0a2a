/** Names of metrics that come from names of strangers. */

const MOST_CHARACTERS = 100;

/** Lower-case letters, digits and `_` of what a tool calls it; null where nothing is left. */
export function metricNameOf(printed: string): string | null {
  const name = printed
    .slice(0, MOST_CHARACTERS)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return name === '' ? null : name;
}
