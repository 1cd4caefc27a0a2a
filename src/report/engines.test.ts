import { describe, expect, test } from 'vitest';
import { enginesInput } from '../../test/engines-input.ts';
import { expectGolden } from '../../test/golden.ts';
import { pageElement } from '../../test/html-page.ts';
import type { ChangedFact, SizedOrderEffect } from '../storage/engines/analysis.ts';
import { caveatsOf } from '../storage/engines/caveats.ts';
import { enginesReport } from './engines-formats.ts';
import { enginesDocumentSchema } from './engines-schema.ts';
import { enginesPage } from './html/engines-page.ts';

const input = enginesInput();
const look = { color: false, width: 120 };

describe('the report of a study of engines', () => {
  test.each([
    ['text', 'txt'],
    ['markdown', 'md'],
    ['csv', 'csv'],
    ['json', 'json'],
  ] as const)('as %s', (format, ending) => {
    expectGolden(`test/golden/engines/study.${ending}`, enginesReport(format, input, look));
  });

  test('fits a narrow terminal, where tables become lines', () => {
    const lines = enginesReport('text', input, { color: false, width: 60 }).split('\n');
    expect(lines.filter((line) => [...line].length > 60)).toEqual([]);
  });

  test('a write rate without durability is marked where it stands, and one with it is not', () => {
    const rows = enginesReport('markdown', input, look)
      .split('\n')
      .filter((line) => /^\| `(tree|pages|hash)` \| \d+/.test(line));
    expect(rows[0]).toMatch(/^\| `tree` \| \d+ † \| \d+ † \| \d+ \| \d+ \| \d+ † \| [\d.]+ \|$/);
    expect(rows[1]).toMatch(/^\| `pages` \| \d+ \| \d+ \| \d+ \| \d+ \| \d+ \| [\d.]+ \|$/);
  });

  test('tells the main tables first, then who is better, then what that must be read with, then details', () => {
    const titles = enginesReport('markdown', input, look)
      .split('\n')
      .filter((line) => line.startsWith('## '))
      .map((line) => line.slice(3).replaceAll('`', ''));
    const at = (title: string) => titles.indexOf(title);
    const order = [
      ...['cached: operations a second', 'io_bound: reads of the device per query', 'cached: better and worse'],
      ...['io_bound: better and worse', 'What the numbers must be read with', 'Whether the order mattered', 'Left out'],
      ...['What engines promise', 'cached: ranks', 'io_bound: latency (µs)'],
    ].map(at);
    expect(order).toEqual([...order].sort((one, other) => one - other));
    expect(order).not.toContain(-1);
  });

  test('a mean that lacks blocks says of how many it is, and a figure with a zero how its means are taken', () => {
    const [first, ...others] = input.findings.sizes;
    if (first === undefined) throw new Error('there is a size');
    const figures = first.figures.map((figure) => {
      const { tree } = figure.engines;
      if (figure.kind.key !== 'load_rate' || tree === undefined) return figure;
      return { ...figure, engines: { ...figure.engines, tree: { ...tree, values: [null, ...tree.values.slice(1)] } } };
    });
    const sizes = [{ ...first, figures }, ...others];
    const text = enginesReport('text', { ...input, findings: { ...input.findings, sizes } }, look);
    expect(text).toMatch(/^ {2}tree +\d+ \(n=3\) † /m);
    expect(text).toMatch(/^ {2}engine +point reads \(arith\.\) /m);
    expect(text).not.toMatch(/insert \(arith\.\)/);
  });

  test('what a run could not do is said once, with its sizes', () => {
    const limitation = { message: 'Swap cannot be limited here.', remedy: 'Turn <b>it</b> off.' };
    const sizes = input.findings.sizes.map((size) => ({ ...size, limitations: [limitation] }));
    const limited = { ...input, findings: { ...input.findings, sizes } };
    const lines = enginesReport('markdown', limited, look).split('\n');
    const names = sizes.map(({ size }) => `\`${size.name}\``).join(' and ');
    const said = lines.filter((line) => line.includes('Swap cannot'));
    expect(said).toEqual([expect.stringMatching(`^- In ${names}: Swap cannot be limited here\\. Turn `)]);
    expect(said.join()).not.toContain('<b>');
    expect(enginesDocumentSchema.parse(JSON.parse(enginesReport('json', limited, look))).sizes[0]?.limitations).toEqual(
      [limitation],
    );
  });

  test('names what the order in which engines ran has turned round', () => {
    const effect: SizedOrderEffect = {
      ...{
        figure: 'point_reads',
        scale: 'difference',
        engine: 'tree',
        other: 'hash',
        effect: 0.5,
        interval: [0.1, 0.9],
      },
      ...{ interval_level: 0.95, p: 0.01, adjusted_p: 0.01, not_null: true, exceeds_difference: true },
    };
    const [first, ...others] = input.findings.sizes;
    if (first === undefined) throw new Error('there is a size');
    const [rate, ...rest] = first.figures;
    if (rate === undefined) throw new Error('there is a figure');
    const figures = [{ ...rate, orders: { ...rate.orders, changed: [['tree', 'pages'] as const] } }, ...rest];
    const orders = { ...first.orders, not_null: 1, changed: 1, keep: 49, could_change: 3, conflicts: [effect] };
    const sizes = [{ ...first, figures, orders }, ...others];
    const text = enginesReport('text', { ...input, findings: { ...input.findings, sizes } }, look).replace(/\s+/g, ' ');
    expect(text).toContain('1 is shown to be other than null, with Holm’s adjustment');
    expect(text).toContain(
      'cached, point reads: what tree and hash differ by is less than what it matters who runs first (+0.50 reads [+0.10 reads, +0.90 reads] for the later one).',
    );
    expect(text).toContain('of 50 pairs of engines that are told apart, over all figures, 49 have the same one ahead');
    expect(text).toContain('Of 3 of them so many blocks could have shown something else');
    expect(text).toContain('cached, insert: of tree and pages, the one that is ahead is another');
  });

  test('of two engines each figure stands once, below the one that is better', () => {
    const two = enginesInput(() => null, ['tree', 'pages']);
    const section = (format: 'markdown' | 'text', width = 120) => {
      const lines = enginesReport(format, two, { color: false, width }).split('\n');
      const start = lines.findIndex((line) => line.replaceAll('`', '').endsWith('cached: better and worse'));
      return (
        lines
          .slice(start + 1, start + 40)
          .join('\n')
          .split(/io_bound`?: better/)[0] ?? ''
      );
    };
    const text = section('markdown');
    expect(text).toContain('| in | `tree` better | `pages` better |');
    const rows = text.split('\n').filter((line) => /^\| (write|read|space) /.test(line));
    expect(rows.map((row) => row.split(' | ')[0])).toEqual(['| write', '| read', '| space']);
    const [, tree, pages] = rows[0]?.split(' | ') ?? [];
    expect([tree, pages]).toEqual([
      expect.stringMatching(/^insert †: [\d.]+x \[[\d., ]+\] `pages`; /),
      expect.stringMatching(
        /^insert settled: [\d.]+x \[[\d., ]+\] `tree` †; insert wamp: [\d.]+x \[[\d., ]+\] `tree`; /,
      ),
    ]);
    expect(text.match(/insert wamp:/g)).toHaveLength(1);
    // In lines, too, it is said who is better.
    expect(section('text', 40).replace(/\s+/g, ' ')).toMatch(/write, tree better: insert †: .* write, pages better: /);
  });

  test('an engine that declared something else in a later trial is marked, and both values are told', () => {
    const [first, ...rest] = input.findings.sizes;
    if (first === undefined) throw new Error('there is a size');
    const sync: ChangedFact = {
      ...{ fact: 'sync', trials: 4 },
      values: [
        { value: 'commit', trials: 3, block: 1 },
        { value: null, trials: 1, block: 3 },
      ],
    };
    const sizes = [{ ...first, changed: { pages: [sync] } }, ...rest];
    const findings = { ...input.findings, sizes, caveats: caveatsOf(sizes) };
    const text = enginesReport('text', { ...input, findings }, look);
    const rows = text.split('\n').filter((line) => /^ {2}pages +\d{6} /.test(line));
    expect(rows.map((row) => row.includes('†'))).toEqual([true, false]);
    expect(text.replace(/\s+/g, ' ')).toContain(
      'In cached pages did not declare the same sync in all trials: commit (3 of 4 trials); not said (1 of 4 trials, the first in block 3). Its numbers are a mixture',
    );
    expect(text).toMatch(/^ {2}sync .* commit \(cached in 3 of 4 trials,/m);
    const csv = enginesReport('csv', { ...input, findings }, look).split('\n');
    const durable = csv.filter((line) => /,load_rate,.*,pages,/.test(line)).map((line) => line.split(',')[10]);
    expect(durable).toEqual(['false', 'true']);
    const document = enginesDocumentSchema.parse(JSON.parse(enginesReport('json', { ...input, findings }, look)));
    expect(document.caveats[0]).toEqual({ code: 'changing', size: 'cached', engines: ['pages'], ...sync });
    const rate = document.sizes[0]?.figures.find(({ figure }) => figure === 'load_rate');
    expect(rate?.engines.map(({ durable: is }) => is)).toEqual([false, false, false]);
  });

  test('a p99 of few calls is called weak', () => {
    const text = enginesReport('text', input, look);
    const heads = [...text.matchAll(/^ {2}engine .*p99.*$/gm)].map(([line]) => line.match(/\w+ p99( \(weak\))?/g));
    // Of 2,000 commits, 100,000 point reads, 20,000 ranges, 20,000 overwrites; of 360, 2,000, 500 and 1,000.
    expect(heads).toEqual([
      ['insert p99', 'point p99'],
      ['range p99', 'overwrite p99'],
      ['insert p99 (weak)', 'point p99'],
      ['range p99 (weak)', 'overwrite p99'],
    ]);
  });

  test('commits of a number of records that there cannot be are of an unknown number', () => {
    const [cached, ...rest] = input.findings.sizes;
    if (cached === undefined) throw new Error('the example has a size');
    const facts = { tree: { load_latency_records: 1e-300, overwrite_latency_records: -4 } };
    const odd = { ...input, findings: { ...input.findings, sizes: [{ ...cached, facts }, ...rest] } };
    const text = enginesReport('markdown', odd, look);
    expect(text).toContain('inserts unknown, point reads');
    expect(text).toContain('commits of an unknown number of records, an overwrite by commits of an unknown number');
  });

  test('settings that depend on the size stand with their size', () => {
    const sizes = input.findings.sizes.map((size, at) => ({
      ...size,
      facts: {
        ...size.facts,
        tree: { ...size.facts['tree'], settings: ['bloom_bits=10', `buffer=${at}`], before_queries: 'opened anew' },
      },
    }));
    const text = enginesReport('text', { ...input, findings: { ...input.findings, sizes } }, look);
    expect(text).toMatch(/no compaction is due +opened anew +bloom_bits=10; cached: buffer=0; io_bound: buffer=1$/m);
  });

  test('tables that are too wide are split, and every cell is there once', () => {
    const narrow = enginesReport('text', input, { color: false, width: 60 }).split('\n');
    const start = narrow.indexOf('cached: operations a second');
    const rows = narrow.slice(start, start + 20).filter((line) => line.startsWith('  pages '));
    expect(
      rows
        .join(' ')
        .match(/\d[\d.]*/g)
        ?.slice(0, 6),
    ).toEqual(['122000', '59510', '244000', '48800', '81340', '4.3']);
  });

  test('the document is what the schema says', () => {
    expect(enginesDocumentSchema.parse(JSON.parse(enginesReport('json', input, look))).sizes).toHaveLength(2);
  });
});

describe('the page', () => {
  const page = pageElement(enginesPage(input));

  test('has bars of the main figures, described for those who do not see them', () => {
    const plots = [...page.querySelectorAll('svg.plot')];
    const names = plots.map((plot) => plot.getAttribute('aria-label'));
    expect(names).toContain('cached, insert');
    expect(names).toContain('io_bound, point reads');
    // All are zero there.
    expect(names).not.toContain('cached, point reads');
    expect(plots[0]?.querySelector('desc')?.textContent).toMatch(/^tree: \d+ † \[/);
  });

  test('shows the names of strangers as text', () => {
    const { findings } = input;
    const hostile = { ...findings, study: { ...findings.study, title: '<script>alert(1)</script>' } };
    const text = enginesPage({ ...input, findings: hostile });
    expect(text).not.toContain('<script>');
    expect(pageElement(text).querySelector('h1')?.textContent).toContain('<script>alert(1)</script>');
  });
});
