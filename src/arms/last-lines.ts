/** The end of what a tool printed, for a person who reads why it failed. */

const MOST_LINES = 12;

/** Strangers' text for a terminal: no escape sequences, no control characters, no blank lines, a few lines. */
export function lastLines(output: string, isNoise: (line: string) => boolean = () => false): string {
  return output
    .split(/\r?\n/)
    .map((line) => line.replace(ESCAPE_SEQUENCES, '').replace(CONTROL_CHARACTERS, '').trimEnd())
    .filter((line) => line !== '' && !isNoise(line))
    .slice(-MOST_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join('\n');
}

const LONGEST_LINE = 500;
const ESCAPE = String.fromCharCode(0x1b);
const ESCAPE_SEQUENCES = new RegExp(`${ESCAPE}\\[[0-9;?]{0,32}[A-Za-z]`, 'g');
const CONTROL_CHARACTERS = /\p{Cc}|\p{Cf}/gu;
