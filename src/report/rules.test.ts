import { expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { RULES, say } from './rules.ts';

const INTRODUCTION = `# The sentences of the reports

Every sentence about a result stands in \`src/report/rules.ts\`, under the rule that calls for it. This page is made from
that file; a test fails where the two differ, and \`ASSAY_UPDATE_GOLDEN=1 npx vitest run src/report/rules.test.ts\` writes
it anew. Words in braces are filled in from the analysis.

A sentence claims no more than the interval supports. A wide interval is *inconclusive*, never a small change; what
differs is never called significant; nothing is said about what caused a change.

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

test('blanks are filled once', () => {
  expect(say('state.go-on', { command: '{command} {blocks}' })).toBe('To go on: {command} {blocks}');
});
