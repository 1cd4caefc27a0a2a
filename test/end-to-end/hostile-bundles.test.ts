/** Archives made to attack whoever verifies them: refused with a reason, nothing written, memory bounded. */
import { createHash } from 'node:crypto';
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeManifest, MANIFEST } from '../../src/bundle/manifest.ts';
import { encodeRecord } from '../../src/journal/codec.ts';
import { type Entry, entriesOf, manifestOf, padded, rawHeader, tarBytes, withManifest } from '../bundle-archive.ts';
import { makeRun, sha256 } from '../bundle-run.ts';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const MOST_BYTES = 200 * 2 ** 20;
const ZEROS = Buffer.alloc(1024);

let rig: Rig;
let tar: Buffer;
let entries: readonly Entry[];
let mtime: number;
/** The manifest of the true bundle as the first file, for archives that go wrong after it. */
let head: Buffer;

beforeAll(async () => {
  rig = openRig();
  makeRun(join(rig.directory, 'run'), { pairs: 2 });
  expect((await rig.assay(['bundle', 'run'])).code).toBe(0);
  tar = gunzipSync(readFileSync(join(rig.directory, 'run.tar.gz')));
  entries = entriesOf(tar);
  mtime = manifestOf(entries).started_unix_s;
  head = Buffer.concat([
    rawHeader(MANIFEST, entries[0]?.content.length ?? 0, mtime),
    padded(entries[0]?.content ?? ''),
  ]);
  // Says how much memory it took when it ends. What the system accounts for begins with that of the process which started it.
  rig.write(
    'memory.cjs',
    `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
process.on('exit', () => {
  const own = existsSync('/proc/self/status') ? /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) : null;
  writeFileSync(process.env.MEMORY, String(own === null ? process.resourceUsage().maxRSS : own[1]));
});`,
  );
});
afterAll(() => rig.remove());

/** A manifest that names what the test needs. */
function manifest(
  files: readonly { readonly path: string; readonly bytes: number; readonly sha256?: string }[],
): Buffer {
  const text = encodeManifest({
    ...manifestOf(entries),
    files: files.map(({ path, bytes, sha256: sum }) => ({ path, bytes, sha256: sum ?? sha256('') })),
  });
  return Buffer.concat([rawHeader(MANIFEST, Buffer.byteLength(text), mtime), padded(text)]);
}

/** The true archive with the header of its second file, the journal, made otherwise. */
function withHeader(name: string, patch: (block: Buffer) => void, size = entries[1]?.content.length ?? 0): Buffer {
  const header = rawHeader(name, size, mtime, patch);
  return Buffer.concat([head, header, tar.subarray(head.length + 512)]);
}

const kind = (letter: string, name = 'journal.jsonl', target = '') =>
  withHeader(name, (block) => {
    block.write(letter, 156);
    block.write(target, 157);
  });

const pax = (record: string) => {
  const line = `${String(record.length + 4).padStart(2)} ${record}\n`;
  const header = rawHeader('PaxHeaders/journal.jsonl', Buffer.byteLength(line), mtime, (block) =>
    block.write('x', 156),
  );
  return Buffer.concat([head, header, padded(line), tar.subarray(head.length)]);
};

const twoNames = (a: string, b: string) =>
  Buffer.concat([
    manifest([a, b].map((path) => ({ path, bytes: 0 }))),
    rawHeader(a, 0, mtime),
    rawHeader(b, 0, mtime),
    ZEROS,
  ]);

const oneName = (name: string) =>
  Buffer.concat([manifest([{ path: name, bytes: 0 }]), rawHeader(name, 0, mtime), ZEROS]);

