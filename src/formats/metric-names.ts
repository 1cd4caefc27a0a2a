/** Names of metrics of one result, none of them twice. */
import { metricNameOf } from './metric-name.ts';

/** With a number after it, a name has 64 characters at most. */
const MOST_CHARACTERS = 56;

export class MetricNames {
  readonly #taken: Set<string>;
  /** Of each name, the last number that was given: none is tried again. */
  readonly #numbers = new Map<string, number>();

  /** `own`: names that the reader gives itself. */
  constructor(own: Iterable<string> = []) {
    this.#taken = new Set(own);
  }

  /** The name of what a tool calls so; with a number after it where others have that name already. */
  of(printed: string): string {
    const base = metricNameOf(printed)?.slice(0, MOST_CHARACTERS) ?? 'unnamed';
    let name = base;
    let number = this.#numbers.get(base) ?? 1;
    while (this.#taken.has(name)) {
      number += 1;
      name = `${base}_${number}`;
    }
    this.#numbers.set(base, number);
    this.#taken.add(name);
    return name;
  }
}
