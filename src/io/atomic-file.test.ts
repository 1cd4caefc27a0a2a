import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutRoot } from '../../test/without-root.ts';
import { writeFileAtomically } from './atomic-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-atomic-'));
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true, force: true });
});

describe('writeFileAtomically', () => {
  it('writes and replaces, and leaves nothing beside it', async () => {
    const path = join(directory, 'report.md');
    await writeFileAtomically(path, 'one é\n');
    expect(readFileSync(path, 'utf8')).toBe('one é\n');
    await writeFileAtomically(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(directory)).toEqual(['report.md']);
  });

  it('gives the mode that was asked for', async () => {
    await writeFileAtomically(join(directory, 'secret'), 'x', 0o600);
    expect(statSync(join(directory, 'secret')).mode & 0o777).toBe(0o600);
  });

  it('replaces a link and not what it leads to', async () => {
    writeFileSync(join(directory, 'target'), 'old');
    symlinkSync('target', join(directory, 'link'));
    await writeFileAtomically(join(directory, 'link'), 'new');
    expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('old');
    expect(readFileSync(join(directory, 'link'), 'utf8')).toBe('new');
  });

  it('bears a name as long as names can be', async () => {
    const path = join(directory, 'é'.repeat(127));
    await writeFileAtomically(path, 'x');
    expect(readFileSync(path, 'utf8')).toBe('x');
  });

  it('says what failed, and leaves the old content and nothing else', async () => {
    mkdirSync(join(directory, 'taken'));
    writeFileSync(join(directory, 'taken/old'), 'old');
    await expect(writeFileAtomically(join(directory, 'taken'), 'x')).rejects.toMatchObject({
      failure: { kind: 'file', path: join(directory, 'taken'), operation: 'write', code: 'EISDIR' },
    });
    expect(readdirSync(directory)).toEqual(['taken']);
    await expect(writeFileAtomically(join(directory, 'none/x'), 'x')).rejects.toMatchObject({
      failure: { code: 'ENOENT' },
    });
  });

  it('says when a directory may not be written', async () => {
    chmodSync(directory, 0o555);
    await expect(withoutRoot(() => writeFileAtomically(join(directory, 'x'), 'x'))).rejects.toMatchObject({
      failure: { code: 'EACCES' },
    });
  });
});

/** Files of this process can grow no larger than so many bytes, as on a disk that is nearly full. */
function limitFiles(bytes: number | 'unlimited'): boolean {
  return spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]).status === 0;
}

describe.runIf(process.platform === 'linux')('where there is no room', () => {
  it('keeps the old content and says what happened', async ({ skip }) => {
    const path = join(directory, 'report.md');
    await writeFileAtomically(path, 'old');
    if (!limitFiles(4096)) skip('needs prlimit of util-linux');
    try {
      await expect(writeFileAtomically(path, 'x'.repeat(100_000))).rejects.toMatchObject({
        failure: { kind: 'file', path, operation: 'write', code: 'EFBIG' },
      });
    } finally {
      limitFiles('unlimited');
    }
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(directory)).toEqual(['report.md']);
  });
});
