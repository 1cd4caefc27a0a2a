import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draws } from '../../../test/draws.ts';
import { journalOf } from '../../../test/journal-builder.ts';
import { analyse } from '../../analysis/analyse.ts';
import { htmlReport } from './report.ts';

const values = fc.array(
  fc.oneof(
    fc.constantFrom(0, -0, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 1e-300, 1, null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  { minLength: 6, maxLength: 6 },
);

const [smallest, largest] = [5e-324, Number.MAX_VALUE];
const sidesOf = (...choices: (number | null)[]) =>
  fc.array(fc.constantFrom(...choices), { minLength: 6, maxLength: 6 });
/** Sizes as far apart as can be, and as near together: all that a side has are these. */
const extremes = fc.oneof(
  sidesOf(smallest, largest, 1e-300, 1, null),
  sidesOf(-smallest, smallest, 0, 1e-323, null),
  sidesOf(1, 1 + Number.EPSILON, 1 - Number.EPSILON),
  sidesOf(-largest, largest, 0, 1e300),
);

test.each([
  ['of any size', values],
  ['at the ends of what a double holds', extremes],
])('numbers %s are drawn, and leave nothing that is no number', (_name, side) => {
  fc.assert(
    fc.property(side, side, fc.constantFrom('ratio' as const, 'difference' as const), (a, b, kind) => {
      const journal = journalOf({ values: { write: { a, b } }, metrics: { write: { kind, optional: true } } });
      const options = { color: false, quiet: false, width: 120 };
      const page = htmlReport({ journal, analysis: analyse(journal), directory: null, options });
      expect(page).not.toMatch(/NaN|Infinity|undefined|null,/);
    }),
    { numRuns: draws(200) },
  );
});
