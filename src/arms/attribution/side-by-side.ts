/** Two disassemblies of a function beside each other. */

export interface Instruction {
  readonly offset: number;
  readonly text: string;
}

/** What one line of the comparison shows; null where one side has no instruction there. */
export interface AlignedLine {
  readonly reference: Instruction | null;
  readonly arm: Instruction | null;
  /** `distance`: a jump within the function to the same kind of place, further or nearer. */
  readonly mark: 'same' | 'distance' | 'changed' | 'reference' | 'arm';
}

/** Cells of the table of common subsequences (4 bytes each); larger functions are paired line by line. */
const MOST_CELLS = 4_000_000;
/** Jumps within a function; where they lead moves with every instruction in between. */
const DISTANCE = /(^|\s)\+0x[0-9a-f]{1,16}$/;

/**
 * Aligns two lists of instructions by a longest common subsequence. Of what differs in the same place, lines are put
 * side by side. Where the parts that differ are too long for that (more than 4 million pairs of lines), lines are
 * paired in their order.
 */
export function align(reference: readonly Instruction[], arm: readonly Instruction[]): readonly AlignedLine[] {
  const left = reference.map(({ text }) => text.replace(DISTANCE, '$1+'));
  const right = arm.map(({ text }) => text.replace(DISTANCE, '$1+'));
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  const most = Math.min(left.length, right.length) - head;
  while (tail < most && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const middleLeft = left.slice(head, left.length - tail);
  const middleRight = right.slice(head, right.length - tail);
  const matches: (readonly [number, number])[] = [];
  for (let at = 0; at < head; at++) matches.push([at, at]);
  for (const [a, b] of commonSubsequence(middleLeft, middleRight)) matches.push([a + head, b + head]);
  for (let at = tail; at > 0; at--) matches.push([left.length - at, right.length - at]);

  const lines: AlignedLine[] = [];
  let a = 0;
  let b = 0;
  for (const [nextA, nextB] of [...matches, [left.length, right.length] as const]) {
    for (; a < nextA && b < nextB; a++, b++) lines.push(lineOf(reference[a], arm[b], 'changed'));
    for (; a < nextA; a++) lines.push(lineOf(reference[a], undefined, 'reference'));
    for (; b < nextB; b++) lines.push(lineOf(undefined, arm[b], 'arm'));
    if (a === left.length && b === right.length) break;
    lines.push(lineOf(reference[a], arm[b], reference[a]?.text === arm[b]?.text ? 'same' : 'distance'));
    a += 1;
    b += 1;
  }
  return lines;
}

function lineOf(
  reference: Instruction | undefined,
  arm: Instruction | undefined,
  mark: AlignedLine['mark'],
): AlignedLine {
  return { reference: reference ?? null, arm: arm ?? null, mark };
}

/** Indices of a longest common subsequence; none where the table would be too large. */
function commonSubsequence(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const width = right.length + 1;
  if (left.length === 0 || right.length === 0 || (left.length + 1) * width > MOST_CELLS) return [];
  // Lengths of the common subsequences of what follows.
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (a: number, b: number) => lengths[a * width + b] ?? 0;
  for (let a = left.length - 1; a >= 0; a--) {
    for (let b = right.length - 1; b >= 0; b--) {
      lengths[a * width + b] = left[a] === right[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
    }
  }
  const found: (readonly [number, number])[] = [];
  for (let a = 0, b = 0; a < left.length && b < right.length; ) {
    if (left[a] === right[b]) found.push([a++, b++]);
    else if (at(a + 1, b) >= at(a, b + 1)) a += 1;
    else b += 1;
  }
  return found;
}

const MARKS: Readonly<Record<AlignedLine['mark'], string>> = {
  same: ' ',
  distance: '~',
  changed: '|',
  reference: '<',
  arm: '>',
};
const WIDEST_COLUMN = 72;

/**
 * Lines of text in two columns with a mark between them, as `diff -y` has it. A longer line of the left column stands on
 * a line of its own above the right one, uncut.
 */
export function* layOut(lines: readonly AlignedLine[], show: (instruction: Instruction) => string): Generator<string> {
  const texts = lines.map(({ reference, arm, mark }) => ({
    left: reference === null ? '' : show(reference),
    right: arm === null ? '' : show(arm),
    mark: MARKS[mark],
  }));
  const widest = texts.reduce((most, { left }) => Math.max(most, left.length), 0);
  const width = Math.min(WIDEST_COLUMN, widest);
  for (const { left, right, mark } of texts) {
    if (left.length <= width) {
      yield `${left.padEnd(width)} ${mark} ${right}`.trimEnd();
      continue;
    }
    yield left;
    yield `${' '.repeat(width)} ${mark} ${right}`.trimEnd();
  }
}
