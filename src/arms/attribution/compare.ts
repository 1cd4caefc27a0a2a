/** Which functions of two programs have the same instructions. */
import type { FunctionCode } from './table.ts';

export interface FunctionPair {
  readonly name: string;
  /** Null: only the other side has it. */
  readonly reference: FunctionCode | null;
  readonly arm: FunctionCode | null;
}

export interface FunctionDifferences {
  readonly same: readonly FunctionPair[];
  /** On both sides, with other instructions. */
  readonly differ: readonly FunctionPair[];
  readonly only_in_arm: readonly FunctionPair[];
  readonly only_in_reference: readonly FunctionPair[];
}

/**
 * Pairs functions of the same name. Of several with one name (of different source files) those with the same
 * instructions are paired first and the rest in the order of their addresses, so that the order of files does not count.
 */
export function compareFunctions(
  reference: readonly FunctionCode[],
  arm: readonly FunctionCode[],
): FunctionDifferences {
  const ofReference = byName(reference);
  const ofArm = byName(arm);
  const same: FunctionPair[] = [];
  const differ: FunctionPair[] = [];
  const only_in_arm: FunctionPair[] = [];
  const only_in_reference: FunctionPair[] = [];
  for (const name of new Set([...ofReference.keys(), ...ofArm.keys()])) {
    const [left, right, alike] = withoutAlike(ofReference.get(name) ?? [], ofArm.get(name) ?? []);
    for (const [one, other] of alike) same.push({ name, reference: one, arm: other });
    for (let at = 0; at < Math.max(left.length, right.length); at++) {
      const pair = { name, reference: left[at] ?? null, arm: right[at] ?? null };
      if (pair.reference === null) only_in_arm.push(pair);
      else if (pair.arm === null) only_in_reference.push(pair);
      else differ.push(pair);
    }
  }
  return { same, differ, only_in_arm, only_in_reference };
}

/** The larger the difference of the sizes the earlier, then by name. */
export function bySizeDifference(pairs: readonly FunctionPair[]): readonly FunctionPair[] {
  const size = ({ reference, arm }: FunctionPair) => Math.abs((reference?.bytes ?? 0) - (arm?.bytes ?? 0));
  return pairs.toSorted((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function byName(functions: readonly FunctionCode[]): ReadonlyMap<string, FunctionCode[]> {
  const found = new Map<string, FunctionCode[]>();
  for (const one of functions) {
    const others = found.get(one.name);
    if (others === undefined) found.set(one.name, [one]);
    else others.push(one);
  }
  return found;
}

/** What is left of both sides, and the pairs with the same instructions. */
function withoutAlike(
  reference: readonly FunctionCode[],
  arm: readonly FunctionCode[],
): readonly [readonly FunctionCode[], readonly FunctionCode[], readonly (readonly [FunctionCode, FunctionCode])[]] {
  const waiting = new Map<string, FunctionCode[]>();
  // Turned round, so that the first is taken from the end.
  for (const one of reference.toReversed()) {
    const others = waiting.get(one.digest);
    if (others === undefined) waiting.set(one.digest, [one]);
    else others.push(one);
  }
  const alike: (readonly [FunctionCode, FunctionCode])[] = [];
  const right = arm.filter((one) => {
    const twin = waiting.get(one.digest)?.pop();
    if (twin === undefined) return true;
    alike.push([twin, one]);
    return false;
  });
  const paired = new Set(alike.map(([one]) => one));
  return [reference.filter((one) => !paired.has(one)), right, alike];
}
