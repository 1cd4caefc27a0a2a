import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutRoot } from '../../test/without-root.ts';
import { keepRawFile, readRegularFile } from './raw-file.ts';

const MOST = 16 << 20;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-raw-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const reason = (path: string, most = MOST) => {
  const read = readRegularFile(root, path, most);
  return read.ok ? read.bytes.toString() : read.reason;
};

describe('readRegularFile', () => {
  it('reads bytes as they are', () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256));
    mkdirSync(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/c'), bytes);
    const read = readRegularFile(root, 'a/b/c', MOST);
    expect(read.ok && read.bytes.equals(bytes)).toBe(true);
    writeFileSync(join(root, 'empty'), '');
    expect(readRegularFile(root, 'empty', 0)).toEqual({ ok: true, bytes: Buffer.alloc(0) });
  });

  it('refuses what is no regular file', async () => {
    writeFileSync(join(root, 'file'), 'x');
    mkdirSync(join(root, 'directory'));
    symlinkSync('file', join(root, 'link'));
    symlinkSync('nothing', join(root, 'dangling'));
    symlinkSync('/etc', join(root, 'out'));
    symlinkSync('loop', join(root, 'loop'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((done) => server.once('listening', done));
    expect(reason('link')).toBe('is a symbolic link');
    expect(reason('dangling')).toBe('is a symbolic link');
    expect(reason('loop')).toBe('is a symbolic link');
    expect(reason('out/passwd')).toBe('lies behind a symbolic link');
    expect(reason('directory')).toBe('is a directory');
    expect(reason('pipe')).toBe('is a pipe');
    expect(reason('socket')).toBe('is a socket');
    server.close();
  });

  it.each(['none', 'none/x', 'file/x'])('says that %s does not exist', (path) => {
    writeFileSync(join(root, 'file'), 'x');
    expect(reason(path)).toBe('does not exist');
  });

  it.each(['', '/', '/etc/passwd', '..', '../x', 'a/../../x', 'a//b', './a', 'a/.', 'a\0b'])(
    'refuses the path %j',
    (path) => {
      expect(reason(path)).toBe('is not a plain path within the directory');
    },
  );

  it('takes exactly as much as is allowed', () => {
    writeFileSync(join(root, 'file'), 'x'.repeat(1000));
    expect(reason('file', 1000)).toHaveLength(1000);
    expect(reason('file', 999)).toBe('is larger than 999 bytes');
    writeFileSync(join(root, 'large'), Buffer.alloc(MOST + 1));
    expect(reason('large')).toBe('is larger than 16 MiB');
  });

  it.runIf(process.platform === 'linux')('does not trust the size that a file says it has', () => {
    const read = readRegularFile('/proc/self', 'status', MOST);
    expect(read.ok && read.bytes.toString()).toContain('VmRSS');
    expect(readRegularFile('/proc/self', 'status', 10)).toEqual({ ok: false, reason: 'is larger than 10 bytes' });
    expect(readRegularFile('/dev', 'zero', MOST)).toEqual({ ok: false, reason: 'is a device' });
  });

  it('says when a file may not be read', async () => {
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'file'), 'x');
    chmodSync(join(root, 'file'), 0);
    expect(await withoutRoot(() => reason('file'))).toBe('cannot be read (EACCES)');
  });
});

describe('keepRawFile', () => {
  it('keeps what it read, with its digest', () => {
    writeFileSync(join(root, 'file'), 'content');
    const sha256 = createHash('sha256').update('content').digest('hex');
    const copy = join(root, 'copy');
    expect(keepRawFile(root, 'file', MOST, copy)).toEqual({ ok: true, bytes: Buffer.from('content'), sha256 });
    expect(readFileSync(copy, 'utf8')).toBe('content');
  });

  it('writes nothing where there is nothing to read', () => {
    expect(keepRawFile(root, 'none', MOST, join(root, 'copy'))).toEqual({ ok: false, reason: 'does not exist' });
    expect(reason('copy')).toBe('does not exist');
  });

  it('overwrites nothing', () => {
    writeFileSync(join(root, 'file'), 'new');
    writeFileSync(join(root, 'copy'), 'old');
    expect(() => keepRawFile(root, 'file', MOST, join(root, 'copy'))).toThrow(
      expect.objectContaining({
        failure: { kind: 'file', path: join(root, 'copy'), operation: 'keep a raw file', code: 'EEXIST' },
      }),
    );
    expect(readFileSync(join(root, 'copy'), 'utf8')).toBe('old');
  });
});
