/** The account of a small study, of results that were written by hand, in every format. */
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../test/golden.ts';
import { outlineOf, pageElement } from '../../test/html-page.ts';
import type { Beside } from '../storage/beside.ts';
import type { Series } from '../storage/result-series.ts';
import { studyVariance } from '../storage/variance.ts';
import { variancePage } from './html/variance-page.ts';
import { varianceCsv, varianceMarkdown, varianceText } from './variance-formats.ts';
import type { VarianceInput } from './variance-input.ts';
import { varianceDocument } from './variance-json.ts';
import { varianceJsonSchema, varianceSchema } from './variance-schema.ts';

const STEPS = ['fillseq', 'readrandom', 'overwrite'];

function series(
  [setup, workload, threads]: readonly [string, string, number],
  values: Readonly<Record<string, readonly number[]>>,
  beside: Readonly<Record<string, Beside>> = {},
): readonly Series[] {
  return STEPS.map((step) => {
    const of = values[step] ?? [];
    return {
      setup,
      workload,
      threads,
      step,
      values: of,
      missing: 3 - of.length,
      beside: of.map(() => beside[step] ?? {}),
    };
  });
}

function input(all: readonly Series[], rest: Partial<VarianceInput> = {}): VarianceInput {
  const rules = { steps: STEPS, deviation: 'sample', limit: 0.03, level: 0.95 } as const;
  const imported = {
    read: ['a.txt', 'b.txt'],
    ignored: [{ path: 'notes.txt', reason: 'is neither sum.*.txt nor report.tsv' }],
  };
  return {
    assay: '0',
    title: null,
    source: 'elsewhere',
    metric: 'ops_sec',
    pairs: 16,
    imported,
    variance: studyVariance(all, rules),
    ...rest,
  };
}

const TREE: Beside = {
  levels: 4,
  tree_size: 9.2e9,
  write_amplification: 4.31,
  stalled_share: 0.0123,
  cpu_per_operation: 14_300,
};
const steady = { fillseq: [1000, 1001, 999], readrandom: [500, 505, 510], overwrite: [90, 91, 90.5] };
const loose = { fillseq: [900, 1000, 1100], readrandom: [500, 400, 450], overwrite: [80, 91, 70] };

/** Each was written by hand. */
const CASES: Readonly<Record<string, VarianceInput>> = {
  imported: input([
    ...series(['small.ht0', 'byrx', 1], steady),
    ...series(['small.ht0', 'byrx', 4], { ...steady, overwrite: [90] }),
    ...series(['large.ht1', 'byrx', 1], loose),
    ...series(['large.ht1', 'byrx', 4], { fillseq: [1000, 1000, 1000], readrandom: [7, 8] }),
    ...series(['small.ht0', 'iobuf', 1], steady),
    ...series(['large.ht1', 'iobuf', 1], loose),
  ]),
  measured: input(
    [
      ...series(['here', 'byrx', 4], steady, {
        fillseq: { ...TREE, write_amplification: 0.61 },
        readrandom: { levels: 4, tree_size: 9.2e9, cpu_per_operation: 8200 },
        overwrite: TREE,
      }),
      ...series(['here', 'iobuf', 4], loose, { overwrite: { levels: 5 } }),
    ],
    { source: 'here', title: 'One machine, 4 threads' },
  ),
  hostile: input(series(['<b>\u202e\u0007*`|', 'w|*x', 1], steady), {
    title: '</title>\u001b[31m*red*',
    metric: 'm`*|',
    imported: { read: ['x'], ignored: [{ path: 'a\nb|`', reason: 'is <i>no</i>\u001b file' }] },
  }),
};

describe.each(Object.entries(CASES))('%s', (name, of) => {
  const golden = (suffix: string, text: string) => {
    expectGolden(`test/golden/variance/${name}${suffix}`, text);
    expect(text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
  };

  test('as text, wide and narrow', () => {
    golden('.txt', varianceText(of, { color: false, width: 120 }));
    const narrow = varianceText(of, { color: false, width: 60 });
    golden('.narrow.txt', narrow);
    expect(narrow.split('\n').filter((line) => line.length > 60 && line.trim().includes(' '))).toEqual([]);
  });

  test('as Markdown and CSV', () => {
    golden('.md', varianceMarkdown(of));
    expectGolden(`test/golden/variance/${name}.csv`, varianceCsv(of));
  });

  test('as JSON, in the form of the schema', () => {
    const document = varianceDocument(of);
    expectGolden(`test/golden/variance/${name}.json`, `${JSON.stringify(document, null, 2)}\n`);
    expect(varianceSchema.strict().safeParse(document).error?.issues ?? []).toEqual([]);
  });

  test('as a page', () => {
    const page = variancePage(of);
    golden('.html.txt', outlineOf(page));
    expect(pageElement(page).querySelectorAll('script, [onload], b, i')).toHaveLength(0);
  });
});

test('schemas/variance.schema.json is made from the code', () => {
  expectGolden('schemas/variance.schema.json', `${JSON.stringify(varianceJsonSchema(), null, 2)}\n`);
});

test('an interval of drift that says nothing is not printed with the digits of one that does', () => {
  const two = [
    ...series(['here', 'byrx', 1], { fillseq: [1000, 1010, 1002], readrandom: [500, 100, 3000], overwrite: [1, 1, 1] }),
    ...series(['here', 'byrx', 4], { fillseq: [1000, 990, 1004], readrandom: [500, 90, 80], overwrite: [1, 1, 1] }),
  ];
  const text = varianceText(input(two), { color: false, width: 120 });
  expect(text).toMatch(/fillseq +\+0\.3 % +\[-1\.0 %, \+1\.6 %\]/);
  expect(text).toMatch(/readrandom +-2\.02 % +too wide +0 +1 +2/);
  expect(text).toContain('too wide: it reaches below a tenth');
});

test('of single values nothing is ranked, and nobody reads that a set-up is not good', () => {
  const single = input(series(['here', 'byrx', 4], { fillseq: [1000], readrandom: [500], overwrite: [90] }));
  const look = { color: false, width: 120 };
  for (const text of [varianceText(single, look), varianceMarkdown(single), variancePage(single)]) {
    expect(text).toContain('Nothing can be said yet: no set-up has two values of every step');
    expect(text).not.toMatch(/No set-up has all|published point rule|the worst first|Drift from|repeat better/);
  }
});

test('what an engine says stands beside the coefficients only where it says something', () => {
  const look = { color: false, width: 120 };
  const { imported, measured } = CASES;
  if (imported === undefined || measured === undefined) throw new Error('no such case');
  expect(varianceText(imported, look)).not.toContain('Beside the coefficients');
  const text = varianceText(measured, look);
  expect(text).toMatch(/here +byrx +4 +overwrite +90\.5 +4 +8\.57 GiB +4\.31 +1\.23 % +14\.3 µs/);
  // A step that did not say it has a blank, not a nought.
  expect(text).toMatch(/here +iobuf +4 +overwrite +80\.3 +5\n/);
});
