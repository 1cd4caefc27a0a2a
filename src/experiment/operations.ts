/** What a value is divided by: the operations that a trial did. */

/** A number, or a JSON pointer to where the result line has it. */
export type Operations = number | { readonly pointer: string };

/** Where a driver declares the operations of its trial. */
export const DECLARED_OPERATIONS = '/operations';

/** What such a number is, for sentences. */
export const OPERATION_COUNT = 'a whole number from 1 to 2^53';

export function isOperationCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 1;
}

/** From how it is written; null where nothing is divided. */
export function operationsOf(per: number | string | undefined): Operations | null {
  return per === undefined ? null : typeof per === 'number' ? per : { pointer: per };
}
