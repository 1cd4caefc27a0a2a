import { expect, test } from 'vitest';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { analyse } from '../analysis/analyse.ts';
import { claimsOf } from './claims.ts';
import { PLAIN } from './plain-text.ts';

function claims(wording: NonNullable<JournalOptions['wording']>) {
  const journal = journalOf({ values: { write: { a: [1, 2], b: [1, 2] } }, wording });
  const options = { color: false, quiet: false, width: 80 };
  return claimsOf({ journal, analysis: analyse(journal), directory: null, options }, PLAIN);
}

const WORDING = { timed: 'The writes.', not_a_claim_about: ['reads', 'latency'] };

test('drivers that say the same are told once', () => {
  expect(claims({ a: WORDING, b: WORDING })).toEqual({
    timed: ['Timed, as the driver says: The writes.'],
    not_about: ['This is not a claim about: reads; latency (as the driver says).'],
  });
});

test('drivers that differ are told one by one, and those that say nothing not at all', () => {
  expect(claims({ a: WORDING, b: { timed: 'all', not_a_claim_about: ['reads', 'latency'] } })).toEqual({
    timed: ['Timed in a, as its driver says: The writes.', 'Timed in b, as its driver says: all.'],
    not_about: ['This is not a claim about: reads; latency (as the driver says).'],
  });
  expect(claims({ b: WORDING }).timed).toEqual(['Timed in b, as its driver says: The writes.']);
  expect(claims({})).toEqual({ timed: [], not_about: [] });
});
