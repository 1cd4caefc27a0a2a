import fc from 'fast-check';
import { expect, test } from 'vitest';
import { widthsOf } from './slice-summary.ts';

const effect = fc.double({ min: -1, max: 1, noNaN: true });
const spread = fc.double({ min: 1e-6, max: 0.1, noNaN: true });

test('neither more nor longer sessions are said to widen the interval', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 100 }), spread, spread, effect, (sessions, sd, within_sd, change) => {
      const between_sd = Math.sqrt(Math.max(0, sd ** 2 - within_sd ** 2));
      const widths = widthsOf(sessions, { sd, within_sd, between_sd }, change, 0.95);
      expect(widths?.twice_the_sessions).toBeLessThan(widths?.now ?? 0);
      expect(widths?.twice_as_long).toBeLessThanOrEqual((widths?.now ?? 0) * (1 + 1e-12));
    }),
  );
});

test('sessions that differ by the noise of their slices alone gain as much by length', () => {
  const widths = widthsOf(8, { sd: 0.01, within_sd: 0.01, between_sd: 0 }, 0, 0.95);
  expect(Math.asinh(widths?.twice_as_long ?? 0) / Math.asinh(widths?.now ?? 0)).toBeCloseTo(Math.SQRT1_2, 9);
});
