import { expect, test } from 'vitest';
import { demangle, namePattern } from './demangle.ts';

test.each([
  ['rocksdb::WriteBatch::Put', 'rocksdb::WriteBatch::Put(rocksdb::Slice const&, rocksdb::Slice const&)', true],
  ['rocksdb::WriteBatch::Put', 'rocksdb::WriteBatch::Put(rocksdb::Slice const&) [clone .cold]', true],
  ['rocksdb::WriteBatch::Put', 'rocksdb::WriteBatch::PutEntity(int)', false],
  ['rocksdb::WriteBatch::Put', 'other(rocksdb::WriteBatch::Put)', false],
  ['WriteBatch::Put', 'rocksdb::WriteBatch::Put(int)', false],
  ['*WriteBatch::Put', 'rocksdb::WriteBatch::Put(int)', true],
  ['ns::make', 'void ns::make<int>(int)', false],
  ['ns::make<int>', 'void ns::make<int>(int)', true],
  ['ns::*', 'void ns::make<int>(int)', true],
  ['assay_timed_*', 'assay_timed_write', true],
  ['(anonymous namespace)::f', '(anonymous namespace)::f(int)', true],
  ['a.c', 'abc', false],
  ['main', 'main', true],
])('%s asks for %s: %s', (pattern, name, asks) => expect(namePattern(pattern)(name)).toBe(asks));

test('a pattern made to take long does not', () => {
  expect(namePattern('*a'.repeat(200))(`${'a'.repeat(4000)}b`)).toBe(false);
});

test('without c++filt names stay, and nothing in them reaches a terminal', async () => {
  const names = ['_Z1fv', 'evil\x1b[31m\nname', Buffer.from('größe').toString('latin1'), ''];
  expect(await demangle(names, { env: { PATH: '/no/such/directory' } })).toEqual([
    '_Z1fv',
    'evil\ufffd[31m\ufffdname',
    'größe',
    '',
  ]);
});
