import { expect, test } from 'vitest';
import { wordingOf } from './driver-wording.ts';

const line = (facts: unknown): string => `starting\n${JSON.stringify({ metrics: { write_ns: 1 }, facts })}\n`;

test('both facts', () => {
  const facts = { timed: 'the writes', not_a_claim_about: ['latency', 'reads'], records: 7 };
  expect(wordingOf(line(facts))).toEqual({ timed: 'the writes', not_a_claim_about: ['latency', 'reads'] });
});

test('one of them', () => {
  expect(wordingOf(line({ timed: 'the writes' }))).toEqual({ timed: 'the writes', not_a_claim_about: [] });
  expect(wordingOf(line({ not_a_claim_about: ['reads'] }))).toEqual({ timed: null, not_a_claim_about: ['reads'] });
});

test.each([
  ['no result line', 'hello\n'],
  ['a broken result line', '{"metrics": NaN}\n'],
  ['no facts', '{"metrics": {}}\n'],
  ['neither fact', line({ records: 7 })],
  ['facts of other forms', line({ timed: true, not_a_claim_about: 'reads' })],
  ['empty ones', line({ timed: ' \u001b ', not_a_claim_about: ['', 3, null, '\n'] })],
])('%s: nothing is said', (_, stdout) => {
  expect(wordingOf(stdout)).toBeNull();
});

test('it is bounded, on one line, and visible', () => {
  const claims = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(300)}`);
  const wording = wordingOf(line({ timed: `a\n\u001b[31mb\u202e ${'😀'.repeat(2000)}`, not_a_claim_about: claims }));
  expect(wording?.not_a_claim_about).toHaveLength(20);
  for (const claim of wording?.not_a_claim_about ?? []) expect([...claim]).toHaveLength(201);
  expect(wording?.timed).toMatch(/^a \[31mb 😀+…$/u);
  expect([...(wording?.timed ?? '')]).toHaveLength(1001);
});
