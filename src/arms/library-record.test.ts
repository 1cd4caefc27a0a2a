import { expect, test } from 'vitest';
import type { LibraryFacts } from './binary/facts.ts';
import type { Inventory } from './binary/inventory.ts';
import { libraryFiles } from './library-record.ts';

const FACTS: LibraryFacts = {
  ...{ sha256: 'ab'.repeat(32), bytes: 1000, linkage: 'static', objects: 2, asserting_objects: 1 },
  ...{
    symbols_known: true,
    rtti: 'no',
    uses: ['snappy', 'gflags'],
    lacks: ['snappy'],
    text_sha256: null,
    marked: null,
  },
  dynamic: { needed: ['/home/alice/libz.so'], soname: null, rpath: [], runpath: ['/home/alice/lib'] },
};
const INVENTORY: Inventory = {
  objects: [{ name: 'a\u001b[2J\u202e\n"b.o', bytes: 10, sha256: 'cd'.repeat(32), code_sha256: null }],
  compilers: [{ compiler: 'Example 1.0', files: 1 }],
  symbols: { defined: 3, undefined: 4 },
};
const named = (path: string, content: string) => ({
  named: path,
  bytes: Buffer.from(content),
  sha256: 'ef'.repeat(32),
});

const files = libraryFiles(
  { arm: 'after', provenance: { library_version: '7.8.3' } },
  {
    ...{ path: '/home/alice/x/librocksdb.a', shown: '/home/alice/x/librocksdb.a', facts: FACTS },
    metadata: [
      named('make_config.mk', 'one'),
      named('/home/alice/../b\nuild/C Cache.txt', 'two'),
      named('x/..', 'three'),
    ],
  },
  INVENTORY,
  (text) => text.replaceAll('/home/alice', '<home>'),
);
const text = files[0]?.content.toString() ?? '';
const record = JSON.parse(text);

test('the record has what is known of the library, and no identity in its paths', () => {
  expect(record).toMatchObject({
    ...{ format: 'assay-library', version: 1, arm: 'after', library: '<home>/x/librocksdb.a', linkage: 'static' },
    ...{ version_in_headers: '7.8.3', version_in_pkg_config: null, symbols: { defined: 3, undefined: 4 } },
    assertions: { asserting_objects: 1, objects: 2 },
    ...{ compression: ['snappy'], other_libraries: ['gflags'], left_to_others: ['snappy'] },
    ...{ needed: ['<home>/libz.so'], run_paths: ['<home>/lib'], objects: INVENTORY.objects, objects_left_out: 0 },
  });
});

test('what strangers called their files steers no terminal, and is still what it was', () => {
  expect(text).not.toMatch(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/u);
  expect(record.objects[0].name).toBe('a\u001b[2J\u202e\n"b.o');
});

test('metadata is copied under names that mean the same everywhere', () => {
  expect(files.slice(1).map(({ path, content }) => [path, content.toString()])).toEqual([
    ['arms/after/metadata/1-make_config.mk', 'one'],
    ['arms/after/metadata/2-C-Cache.txt', 'two'],
    ['arms/after/metadata/3-..', 'three'],
  ]);
  expect(record.metadata[1]).toEqual({
    ...{ named: '<home>/../b\nuild/C Cache.txt', path: 'arms/after/metadata/2-C-Cache.txt', bytes: 3 },
    sha256: 'ef'.repeat(32),
  });
});

test('a very long list of object files is cut, and says so', () => {
  const objects = Array.from({ length: 20_005 }, () => INVENTORY.objects).flat();
  const [cut] = libraryFiles(
    { arm: 'x', provenance: {} },
    { path: '', shown: '', facts: FACTS, metadata: [] },
    { ...INVENTORY, objects },
    (path) => path,
  );
  const found = JSON.parse(cut?.content.toString() ?? '');
  expect([found.objects.length, found.objects_left_out]).toEqual([20_000, 5]);
});
