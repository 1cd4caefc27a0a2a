import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sameButIdentity, sameValueButIdentity } from './same-text.ts';

it.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['in <home>/db', 'in /home/alice/db', true],
  ['in <home>/db', 'in /home/alice/dc', false],
  ['in <home>/db', 'on /home/alice/db', false],
  ['<user> at <host>', 'alice at box', true],
  ['<user> at <host>', 'alice on box', false],
  ['<env TOKEN>', '', true],
  // The beginning and the end must not overlap.
  ['aba<home>aba', 'aba', false],
  ['<env A B>', 'x', false],
])('%j and %j: %j', (recorded, raw, same) => {
  expect(sameButIdentity(recorded, raw)).toBe(same);
});

it('a text in which something was replaced is the same as before', () => {
  const part = fc.string({ maxLength: 10 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), part, (parts, value) => {
      expect(sameButIdentity(parts.join('<home>'), parts.join(value))).toBe(true);
    }),
  );
});

it('values are the same in shape, keys and numbers', () => {
  expect(sameValueButIdentity({ a: [1, '<home>'] }, { a: [1, '/root'] })).toBe(true);
  expect(sameValueButIdentity({ a: [1, '<home>'] }, { a: [2, '/root'] })).toBe(false);
  expect(sameValueButIdentity({ a: 1 }, { a: 1, b: 1 })).toBe(false);
  expect(sameValueButIdentity({ a: null }, { b: null })).toBe(false);
  expect(sameValueButIdentity([], {})).toBe(false);
  expect(sameValueButIdentity(null, {})).toBe(false);
});
