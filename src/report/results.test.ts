import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectGolden } from '../../test/golden.ts';
import { journalOf } from '../../test/journal-builder.ts';
import { analyse } from '../analysis/analyse.ts';
import type { Analysis } from '../analysis/analysis.ts';
import type { ReportInput } from './input.ts';
import { resultsJson, toResults } from './results.ts';
import { resultsSchema } from './results-schema.ts';

function inputOf(change: (analysis: Analysis) => Analysis = (analysis) => analysis, title = 'a title'): ReportInput {
  const journal = journalOf({
    title,
    values: { write: { a: [100, 102, 99, 101], b: [110, 111, 112, 109] } },
    earlier: [{ name: 'yesterday', started_unix_ms: 0, finished: true }],
    interruptions: [{ kind: 'interrupted', phase: 'confirmation', block: 9, attempt: 1, reason: 'gap' }],
  });
  const options = { color: false, quiet: false, width: 80 };
  return { journal, analysis: change(analyse(journal)), directory: null, options };
}

test('schemas/results.schema.json is made from the code', () => {
  const schema = z.toJSONSchema(resultsSchema, { target: 'draft-2020-12' });
  expectGolden('schemas/results.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
});

test('changes are fractions, and the file reads back as it was', () => {
  const input = inputOf();
  const [comparison] = toResults(input).comparisons;
  expect(comparison?.change).toBeCloseTo(0.0995, 3);
  expect(comparison).toMatchObject({ metric: 'write', arm: 'b', reference: 'a', pairs: 4, verdict: 'slower' });
  expect(comparison?.in_words).toMatch(/^write is slower: \+/);
  expect(resultsSchema.parse(JSON.parse(resultsJson(input)))).toEqual(toResults(input));
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d cannot get out', (number) => {
  const broken = inputOf((analysis) => ({ ...analysis, trial_seconds: number }));
  expect(() => resultsJson(broken)).toThrow();
});

test('says what was interrupted and what ran before', () => {
  const { interruptions, earlier_runs } = toResults(inputOf());
  expect(interruptions).toEqual([{ phase: 'confirmation', block: 9, attempt: 1, reason: 'gap' }]);
  expect(earlier_runs).toEqual([{ name: 'yesterday', started: '1970-01-01T00:00:00.000Z', finished: true }]);
});

test('invisible characters stand as escapes and keep their value', () => {
  const title = 'a\u001b[31m\u009b\u202e\u{e0041}\ud800\nb';
  const text = resultsJson(inputOf(undefined, title));
  expect(text).not.toMatch(/[^\P{C}\n]/u);
  expect(JSON.parse(text).title).toBe(title);
});
