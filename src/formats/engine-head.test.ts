import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineHead } from './engine-head.ts';

const HEAD =
  '// assay-engine: name=rocksdb title=RocksDB header=rocksdb/db.h link=-lrocksdb,-lz package=librocksdb-dev variants=leveled,universal log=off,on';

test('the line in the head of an engine says how it is compiled', () => {
  expect(engineHead(`// RocksDB.\n${HEAD}\n#include <x>`)).toEqual({
    name: 'rocksdb',
    title: 'RocksDB',
    header: 'rocksdb/db.h',
    link: ['-lrocksdb', '-lz'],
    flags: [],
    package: 'librocksdb-dev',
    variants: ['leveled', 'universal'],
    logs: [false, true],
  });
});

test('an engine may have no package, no title and no variants', () => {
  expect(
    engineHead('// assay-engine: name=splinterdb header=splinterdb/splinterdb.h link=-lsplinterdb package=-'),
  ).toMatchObject({
    title: 'splinterdb',
    package: null,
    variants: [],
  });
});

test('the words may be on several lines', () => {
  const text =
    '// assay-engine: name=x header=x.h\n// assay-engine: link=-lx define=PLATFORM=linux flags=-fno-rtti,-msse4.2';
  expect(engineHead(text.replace(',-msse4.2', ',-mavx'))).toMatchObject({
    link: ['-lx'],
    flags: ['-DPLATFORM=linux', '-fno-rtti', '-mavx'],
  });
});

test.each([
  ['no line', '// A comment\n'],
  ['no name', HEAD.replace('name=rocksdb ', '')],
  ['a name that is a path', HEAD.replace('name=rocksdb', 'name=../x')],
  ['a link word that is no library', HEAD.replace('-lz', '-Wl,-rpath,/tmp')],
  ['a flag that is a plug-in', `${HEAD} flags=-fplugin=/tmp/x.so`],
  ['a header with a quote', HEAD.replace('rocksdb/db.h', 'a">')],
  ['a line far below the head', '\n'.repeat(50) + HEAD],
])('%s is no engine', (_, text) => {
  expect(engineHead(text)).toBeNull();
});

test('every file of an engine has a head that can be read, under its own name', () => {
  const directory = join(import.meta.dirname, '..', '..', 'drivers', 'engines');
  const names = readdirSync(directory).filter((name) => name.endsWith('.cc') && name !== 'study.cc');
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect(engineHead(readFileSync(join(directory, name), 'utf8'))?.name).toBe(name.replace('.cc', ''));
  }
});
