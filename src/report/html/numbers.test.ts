import fc from 'fast-check';
import { expect, test } from 'vitest';
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

test('numbers however far apart are drawn, and leave nothing that is no number', () => {
  fc.assert(
    fc.property(values, values, fc.constantFrom('ratio' as const, 'difference' as const), (a, b, kind) => {
      const journal = journalOf({ values: { write: { a, b } }, metrics: { write: { kind, optional: true } } });
      const options = { color: false, quiet: false, width: 120 };
      const page = htmlReport({ journal, analysis: analyse(journal), directory: null, options });
      expect(page).not.toMatch(/NaN|Infinity|undefined|null,/);
    }),
    { numRuns: 60 },
  );
});
