import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, deeperThan, resolvePointer } from './json-value.ts';

describe('resolvePointer', () => {
  // The example of RFC 6901, section 5.
  const document = JSON.parse(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
  );

  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j', (pointer, value) => {
    expect(resolvePointer(document, pointer)).toEqual(value);
  });

  it.each([
    'foo',
    '/foo/2',
    '/foo/-',
    '/foo/00',
    '/foo/length',
    '/foo/0/length',
    '/none',
    '/toString',
    '/__proto__',
    '/constructor/name',
  ])('finds nothing at %j', (pointer) => expect(resolvePointer(document, pointer)).toBeUndefined());

  it('unescapes ~01 to ~1', () => {
    expect(resolvePointer({ '~1': 1, '/': 2 }, '/~01')).toBe(1);
  });

  it('finds a key named __proto__ that the document holds', () => {
    expect(resolvePointer(JSON.parse('{"__proto__":{"x":1}}'), '/__proto__/x')).toBe(1);
  });

  it('finds every key of any document', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue({ maxDepth: 2 }), (key, value) => {
        const escaped = key.replaceAll('~', '~0').replaceAll('/', '~1');
        expect(resolvePointer(Object.fromEntries([[key, value]]), `/${escaped}`)).toEqual(value);
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 2, c: 'x' }], a: null })).toBe('{"a":null,"b":[1,{"c":"x","d":2}]}');
  });

  it('tells numbers from strings', () => {
    expect(canonicalJson('5')).toBe('"5"');
    expect(canonicalJson(5)).toBe('5');
  });

  it('refuses numbers that reading may have rounded', () => {
    expect(canonicalJson(JSON.parse('9007199254740993'))).toBeNull();
    expect(canonicalJson({ a: [-(2 ** 53)] })).toBeNull();
    expect(canonicalJson(2 ** 53 - 1)).toBe('9007199254740991');
  });

  it('is the same for equal values only', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = canonicalJson(value);
        fc.pre(text !== null);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });
});

describe('deeperThan', () => {
  it('counts levels', () => {
    expect(deeperThan(1, 0)).toBe(false);
    expect(deeperThan([[1]], 2)).toBe(false);
    expect(deeperThan([[1]], 1)).toBe(true);
  });

  it('survives what recursion would not', () => {
    expect(deeperThan(JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)), 64)).toBe(true);
  });
});