const MADE: readonly (readonly [what: string, make: () => Buffer, reason: RegExp])[] = [
  ['a path that leads out', () => oneName('../../evil'), /leads out of the bundle/],
  [
    'a path that leads out, not in the manifest',
    () => withHeader('raw/../../evil', () => {}),
    /leads out of the bundle/,
  ],
  ['an absolute path', () => oneName('/etc/cron.d/evil'), /is absolute/],
  ['a symbolic link', () => kind('2', 'journal.jsonl', '/etc/passwd'), /a symbolic link/],
  ['a hard link', () => kind('1', 'journal.jsonl', 'manifest.json'), /a hard link/],
  ['a character device', () => kind('3'), /a device/],
  ['a block device', () => kind('4'), /a device/],
  ['a pipe', () => kind('6'), /a pipe/],
  ['a folder', () => kind('5'), /a folder/],
  [
    'a file twice',
    () => Buffer.concat([tar.subarray(0, -1024), rawHeader('trials.csv', 0, mtime), ZEROS]),
    /there twice/,
  ],
  ['a name twice in the manifest', () => twoNames('a', 'a'), /there twice/],
  ['names that differ by case', () => twoNames('Raw', 'raw'), /by case or Unicode form/],
  ['names that differ by Unicode form', () => twoNames('caf\u00e9', 'cafe\u0301'), /normal form C/],
  ['a name that is a folder too', () => twoNames('a', 'a/b'), /is a file/],
  ['a pax header that renames', () => pax('path=../../evil'), /a pax header/],
  ['a pax header that resizes', () => pax('size=99999999'), /a pax header/],
  ['a GNU long name', () => kind('L', '././@LongLink'), /is not in its shortest form|a GNU long name/],
  ['a huge declared size', () => withHeader('journal.jsonl', () => {}, 8 ** 11 - 1), /bytes, .* in manifest\.json/],
  ['a negative size in base 256', () => withHeader('journal.jsonl', (block) => block.fill(0xff, 124, 136)), /octal/],
  ['a size with spaces', () => withHeader('journal.jsonl', (block) => block.write('       1234 ', 124)), /octal/],
  ['a checksum with other spacing', () => respaced(), /checksum/],
  ['another mode', () => withHeader('journal.jsonl', (block) => block.write('0004755\0', 100)), /not in the form/],
  ['an owner', () => withHeader('journal.jsonl', (block) => block.write('root', 265)), /not in the form/],
  ['another time', () => withHeader('journal.jsonl', (block) => block.write('00000000001\0', 136)), /time of/],
  ['bytes after the end', () => Buffer.concat([tar, Buffer.alloc(512)]), /bytes follow the end/],
  ['no end', () => tar.subarray(0, -1024), /ends before its end/],
  ['half an end', () => tar.subarray(0, -512), /ends before its end/],
  ['cut off', () => tar.subarray(0, tar.length - 5000), /ends before its end/],
  ['padding that is not zero', () => paddedWith(0x41), /padding/],
  ['an escape in a name', () => oneName('raw/\u001b[2Jx'), /control character/],
  ['a right-to-left mark in a name', () => oneName('raw/\u202egnp.exe'), /control character/],
  ['a backslash in a name', () => oneName('raw\\..\\evil'), /backslash/],
  ['a manifest that is not first', () => tar.subarray(head.length), /the first file is "journal.jsonl"/],
  ['a manifest that is huge', () => rawHeader(MANIFEST, 8 ** 10, mtime), /manifest\.json has/],
  ['a manifest of empty lists', () => bigManifest(`[${'[],'.repeat(4 * 2 ** 20)}0]`), /more than 100000 files/],
  ['a manifest that is deep', () => bigManifest('['.repeat(500_000)), /no manifest/],
  ['a manifest in another form', () => bigManifest(JSON.stringify(manifestOf(entries))), /not in the form/],
  [
    'more files than the limit',
    () => manifest(Array.from({ length: 100_001 }, (_, at) => ({ path: `raw/${at}`, bytes: 0 }))),
    /100000 files/,
  ],
  ['files that are larger than the limit', () => manifest([{ path: 'raw/x', bytes: 2 ** 40 }]), /more than the limit/],
  ['no file of the manifest', () => Buffer.concat([head, ZEROS]), /is in manifest\.json, but not there/],
];

function respaced(): Buffer {
  const changed = Buffer.from(tar);
  const at = head.length + 148;
  const digits = changed.toString('latin1', at, at + 6);
  changed.write(` ${digits.slice(1)} \0`, at);
  return changed;
}

function paddedWith(byte: number): Buffer {
  const changed = Buffer.from(tar);
  changed[head.length - 1] = byte;
  return changed;
}

function bigManifest(text: string): Buffer {
  return Buffer.concat([rawHeader(MANIFEST, Buffer.byteLength(text), mtime), padded(text), ZEROS]);
}

interface Seen {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: number;
}

async function verify(name: string): Promise<Seen> {
  const memory = join(rig.directory, 'memory');
  const before = rig.list('.');
  writeFileSync(memory, '');
  const { code, stdout, stderr } = await rig.assay(['verify', name], {
    NODE_OPTIONS: `--require ${join(rig.directory, 'memory.cjs')}`,
    MEMORY: memory,
    TMPDIR: rig.directory,
  });
  expect(rig.list('.')).toEqual([...new Set([...before, 'memory'])].sort());
  return { code, stdout, stderr, bytes: Number(readFileSync(memory, 'utf8')) * 1024 };
}

function expectRefused(seen: Seen, reason: RegExp): void {
  expect(seen.stderr).toBe('');
  expect(seen.stdout.replace(/\s+/g, ' ')).toMatch(reason);
  expect(seen.stdout).toMatch(/^archive +failed +refused: /);
  expect(seen.stdout).toMatch(/DOES NOT VERIFY\n$/);
  expect(/[\p{C}]/u.exec(seen.stdout.replaceAll('\n', ''))).toBe(null);
  expect(seen.code).toBe(1);
  expect(seen.bytes).toBeGreaterThan(0);
  expect(seen.bytes).toBeLessThan(MOST_BYTES);
}

