/** Short numbers and names inside of reasons and warnings. Tables and effects are the business of the reports. */
import type { Design } from '../experiment/experiment.ts';

/** What two trials are together, one of each arm. */
export type PairNoun = 'pair' | 'session';

export function pairNoun({ slices }: Pick<Design, 'slices'>): PairNoun {
  return slices === null ? 'pair' : 'session';
}

/** At most three significant digits, no needless zeros. */
export function short(value: number): string {
  const text = value.toPrecision(3);
  const rounded = Number(text);
  // The largest of all are rounded to more than a double holds.
  return Number.isFinite(rounded) ? String(rounded) : text;
}

/** A fraction in per cent: `3.1 %`. */
export function percent(fraction: number): string {
  return `${short(fraction * 100)} %`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.2 ms`, `4 KiB`, `3 ops/s`. */
export function quantity(value: number, unit: string): string {
  const size = Math.abs(value);
  if (unit === 'ns') {
    if (size >= 120e9) return `${short(value / 60e9)} min`;
    if (size >= 1e9) return `${short(value / 1e9)} s`;
    if (size >= 1e6) return `${short(value / 1e6)} ms`;
    return size >= 1e3 ? `${short(value / 1e3)} µs` : `${short(value)} ns`;
  }
  if (unit === 'bytes') {
    if (size >= 2 ** 20) return `${short(value / 2 ** 20)} MiB`;
    return size >= 2 ** 10 ? `${short(value / 2 ** 10)} KiB` : `${short(value)} B`;
  }
  return `${short(value)} ${unit}`.trim();
}

/** The first few of a list, and how many more there are. */
export function listed(items: readonly string[], most: number): string {
  const rest = items.length - most;
  return rest > 0 ? `${items.slice(0, most).join(', ')} and ${rest} more` : items.join(', ');
}

/** What a stranger's program said, cut to a length that fits into a sentence. */
export function shortened(text: string): string {
  const cut = [...text.slice(0, 200)].slice(0, 80).join('');
  return `${cut}${cut.length < text.length ? '…' : ''}`;
}

/** `2024-01-02 03:04 UTC`. */
export function moment(unix_ms: number): string {
  const date = new Date(unix_ms);
  return Number.isNaN(date.getTime())
    ? 'at an unknown time'
    : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
