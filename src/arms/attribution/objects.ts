/** Which object files of two static libraries have the same machine code. */
import type { ObjectComparison } from '../../journal/records.ts';
import type { Inventory, ObjectFile } from '../binary/inventory.ts';
import { compareFunctions } from './compare.ts';

/** A static library of an arm. */
export interface Library {
  readonly arm: string;
  /** As records show it. */
  readonly shown: string;
  readonly objects: Inventory['objects'];
}

const MOST_LISTED = 200;
const LONGEST_NAME = 500;

/** Object files of one name belong together, as functions do; where no machine code is understood, bytes are compared. */
export function compareObjects(reference: Library, arm: Library): ObjectComparison {
  const { same, differ, only_in_arm, only_in_reference } = compareFunctions(
    reference.objects.map(asCode),
    arm.objects.map(asCode),
  );
  const listed = (pairs: readonly { readonly name: string }[], where: 'both' | 'arm' | 'reference') =>
    pairs.map(({ name }) => ({
      name: name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name,
      where,
    }));
  const unequal = [
    ...listed(differ, 'both'),
    ...listed(only_in_arm, 'arm'),
    ...listed(only_in_reference, 'reference'),
  ].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const asBytes = [...same, ...differ].filter((pair) =>
    [pair.reference, pair.arm].some((one) => one?.digest.startsWith(BYTES)),
  );
  return {
    ...{ arm: arm.arm, reference: reference.arm, arm_path: arm.shown, reference_path: reference.shown },
    ...{ same: same.length, differ: differ.length },
    ...{ only_in_arm: only_in_arm.length, only_in_reference: only_in_reference.length },
    unequal: unequal.slice(0, MOST_LISTED),
    rest: Math.max(0, unequal.length - MOST_LISTED),
    as_bytes: asBytes.length,
  };
}

const BYTES = 'bytes ';

function asCode({ name, bytes, sha256, code_sha256 }: ObjectFile, start: number) {
  return { name, start, bytes, digest: code_sha256 ?? `${BYTES}${sha256}` };
}
