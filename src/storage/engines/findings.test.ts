import { describe, expect, test } from 'vitest';
import { enginesInput } from '../../../test/engines-input.ts';
import type { ChangedFact } from './analysis.ts';
import { caveatsOf } from './caveats.ts';
import { differentSources, factsByEngine, factText, isAlwaysDurable, isDurable } from './facts.ts';

const { findings } = enginesInput();

test('blocks of the journal that are complete make the figures', () => {
  const [cached, bound] = findings.sizes;
  expect([cached?.blocks, bound?.blocks]).toEqual([4, 4]);
  const rate = cached?.figures.find(({ kind }) => kind.key === 'load_rate');
  expect(Object.keys(rate?.engines ?? {})).toEqual(['tree', 'pages', 'hash']);
  expect(rate?.engines['tree']?.values).toHaveLength(4);
});

test('a time or a size below zero is not known, and bytes written below zero are some that never were', () => {
  const odd = enginesInput((name) => (/^load_(settle_ns|space_bytes|written_bytes)$/.test(name) ? -5 : null));
  const [cached] = odd.findings.sizes;
  const meanOf = (key: string) => cached?.figures.find(({ kind }) => kind.key === key)?.engines['tree']?.mean ?? null;
  expect([meanOf('load_settle'), meanOf('load_settled_rate'), meanOf('load_space')]).toEqual([null, null, null]);
  expect(meanOf('load_wamp')).toBeLessThan(0);
  expect(meanOf('load_rate')).toBeGreaterThan(0);
  // The same in all blocks, and so no mixture.
  expect(odd.findings.caveats.map(({ code }) => code)).not.toContain('mixture');
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

test('an engine compresses where its driver names a way of it', () => {
  const facts = { a: { compression: 'zstd' }, b: { compression: 'none' }, c: { compression: false }, d: {} };
  const compressing = caveatsOf(findings.sizes.map((size) => ({ ...size, facts }))).filter(
    ({ code }) => code === 'compression',
  );
  expect(compressing).toEqual([{ code: 'compression', engines: ['a'] }]);
});

test('a lead stands within its interval, which is that of the better over the worse', () => {
  const leads = findings.standings.flatMap(({ better, worse }) => [...better, ...worse].flatMap(({ than }) => than));
  const spread = leads.filter(({ interval }) => interval !== null);
  expect(spread.length).toBeGreaterThan(20);
  for (const { times, by, interval } of spread) {
    const [low = 0, high = 0] = interval ?? [];
    expect(low).toBeGreaterThan(times === null ? 0 : 1);
    expect([low <= (times ?? by ?? 0), (times ?? by ?? 0) <= high]).toEqual([true, true]);
  }
});

test('what the run of a size could not do is on record', () => {
  expect(findings.sizes.map(({ limitations }) => limitations)).toEqual([[], []]);
});

test('a fact that depends on the size is told size by size', () => {
  const sizes = findings.sizes.map((size, at) => ({
    ...size,
    facts: { a: { sync: 'commit', write_buffer_bytes: at + 1 }, b: at === 0 ? { sync: 'commit' } : { sync: 'never' } },
  }));
  const facts = factsByEngine(sizes);
  expect([...facts.keys()]).toEqual(['a', 'b']);
  expect(factText(facts.get('a') ?? [], 'sync', '-')).toBe('commit');
  expect(factText(facts.get('a') ?? [], 'write_buffer_bytes', '-')).toBe('1 (cached); 2 (io_bound)');
  expect(factText(facts.get('b') ?? [], 'write_buffer_bytes', '-')).toBe('-');
  // A promise that is broken in one size is none.
  expect(caveatsOf(sizes)[0]).toEqual({
    ...{ code: 'not-durable', engines: ['b'], sync: 'commit (cached); never (io_bound)' },
  });
});

test('a promise that is not kept in all trials of a size is none, and what was declared in each is told', () => {
  const sync: ChangedFact = {
    ...{ fact: 'sync', trials: 4 },
    values: [
      { value: 'commit', trials: 3, block: 1 },
      { value: 'never', trials: 1, block: 3 },
    ],
  };
  const assertions: ChangedFact = {
    ...{ fact: 'assertions', trials: 4 },
    values: [
      { value: false, trials: 2, block: 1 },
      { value: null, trials: 2, block: 2 },
    ],
  };
  const [first, ...others] = findings.sizes;
  if (first === undefined) throw new Error('there is a size');
  const sizes = [{ ...first, changed: { pages: [sync, assertions] } }, ...others];
  const caveats = caveatsOf(sizes);
  expect(caveats.slice(0, 2)).toEqual([
    { code: 'changing', size: 'cached', engines: ['pages'], ...sync },
    { code: 'changing', size: 'cached', engines: ['pages'], ...assertions },
  ]);
  expect(caveats).toContainEqual({
    ...{ code: 'not-durable', engines: ['pages'] },
    sync: 'commit (cached in 3 of 4 trials, io_bound); never (cached in 1 of 4 trials)',
  });
  expect(caveats).toContainEqual({ code: 'assertions-unknown', engines: ['pages', 'hash'] });
  expect(sizes.map((size) => isAlwaysDurable(size, 'pages'))).toEqual([false, true]);
});

test('trials whose output is gone are counted, engines with as many together', () => {
  const [first] = findings.sizes;
  if (first === undefined) throw new Error('there is a size');
  const unread = [
    { engine: 'tree', trials: 3, of: 4 },
    { engine: 'pages', trials: 1, of: 4 },
    { engine: 'hash', trials: 3, of: 4 },
  ];
  expect(caveatsOf([{ ...first, unread }]).slice(0, 2)).toEqual([
    { code: 'unread', size: 'cached', engines: ['tree', 'hash'], trials: 3, of: 4 },
    { code: 'unread', size: 'cached', engines: ['pages'], trials: 1, of: 4 },
  ]);
});

test('bytes of a device and of a process are not compared', () => {
  const [device, process] = [[{ bytes_source: 'device' }], [{ bytes_source: 'process' }]];
  expect([differentSources(device, device), differentSources([{}], process)]).toEqual([null, null]);
  expect([differentSources(device, process), differentSources([{}], device)]).toEqual(
    Array(2).fill('bytes of the one are counted at its device, those of the other accounted to its process'),
  );
  for (const other of [device, process]) {
    expect(differentSources([...device, ...process], other)).toMatch(
      /^bytes of the one or the other .* in some trials/,
    );
  }
  const of = (key: string) => findings.sizes[1]?.figures.find(({ kind }) => kind.key === key)?.comparisons ?? [];
  expect(of('load_wamp').map(({ engine, other, reason }) => [engine, other, reason === null])).toEqual([
    ['tree', 'pages', true],
    ['tree', 'hash', false],
    ['pages', 'hash', false],
  ]);
  expect(of('load_rate').every(({ reason }) => reason === null)).toBe(true);
  for (const { better, worse } of findings.standings) {
    for (const { figure, than } of [...better, ...worse]) {
      if (figure.endsWith('wamp')) expect(than.map(({ engine }) => engine)).not.toContain('hash');
    }
  }
});

describe('caveats of what was measured', () => {
  const [cached] = findings.sizes;
  if (cached === undefined) throw new Error('there is a size');
  const codes = (size: typeof cached) => caveatsOf([size]).map(({ code, engines }) => `${code} ${engines.join(' ')}`);
  const withValues = (key: string, values: readonly (number | null)[]): typeof cached => {
    const [first] = cached.figures;
    if (first === undefined) throw new Error('there is a figure');
    const figure = { values, mean: 1, interval: null, exact: false, rank: null };
    const made = { ...first, kind: { ...first.kind, key }, engines: { tree: figure } };
    return { ...cached, figures: [...cached.figures.filter(({ kind }) => kind.key !== key), made] };
  };

  test('overwrites that are fewer bytes than four memtables', () => {
    const bytes = cached.size.overwrites * (16 + cached.size.value_bytes);
    const having = (buffer: number) => ({ ...cached, facts: { tree: { write_buffer_bytes: buffer }, pages: {} } });
    expect(codes(having(bytes / 4 + 1))).toContain('overwrites-in-buffer tree');
    expect(codes(having(bytes / 4)).join()).not.toContain('overwrites-in-buffer');
    expect(codes(cached).join()).not.toContain('overwrites-in-buffer');
  });

  test('reads that wrote more than a hundredth of the data in the mean over blocks', () => {
    expect(codes(withValues('range_written', [0, 0, 0.031, null]))).toContain('reads-that-wrote tree');
    expect(codes(withValues('range_written', [0.02, 0.01, 0, null])).join()).not.toContain('reads-that-wrote');
  });

  test('write amplification that lies more than four-fold apart', () => {
    expect(codes(withValues('load_wamp', [1, 2, 4.1, null]))).toContain('mixture tree');
    expect(codes(withValues('load_wamp', [1, 2, 4, null])).join()).not.toContain('mixture');
    expect(codes(withValues('load_wamp', [null, null])).join()).not.toContain('mixture');
  });
});

test('the families of standings are the main figures that have a test, size by size', () => {
  const tested = findings.sizes.map(
    ({ figures }) =>
      figures.filter(({ kind, comparisons }) => kind.main && comparisons.some(({ p }) => p !== null)).length,
  );
  // Reads and space are the same in all blocks: they have none.
  expect(tested).toEqual([8, 8]);
  expect(findings.families).toBe(16);
});
