import { expect, test } from 'vitest';
import type { ObjectFile } from '../binary/inventory.ts';
import { compareObjects } from './objects.ts';

/** `name=code`; a code that begins with `!` is not understood. */
function library(arm: string, ...members: readonly string[]) {
  const objects = members.map((member, at): ObjectFile => {
    const [name = '', code = ''] = member.split('=');
    return { name, bytes: 10, sha256: `${code} ${at}`, code_sha256: code.startsWith('!') ? null : code };
  });
  return { arm, shown: `{arm.dir}/lib${arm}.a`, objects };
}

const compare = (left: readonly string[], right: readonly string[]) =>
  compareObjects(library('old', ...left), library('new', ...right));

test('the same machine code, in any order', () => {
  expect(compare(['a.o=1', 'b.o=2'], ['b.o=2', 'a.o=1'])).toEqual({
    ...{ arm: 'new', reference: 'old', arm_path: '{arm.dir}/libnew.a', reference_path: '{arm.dir}/libold.a' },
    ...{ same: 2, differ: 0, only_in_arm: 0, only_in_reference: 0, unequal: [], rest: 0, as_bytes: 0 },
  });
});

test('what differs and what only one side has, by name', () => {
  expect(compare(['z.o=1', 'b.o=2', 'gone.o=3'], ['z.o=9', 'b.o=2', 'added.o=4'])).toMatchObject({
    ...{ same: 1, differ: 1, only_in_arm: 1, only_in_reference: 1, rest: 0 },
    unequal: [
      { name: 'added.o', where: 'arm' },
      { name: 'gone.o', where: 'reference' },
      { name: 'z.o', where: 'both' },
    ],
  });
});

test('several of one name: those that are the same belong together', () => {
  expect(compare(['util.o=1', 'util.o=2'], ['util.o=2', 'util.o=1'])).toMatchObject({ same: 2, differ: 0 });
  expect(compare(['util.o=1', 'util.o=2'], ['util.o=2', 'util.o=3'])).toMatchObject({
    ...{ same: 1, differ: 1 },
    unequal: [{ name: 'util.o', where: 'both' }],
  });
});

test('without machine code that is understood, bytes are compared', () => {
  expect(compare(['a.o=!x', 'b.o=!y'], ['a.o=!x', 'b.o=!z'])).toMatchObject({ same: 1, differ: 1, as_bytes: 2 });
  expect(compare(['a.o=!x'], ['a.o=1'])).toMatchObject({ same: 0, differ: 1, as_bytes: 1 });
});

test('a long list is cut', () => {
  const many = Array.from({ length: 250 }, (_, at) => `${String(at).padStart(3, '0')}.o=`);
  const found = compare(
    many.map((name) => `${name}1`),
    many.map((name) => `${name}2`),
  );
  expect([found.differ, found.unequal.length, found.rest, found.unequal[199]?.name]).toEqual([250, 200, 50, '199.o']);
  expect(compare([`${'n'.repeat(2000)}=1`], [])?.unequal[0]?.name).toHaveLength(501);
});
