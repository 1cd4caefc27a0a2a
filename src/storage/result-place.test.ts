import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLayout, isResultFile, type PlaceRules, placeOf } from './result-place.ts';

fc.configureGlobal({ seed: 1908 });

const RULES: PlaceRules = { layout: null, workload: null, threads: null, root: 'srv.ht0.nt8' };
const place = (setup: string, workload: string, threads: number | null) => ({
  ok: true,
  place: { setup, workload, threads },
});

function layout(text: string) {
  const compiled = compileLayout(text);
  if (compiled === null) throw new Error(`${text} is no layout`);
  return compiled;
}

describe('the place of a file', () => {
  it.each([
    ['m5.2xl.ht0.nt4/sum.byrx.txt', place('m5.2xl.ht0', 'byrx', 4)],
    ['m5.2xl.ht0/sum.iobuf.dop16.txt', place('m5.2xl.ht0', 'iobuf', 16)],
    ['m5.2xl.ht0/dop4/byrx/report.tsv', place('m5.2xl.ht0', 'byrx', 4)],
    ['aws/m5.2xl.ht0/dop4/iodir/report.tsv', place('aws/m5.2xl.ht0', 'iodir', 4)],
    ['m5/sum.mixed.txt', place('m5', 'mixed', null)],
    // Files of the directory that was named itself.
    ['sum.byrx.txt', place('srv.ht0', 'byrx', 8)],
    ['dop8/byrx/report.tsv', place('srv.ht0.nt8', 'byrx', 8)],
    ['m5.nt4/sum.byrx.dop1.txt', { ok: false, reason: 'its path names 4 and 1 threads' }],
    ['m5.nt0x/sum.byrx.ntt.txt', place('m5.nt0x', 'byrx.ntt', null)],
    [
      'm5.nt4/report.tsv',
      { ok: false, reason: 'its path names no workload: say which with --workload, or name its place with --layout' },
    ],
  ])('%s', (path, placing) => expect(placeOf(path, RULES)).toEqual(placing));

  it('is what was said, whatever the path says', () => {
    expect(placeOf('m5.nt4/sum.byrx.dop1.txt', { ...RULES, workload: 'all', threads: 2 })).toEqual(
      place('m5', 'all', 2),
    );
  });

  it('follows a layout', () => {
    const rules = { ...RULES, layout: layout('{any}/{setup}/t{threads}/{workload}.tsv') };
    expect(isResultFile('x/m5.ht0/t4/byrx.tsv', rules.layout)).toBe(true);
    expect(placeOf('x/m5.ht0/t4/byrx.tsv', rules)).toEqual(place('m5.ht0', 'byrx', 4));
    for (const path of [
      'm5.ht0/t4/byrx.tsv',
      'x/m5.ht0/t0/byrx.tsv',
      'x/m5.ht0/t4/byrxxtsv',
      'x/m5.ht0/t4/byrx.tsv.gz',
    ]) {
      expect(isResultFile(path, rules.layout)).toBe(false);
    }
    expect(placeOf('byrx.txt', { ...RULES, layout: layout('{workload}.txt') })).toEqual(
      place('srv.ht0.nt8', 'byrx', null),
    );
  });

  it.each(['{setup}/{setup}', '{set-up}', '{', '{setup}}', 'a'.repeat(501)])('has no layout %j', (text) => {
    expect(compileLayout(text)).toBeNull();
  });

  it('takes sum.*.txt and report.tsv only', () => {
    const named = [
      'a/sum.byrx.txt',
      'sum.txt',
      'report.tsv',
      'sum.txt.gz',
      'asum.byrx.txt',
      'report.tsv.old',
      'sum',
      'README.md',
    ];
    expect(named.filter((path) => isResultFile(path, null))).toEqual(['a/sum.byrx.txt', 'sum.txt', 'report.tsv']);
  });

  it('is found or refused whatever a path is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (path, text) => {
        const compiled = compileLayout(text);
        for (const one of [null, compiled]) {
          const placing = placeOf(path, { ...RULES, layout: one });
          expect(placing.ok ? placing.place.workload : placing.reason).not.toBe('');
        }
      }),
    );
  });
});
