import { expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { RULES, say } from './rules.ts';

const INTRODUCTION = `# The sentences of the reports

Every sentence about a result stands in \`src/report/rules.ts\` and the files that it is put together from, under the rule that
calls for it. This page is made from them; a test fails where the two differ, and \`ASSAY_UPDATE_GOLDEN=1 npx vitest run src/report/rules.test.ts\` writes
it anew. Words in braces are filled in from the analysis.

A sentence claims no more than the interval supports. A wide interval is *inconclusive*, never a small change; what
differs is never called significant; nothing is said about what caused a change, and what contributes to one is said of ablations
only.

| rule | when | sentence |
|---|---|---|
`;

test('docs/wording.md lists every rule', () => {
  const rows = Object.entries(RULES).map(
    ([key, rule]) => `| \`${key}\` | ${rule.when} | ${rule.sentence.replace('*', '\\*')} |\n`,
  );
  expectGolden('docs/wording.md', INTRODUCTION + rows.join(''));
});

test('no sentence claims more than an interval can support', () => {
  for (const { sentence } of Object.values(RULES)) {
    expect(sentence).not.toMatch(
      /signific|no difference|no change|unchanged|optimal|because of|caused|due to|proves?\b/i,
    );
  }
});

test('only an ablation supports a word of cause', () => {
  for (const [key, { sentence }] of Object.entries(RULES)) {
    if (key.startsWith('ablation.')) continue;
    expect(sentence).not.toMatch(
      /\bcaus|contribut|\bexplain|responsible|leads? to|results? (?:in|from)|the reason for/i,
    );
  }
});

test('equivalence is never said without the margin that it holds in', () => {
  for (const [key, { sentence }] of Object.entries(RULES)) {
    if (/equivalent|no visible|the same (?:time|speed)|as fast/i.test(sentence))
      expect([key, sentence]).toEqual([key, expect.stringContaining('{margin}')]);
  }
});

test('an interval is said to be of one machine and of these binaries, or of these builds', () => {
  expect(RULES['basis.scope'].sentence).toMatch(/within-host.*this one machine.*these \{count\} \{artefacts\}/);
  expect(RULES['basis.scope-builds'].sentence).toMatch(/within-host.*these \{builds\} builds of each side/);
  expect(RULES['basis.scope-builds'].sentence).not.toContain('new builds');
});

test('blanks are filled once', () => {
  expect(say('state.disk', { reason: '{reason} {blocks}' })).toBe('It ended early: {reason} {blocks}');
});
