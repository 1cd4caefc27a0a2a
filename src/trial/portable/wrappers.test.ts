import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { notExecutable, readTimeReport, wrap, wrapperFailure } from './wrappers.ts';

const directory = mkdtempSync(join(tmpdir(), 'assay-wrappers-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, content: string | Buffer, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe('notExecutable', () => {
  it('finds nothing against a binary and a script', () => {
    expect(notExecutable(process.execPath)).toBeNull();
    expect(notExecutable(file('script', `#! ${process.execPath} --no-warnings\n`))).toBeNull();
  });

  it('says what execve would', () => {
    mkdirSync(join(directory, 'folder'));
    expect(notExecutable(join(directory, 'missing'))).toBe('ENOENT');
    expect(notExecutable(join(directory, 'folder'))).toBe('EACCES');
    expect(notExecutable(file('plain', '#!/bin/sh\n', 0o644))).toBe('EACCES');
    expect(notExecutable(join(file('below', ''), 'x'))).toBe('ENOTDIR');
    expect(notExecutable(file('empty', ''))).toBe('ENOEXEC');
    expect(notExecutable(file('text', 'echo this is not for a shell\n'))).toBe('ENOEXEC');
    expect(notExecutable(file('no-interpreter', '#!\n'))).toBe('ENOEXEC');
    expect(notExecutable(file('lost', '#!/missing/interpreter\n'))).toBe('ENOENT');
    const loop = join(directory, 'loop');
    expect(notExecutable(file('loop', `#!${loop}\n`))).toBe('ELOOP');
  });

  it.skipIf(process.platform !== 'linux')('refuses a binary for another processor', () => {
    const head = readFileSync(process.execPath).subarray(0, 64);
    expect(notExecutable(file('same', head))).toBeNull();
    head[18] = 243;
    expect(notExecutable(file('other', head))).toBe('ENOEXEC');
  });
});

describe('GNU time', () => {
  const tools = { time: '/bin/time', taskset: '/bin/taskset', flock: null, sync: null };

  it('is told to write a file, and stands within taskset', () => {
    expect(wrap(['/bin/x', '-a'], tools, '3', '/r')).toEqual([
      '/bin/taskset',
      '-c',
      '3',
      '/bin/time',
      '-o',
      '/r',
      '-f',
      'assay %M %x',
      '/bin/x',
      '-a',
    ]);
    expect(wrap(['/bin/x'], { ...tools, time: null }, null, '/r')).toEqual(['/bin/x']);
  });

  it.each([
    ['assay 1620 0\n', { kind: 'exited', code: 0 }],
    ['Command exited with non-zero status 137\nassay 1620 137\n', { kind: 'exited', code: 137 }],
    ['Command terminated by signal 9\nassay 1620 0\n', { kind: 'signalled', signal: 'SIGKILL' }],
  ])('reports %j', (text, outcome) => {
    expect(readTimeReport(file('report', text))).toEqual({ max_rss_bytes: 1620 * 1024, outcome });
  });

  it('may have been killed before it could report', () => {
    expect(readTimeReport(file('report', ''))).toBeNull();
    expect(readTimeReport(join(directory, 'no-report'))).toBeNull();
  });

  it('is told from its subject when it ends with 126 or 127', () => {
    const stderr = file('stderr', '/bin/time: cannot run /bin/x: No such file or directory\n');
    expect(wrapperFailure(127, '/bin/x', tools, stderr)).toBe('ENOENT');
    expect(wrapperFailure(1, '/bin/x', tools, stderr)).toBeNull();
    expect(wrapperFailure(127, '/bin/y', tools, stderr)).toBeNull();
    const format = file('format', 'taskset: failed to execute /bin/x: Exec format error\n');
    expect(wrapperFailure(126, '/bin/x', tools, format)).toBe('ENOEXEC');
    expect(wrapperFailure(127, '/bin/x', tools, file('said', 'sh: /bin/x: not found\n'))).toBeNull();
  });
});
