/** The few ANSI colours of the terminal report. Text is escaped before it is coloured. */
import type { Verdict } from '../analysis/analysis.ts';

const CODES = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;
export type Color = keyof typeof CODES;
export type Paint = (color: Color | null, text: string) => string;

/** A function that colours, or one that leaves text as it is. */
export function painter(enabled: boolean): Paint {
  return (color, text) => (enabled && color !== null ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text);
}

const VERDICTS: Readonly<Record<Verdict['kind'], Color | null>> = {
  slower: 'red',
  invalid: 'red',
  faster: 'green',
  inconclusive: 'yellow',
  equivalent: null,
  none: null,
};

export function verdictColor(verdict: Verdict): Color | null {
  return VERDICTS[verdict.kind];
}
