/** The names that `--format` takes. Apart from formats.ts, so that the command line need not load every format. */
export const FORMAT_NAMES = ['text', 'markdown', 'html', 'csv', 'pairs-csv', 'json'] as const;

export type Format = (typeof FORMAT_NAMES)[number];

export function isFormat(name: string): name is Format {
  return FORMAT_NAMES.some((known) => known === name);
}