/** Each takes a start of the program; the readers' own tests, which are quick, make the same faults. */
const TRIED = MADE.filter((_, at) => FULL || at % 12 === 0);

test.each(TRIED)('%s', async (_, make, reason) => {
  rig.write('hostile.tar.gz', '');
  writeFileSync(join(rig.directory, 'hostile.tar.gz'), gzipSync(make(), { level: 1 }));
  expectRefused(await verify('hostile.tar.gz'), reason);
});

test('a second gzip member', async () => {
  writeFileSync(join(rig.directory, 'hostile.tar.gz'), Buffer.concat([gzipSync(tar), gzipSync('evil')]));
  expectRefused(await verify('hostile.tar.gz'), /a second gzip member/);
});

test('bytes after the gzip member', async () => {
  writeFileSync(join(rig.directory, 'hostile.tar.gz'), Buffer.concat([gzipSync(tar), Buffer.from('evil')]));
  expectRefused(await verify('hostile.tar.gz'), /bytes follow the gzip member/);
});

test('a gzip member that is cut off', async () => {
  writeFileSync(join(rig.directory, 'hostile.tar.gz'), gzipSync(tar).subarray(0, -40));
  expectRefused(await verify('hostile.tar.gz'), /damaged or cut off|checksum/);
});

/** An archive of many bytes that are made while they are written. */
async function large(level: number, chunks: () => Iterable<Buffer>): Promise<void> {
  const file = createWriteStream(join(rig.directory, 'hostile.tar.gz'));
  await pipeline(Readable.from(chunks(), { objectMode: true }), createGzip({ level }), file);
}

const MEBIBYTE = Buffer.alloc(2 ** 20);

test('a bomb: far more bytes than the file has', async () => {
  const files = Array.from({ length: 8 }, (_, at) => ({
    path: `raw/${String(at).padStart(2, '0')}`,
    bytes: 32 * 2 ** 20,
  }));
  // So many more than the limit of memory.
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(MOST_BYTES);
  await large(9, function* () {
    yield manifest(files);
    for (const { path, bytes } of files) {
      yield rawHeader(path, bytes, mtime);
      for (let at = 0; at < bytes; at += MEBIBYTE.length) yield MEBIBYTE;
    }
    yield ZEROS;
  });
  const { bytes, ...seen } = await verify('hostile.tar.gz');
  expectRefused({ ...seen, bytes }, /bytes come out of each compressed one/);
});

test.runIf(FULL)('a journal whose one line does not end', async () => {
  const size = 60 * 2 ** 20;
  const block = letters();
  await large(1, function* () {
    const sum = createHash('sha256');
    for (let at = 0; at < size; at += MEBIBYTE.length) sum.update(block);
    yield manifest([{ path: 'journal.jsonl', bytes: size, sha256: sum.digest('hex') }]);
    yield rawHeader('journal.jsonl', size, mtime);
    for (let at = 0; at < size; at += MEBIBYTE.length) yield block;
    yield ZEROS;
  });
  const seen = await verify('hostile.tar.gz');
  expect(seen.code).toBe(1);
  expect(seen.stdout).toMatch(/schema +failed +journal\.jsonl is damaged: line 1 has no end/);
  expect(seen.bytes).toBeLessThan(MOST_BYTES);
});

test.runIf(FULL)('a journal that holds millions of values in a line', async () => {
  const journal = entries.find(({ name }) => name === 'journal.jsonl')?.content.toString() ?? '';
  const first = JSON.parse(journal.split('\n')[0] ?? '').record;
  const line = encodeRecord({ ...first, more: Array.from({ length: 1_000_000 }, () => []) });
  const files = entries.map((entry) =>
    entry.name === 'journal.jsonl' ? { ...entry, content: Buffer.from(line) } : entry,
  );
  writeFileSync(join(rig.directory, 'hostile.tar.gz'), gzipSync(await tarBytes(withManifest(files), mtime)));
  const seen = await verify('hostile.tar.gz');
  expect(seen.code).toBe(1);
  expect(seen.stdout).toMatch(/schema +failed +.*more values than a record/);
  expect(seen.bytes).toBeLessThan(MOST_BYTES);
});

test('nothing of it was ever written', () => {
  expect(readdirSync(join(rig.directory, '..')).filter((name) => name === 'evil')).toEqual([]);
});

/** Letters that are not to be compressed to nothing: they repeat beyond the reach of deflate only. */
function letters(): Buffer {
  const digests = Array.from({ length: 2 ** 15 }, (_, at) => createHash('sha256').update(String(at)).digest('base64'));
  return Buffer.from(digests.join('')).subarray(0, 2 ** 20);
}
