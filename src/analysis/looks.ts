/** When a sequential run is looked at: after equal counts of both orders, so that an order effect is in no look. */
import type { Attempt, Attempts } from '../plan/attempts.ts';

/** The attempts up to the last look; all but the first few where the orders are never equal again. */
export function lastLook(attempts: Attempts): Attempts {
  const first = firstArm(attempts.at(0));
  const looks = looksAt(Array.from(attempts, (attempt) => firstArm(attempt) === first));
  return attempts.first(looks.at(-1) ?? 0);
}

/** How many pairs each look has, from 2; `inFirst` says for each pair whether it ran in the order of the first one. */
export function looksAt(inFirst: readonly boolean[]): readonly number[] {
  let balance = 0;
  return inFirst.flatMap((first, index) => {
    balance += first ? 1 : -1;
    return balance === 0 ? [index + 1] : [];
  });
}

function firstArm(attempt: Attempt | undefined): string | undefined {
  return attempt?.trials[0]?.arm;
}
