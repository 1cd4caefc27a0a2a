import { expect, test } from 'vitest';
import { enginesInput } from '../../../test/engines-input.ts';
import { caveatsOf } from './caveats.ts';
import { differentSources, factsByEngine, factText, isDurable } from './facts.ts';

const { findings } = enginesInput();

test('blocks of the journal that are complete make the figures', () => {
  const [cached, bound] = findings.sizes;
  expect([cached?.blocks, bound?.blocks]).toEqual([4, 4]);
  const rate = cached?.figures.find(({ kind }) => kind.key === 'load_rate');
  expect(Object.keys(rate?.engines ?? {})).toEqual(['tree', 'pages', 'hash']);
  expect(rate?.engines['tree']?.values).toHaveLength(4);
});

test('each engine is told what it is better and worse at, aspect by aspect and size by size', () => {
  const of = (engine: string, size: string, aspect: string) =>
    findings.standings.find((one) => one.engine === engine && one.size === size && one.aspect === aspect);
  expect(findings.standings).toHaveLength(3 * 2 * 3);
  expect(of('tree', 'cached', 'write')?.better.map(({ figure }) => figure)).toContain('load_rate');
  expect(of('tree', 'cached', 'write')?.worse.map(({ figure }) => figure)).toContain('load_wamp');
  expect(of('tree', 'cached', 'read')?.worse.map(({ figure }) => figure)).toContain('point_rate');
  // By how much stands above 1, whichever way is better.
  for (const { better, worse } of findings.standings) {
    for (const { than } of [...better, ...worse])
      for (const { times, by } of than) expect(times ?? 1 + (by ?? 0)).toBeGreaterThan(1);
  }
  const told = of('tree', 'cached', 'write')?.better.flatMap(({ than }) => than.map(({ engine }) => engine)) ?? [];
  expect(of('pages', 'cached', 'write')?.worse.some(({ than }) => than.some(({ engine }) => engine === 'tree'))).toBe(
    told.includes('pages'),
  );
});

test('caveats follow from what drivers declare, and from where reads went', () => {
  const codes = findings.caveats.map(({ code, engines }) => [code, engines.join(' ')]);
  expect(codes).toEqual([
    ['not-durable', 'tree'],
    ['not-durable', 'hash'],
    // By log, checksums and direct input and output.
    ...Array(3).fill(['differ', 'tree pages hash']),
    ['assertions', 'tree'],
    ['assertions-unknown', 'hash'],
    ['cache-unbounded', 'hash'],
    ['bytes-of-process', 'hash'],
    ['not-io-bound', 'pages'],
  ]);
});

test('what a driver does not say is not taken for a promise', () => {
  expect([isDurable({}), isDurable({ sync: 'checkpoint' }), isDurable({ sync: 'commit' })]).toEqual([
    false,
    false,
    true,
  ]);
  const silent = findings.sizes.map((size) => ({ ...size, facts: { a: {}, b: {} } }));
  expect(caveatsOf(silent).map(({ code }) => code)).toEqual([
    'not-durable',
    'assertions-unknown',
    'bytes-of-process',
    'not-io-bound',
  ]);
});
