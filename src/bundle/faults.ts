/** Faults of one kind, of which a stranger may have made any number: the first few in words, the others as a count. */
const MOST_TOLD = 5;

export interface Faults {
  add(fault: string): void;
  readonly count: number;
  /** One sentence part, empty where there are none. */
  text(): string;
}

export function collectFaults(): Faults {
  const told: string[] = [];
  let count = 0;
  return {
    add(fault) {
      count += 1;
      if (told.length < MOST_TOLD) told.push(fault);
    },
    get count() {
      return count;
    },
    text: () => `${told.join('; ')}${count > told.length ? `; and ${count - told.length} more` : ''}`,
  };
}
