/** What became of every attempt at a block, packed in columns: a run may have a million of them. */
import type { TrialRecord } from '../journal/records.ts';
import type { PlannedTrial } from './plan.ts';

/** `open`: trials are missing still. */
export type AttemptOutcome = 'open' | 'complete' | 'rejected' | 'failed' | 'interrupted';

/** One attempt at one block. */
export interface Attempt {
  readonly phase: PlannedTrial['phase'];
  readonly block: number;
  readonly attempt: number;
  /** At least one. */
  readonly trials: readonly TrialRecord[];
  readonly outcome: AttemptOutcome;
}

interface Columns {
  /** Of all attempts, one after the other. */
  readonly trials: TrialRecord[];
  /** Where, of all trials, those of an attempt begin. */
  readonly starts: number[];
  readonly outcomes: AttemptOutcome[];
}

/** Attempts in the order in which they ran. One of them is made when somebody looks at it, and shows what is in the columns then. */
export class Attempts implements Iterable<Attempt> {
  readonly #columns: Columns;
  /** Which of those in the columns; null: all. */
  readonly #places: Int32Array | null;

  constructor(columns: Columns, places: Int32Array | null = null) {
    this.#columns = columns;
    this.#places = places;
  }

  get length(): number {
    return this.#places?.length ?? this.#columns.starts.length;
  }

  /** Counted from the end where it is negative, as in a list. */
  at(index: number): Attempt | undefined {
    const place = index < 0 ? index + this.length : index;
    return place >= 0 && place < this.length ? this.#attempt(place) : undefined;
  }

  *[Symbol.iterator](): Iterator<Attempt> {
    for (let index = 0; index < this.length; index++) yield this.#attempt(index);
  }

  filter(wanted: (attempt: Attempt) => boolean): Attempts {
    const places = new Int32Array(this.length);
    let count = 0;
    for (let index = 0; index < this.length; index++) {
      if (wanted(this.#attempt(index))) places[count++] = this.#place(index);
    }
    return new Attempts(this.#columns, places.slice(0, count));
  }

  /** Those before an index. */
  first(count: number): Attempts {
    const places = this.#places ?? Int32Array.from(this.#columns.starts.keys());
    return new Attempts(this.#columns, places.subarray(0, count));
  }

  /** Of all these attempts, in their order. */
  trials(): readonly TrialRecord[] {
    const trials: TrialRecord[] = [];
    for (const attempt of this) for (const trial of attempt.trials) trials.push(trial);
    return trials;
  }

  #attempt(index: number): Attempt {
    return new PackedAttempt(this.#columns, this.#place(index));
  }

  #place(index: number): number {
    return this.#places === null ? index : (this.#places[index] ?? 0);
  }
}

class PackedAttempt implements Attempt {
  readonly #columns: Columns;
  readonly #place: number;

  constructor(columns: Columns, place: number) {
    this.#columns = columns;
    this.#place = place;
  }

  get phase(): Attempt['phase'] {
    return this.#first?.phase ?? '';
  }
  get block(): number {
    return this.#first?.block ?? 0;
  }
  get attempt(): number {
    return this.#first?.attempt ?? 0;
  }
  get outcome(): AttemptOutcome {
    return this.#columns.outcomes[this.#place] ?? 'open';
  }
  get trials(): readonly TrialRecord[] {
    const { trials, starts } = this.#columns;
    return trials.slice(starts[this.#place], starts[this.#place + 1] ?? trials.length);
  }

  /** All trials of an attempt are of one phase, block and attempt. */
  get #first(): TrialRecord | undefined {
    return this.#columns.trials[this.#columns.starts[this.#place] ?? 0];
  }
}

/** Attempts while they are made: what is added is of the last one. */
export interface AttemptLog {
  readonly attempts: Attempts;
  /** The next trial is the first of an attempt. */
  begin(): void;
  add(trial: TrialRecord): void;
  /** Of the last attempt. */
  settle(outcome: AttemptOutcome): void;
}

export function attemptLog(): AttemptLog {
  const trials: TrialRecord[] = [];
  const starts: number[] = [];
  const outcomes: AttemptOutcome[] = [];
  return {
    attempts: new Attempts({ trials, starts, outcomes }),
    begin() {
      starts.push(trials.length);
      outcomes.push('open');
    },
    add(trial) {
      trials.push(trial);
    },
    settle(outcome) {
      outcomes[outcomes.length - 1] = outcome;
    },
  };
}
