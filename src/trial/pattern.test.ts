import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, matchOne, occurs, type Pattern, parseNumber } from './pattern.ts';

function pattern(text: string): Pattern {
  const compiled = compilePattern(text);
  if (!compiled.ok) throw new Error(compiled.reason);
  return compiled.pattern;
}

describe('matchOne', () => {
  it('takes the group where the pattern matches, however often it holds the same', () => {
    expect(matchOne(pattern('ops: ([0-9.]+)'), 'ops: 1.5\n')).toEqual({ kind: 'match', value: '1.5' });
    expect(matchOne(pattern('ops: ([0-9.]+)'), 'ops: 1.5\nops: 1.5\n')).toEqual({ kind: 'match', value: '1.5' });
  });

  it('does not choose between several numbers', () => {
    expect(matchOne(pattern('([0-9]+) ops/sec'), 'fillseq: 100 ops/sec\nreadrandom: 200 ops/sec\n')).toEqual({
      kind: 'broken',
      reason: 'the pattern matches in several places, with "100" and "200": let it match in one',
    });
  });

  it('anchors at lines', () => {
    expect(matchOne(pattern('^ops: (\\d+)$'), 'noise\nops: 7\nmore\n')).toEqual({ kind: 'match', value: '7' });
    expect(matchOne(pattern('\\Aops: (\\d+)'), 'noise\nops: 7\n')).toEqual({ kind: 'none' });
  });

  it('says none where nothing matches, or the group takes no part', () => {
    expect(matchOne(pattern('ops: (\\d+)'), '')).toEqual({ kind: 'none' });
    expect(matchOne(pattern('a|(b)'), 'xay')).toEqual({ kind: 'none' });
  });

  it('tells an empty group from no match', () => {
    expect(matchOne(pattern('a(b*)'), 'a')).toEqual({ kind: 'match', value: '' });
  });

  it.each(['a', '(a)(b)'])('refuses a pattern without exactly one group: %s', (text) => {
    expect(matchOne(pattern(text), 'ab')).toMatchObject({ kind: 'broken' });
  });

  it('gets through what makes a backtracking matcher explode', () => {
    const text = `${'x'.repeat(20_000)}z`;
    expect(matchOne(pattern('(x+x+)+y'), text)).toEqual({ kind: 'none' });
    expect(matchOne(pattern('(?:x+x+)+([xz])$'), text)).toEqual({ kind: 'match', value: 'z' });
  });

  it('refuses what would take minutes instead of starting it', () => {
    const large = pattern('(x{1,1000})[yz]');
    expect(matchOne(large, 'x'.repeat(2_000_000))).toMatchObject({ kind: 'broken' });
    expect(occurs(large, 'x'.repeat(2_000_000))).toMatchObject({ kind: 'broken' });
    expect(matchOne(large, 'xxy')).toEqual({ kind: 'match', value: 'xx' });
  });

  it('leaves room for ordinary patterns over 16 MiB', () => {
    const text = `${'some line of output 12345\n'.repeat(Math.floor((16 << 20) / 26))}ops/sec: 3.25\n`;
    expect(matchOne(pattern('ops/sec: +([0-9.]+)'), text)).toEqual({ kind: 'match', value: '3.25' });
  });

  it('agrees with a backtracking matcher on small patterns', () => {
    const piece = fc.constantFrom('a', 'b', '[ab]', 'a*', 'b+', '(?:ab)?', '.', '\\n');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 4 }),
        fc.array(piece, { maxLength: 4 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 }),
        (before, group, text) => {
          const source = `${before.join('')}(${group.join('')})`;
          const expected = [...text.matchAll(new RegExp(source, 'gm'))].map((found) => found[1]);
          const match = matchOne(pattern(source), text);
          if (match.kind === 'none') expect(expected).toEqual([]);
          else if (match.kind === 'match') expect(match.value).toBe(expected[0]);
          else expect(new Set(expected).size).toBeGreaterThan(1);
        },
      ),
    );
  });
});

describe('compilePattern', () => {
  it.each(['(', 'a**b(', '(?=a)', '(a)\\1', '[z-a]'])('gives a reason for %s', (text) => {
    expect(compilePattern(text)).toMatchObject({ ok: false });
  });

  it('refuses what is too long', () => {
    expect(compilePattern(`(${'a'.repeat(900)})`)).toMatchObject({ ok: true });
    expect(compilePattern(`(${'a'.repeat(1000)})`)).toMatchObject({ ok: false });
  });

  it('refuses nested repetition that grows without bound', () => {
    expect(compilePattern('((((a{100}){100}){100}){100})')).toMatchObject({ ok: false });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'(){}[]*+?|\\^$.a1,-:P<é\u0000') }),
        (text) => void compilePattern(text),
      ),
    );
  });
});

describe('parseNumber', () => {
  it.each([
    ['0', 0],
    ['12.5', 12.5],
    [' 12.5 \n', 12.5],
    ['-3', -3],
    ['+3', 3],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1.5E-3', 0.0015],
    ['007', 7],
  ])('reads %j', (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '.',
    '-',
    'e5',
    '1e',
    '100,00',
    '1,000',
    '1_000',
    '1 000',
    '0x10',
    '1e999',
    '-1e999',
    '1.2.3',
    '12ms',
  ])('refuses %j', (text) => expect(parseNumber(text)).toBeNull());

  it.each(['nan', 'NaN', 'inf', 'Infinity', '-Infinity', '١٢', 'null', '1n'])('refuses %j', (text) => {
    expect(parseNumber(text)).toBeNull();
  });

  it('refuses what is too large for a double', () => {
    expect(parseNumber('9'.repeat(300))).toBe(1e300);
    expect(parseNumber('9'.repeat(400))).toBeNull();
    expect(parseNumber(`${'0'.repeat(2000)}1`)).toBeNull();
  });

  it('reads back what JavaScript prints', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseNumber(String(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});
