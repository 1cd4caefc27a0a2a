import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { REPORT_CASES } from '../../test/report-cases.ts';
import { analyse } from '../analysis/analyse.ts';
import type { Journal } from '../journal/records.ts';
import { type Format, isFormat } from './format-names.ts';
import { FORMATS, type ReportInput } from './formats.ts';

/** The page has golden files of its own: see html/report.test.ts. */
type TextFormat = Exclude<Format, 'html'>;

const SUFFIXES: Readonly<Record<TextFormat, string>> = {
  text: '.txt',
  markdown: '.md',
  csv: '.trials.csv',
  'pairs-csv': '.pairs.csv',
  json: '.json',
};

function isTextFormat(name: string): name is TextFormat {
  return isFormat(name) && name !== 'html';
}

function inputOf(journal: Journal, options: Partial<ReportInput['options']> = {}): ReportInput {
  return {
    journal,
    analysis: analyse(journal),
    directory: "assay-runs/it's here",
    options: { color: false, quiet: false, width: 120, ...options },
  };
}

function caseOf(name: string): Journal {
  const build = REPORT_CASES[name];
  if (build === undefined) throw new Error(`no case ${name}`);
  return build();
}

describe.each(Object.keys(REPORT_CASES))('%s', (name) => {
  const input = inputOf(caseOf(name));

  test.each(Object.keys(FORMATS).filter(isTextFormat))(
    'as %s, which says nothing that steers a terminal or hides',
    (format) => {
      const text = FORMATS[format](input);
      expectGolden(`test/golden/report/${name}${SUFFIXES[format]}`, text);
      expect(text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
    },
  );

  test('fits into 60 columns, or lays out anew', () => {
    for (const width of [60, 80, 100]) {
      const text = FORMATS.text({ ...input, options: { ...input.options, width } });
      const long = text.split('\n').filter((line) => line.length > width && line.trim().includes(' '));
      expect(long.filter((line) => !/assay report|assay run|\$RUN|\\u\{/.test(line))).toEqual([]);
    }
  });
});

test.each(['slower', 'several-primaries', 'hostile', 'counted', 'counted-ranged', 'sessions', 'sequential'])(
  '%s in a narrow terminal',
  (name) => {
    expectGolden(`test/golden/report/${name}.narrow.txt`, FORMATS.text(inputOf(caseOf(name), { width: 72 })));
  },
);

test('colours', () => {
  const text = FORMATS.text(inputOf(caseOf('several-primaries'), { color: true }));
  expectGolden('test/golden/report/several-primaries.color.txt', text);
});

test('quiet is the finding alone', () => {
  const text = FORMATS.text(inputOf(caseOf('slower'), { quiet: true }));
  expect(text).toMatch(/^write is slower: [^\n]+\n$/);
});

test('a run without a directory names no command', () => {
  const input = { ...inputOf(caseOf('incomplete')), directory: null };
  for (const format of ['text', 'markdown'] as const) expect(FORMATS[format](input)).not.toContain('assay r');
});
