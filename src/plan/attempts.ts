/** What became of every attempt at a block, packed in columns: a run may have a million of them. */
import type { TrialRecord } from '../journal/records.ts';
import type { PlannedTrial } from './plan.ts';

const OUTCOMES = ['open', 'complete', 'rejected', 'failed', 'interrupted'] as const;
/** `open`: trials are missing still. */
export type AttemptOutcome = (typeof OUTCOMES)[number];

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
  /** How many attempts there are; the columns that follow have room for more. */
  length: number;
  /** Where, of all trials, those of an attempt begin. */
  starts: Int32Array;
  /** Places in OUTCOMES. */
  outcomes: Uint8Array;
  /** Of each attempt: what looks for one phase need look at no trial. */
  readonly phases: PlannedTrial['phase'][];
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
    return this.#places?.length ?? this.#columns.length;
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
    const places = this.#places ?? new Int32Array(this.length).map((_, index) => index);
    return new Attempts(this.#columns, places.subarray(0, count));
  }

  /** Of all these attempts, in their order. */
  trials(): readonly TrialRecord[] {
    let count = 0;
    for (let index = 0; index < this.length; index++) count += sizeOf(this.#columns, this.#place(index));
    const trials = new Array<TrialRecord>(count);
    let filled = 0;
    for (const attempt of this) for (const trial of attempt.trials) trials[filled++] = trial;
    return trials;
  }

  #attempt(index: number): Attempt {
    return new PackedAttempt(this.#columns, this.#place(index));
  }

  #place(index: number): number {
    return this.#places === null ? index : (this.#places[index] ?? 0);
  }
}

function startOf({ starts, length, trials }: Columns, place: number): number {
  return place < length ? (starts[place] ?? 0) : trials.length;
}

function sizeOf(columns: Columns, place: number): number {
  return startOf(columns, place + 1) - startOf(columns, place);
}

class PackedAttempt implements Attempt {
  readonly #columns: Columns;
  readonly #place: number;

  constructor(columns: Columns, place: number) {
    this.#columns = columns;
    this.#place = place;
  }

  get phase(): Attempt['phase'] {
    return this.#columns.phases[this.#place] ?? '';
  }
  get block(): number {
    return this.#first?.block ?? 0;
  }
  get attempt(): number {
    return this.#first?.attempt ?? 0;
  }
  get outcome(): AttemptOutcome {
    return OUTCOMES[this.#columns.outcomes[this.#place] ?? 0] ?? 'open';
  }
  get trials(): readonly TrialRecord[] {
    const [start, end] = [startOf(this.#columns, this.#place), startOf(this.#columns, this.#place + 1)];
    return this.#columns.trials.slice(start, end);
  }

  /** All trials of an attempt are of one phase, block and attempt. */
  get #first(): TrialRecord | undefined {
    return this.#columns.trials[startOf(this.#columns, this.#place)];
  }
}

/** Attempts while they are made: what is added is of the last one. */
export interface AttemptLog {
  readonly attempts: Attempts;
  /** The next trial is the first of an attempt of this phase. */
  begin(phase: PlannedTrial['phase']): void;
  add(trial: TrialRecord): void;
  /** Of the last attempt. */
  settle(outcome: AttemptOutcome): void;
}

const FIRST_CAPACITY = 16;

export function attemptLog(): AttemptLog {
  const columns: Columns = {
    trials: [],
    length: 0,
    starts: new Int32Array(FIRST_CAPACITY),
    outcomes: new Uint8Array(FIRST_CAPACITY),
    phases: [],
  };

  function grow(): void {
    const { starts, outcomes, length } = columns;
    columns.starts = new Int32Array(2 * length);
    columns.starts.set(starts);
    columns.outcomes = new Uint8Array(2 * length);
    columns.outcomes.set(outcomes);
  }

  return {
    attempts: new Attempts(columns),
    begin(phase) {
      if (columns.length === columns.starts.length) grow();
      columns.phases.push(phase);
      columns.starts[columns.length] = columns.trials.length;
      columns.length += 1;
    },
    add(trial) {
      columns.trials.push(trial);
    },
    settle(outcome) {
      columns.outcomes[columns.length - 1] = OUTCOMES.indexOf(outcome);
    },
  };
}
