import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, useGitRig } from '../../../test/git-rig.ts';
import { tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';

const rig = useGitRig();

/** Found among all processes of the machine, where other tests may run too. */
const LATE = `sleep 47.${process.pid}`;

describe('what cannot be had', () => {
  it.each<[string, Partial<GitSource>, RegExp, RegExp]>([
    [
      'no such revision',
      { rev: 'absent' },
      /^engine has no revision absent$/,
      /spelling.*: git -C \S+engine rev-parse --verify absent$/,
    ],
    ['a file', { rev: 'HEAD:source.txt' }, /^engine has no commit HEAD:source\.txt$/, /./],
    ['a range', { rev: 'v1..main' }, /has no revision v1\.\.main/, /./],
    [
      'nothing in common',
      { rev: { merge_base: ['main', 'absent'] } },
      /^engine has no revision absent$/,
      /git -C \S+engine rev-parse --verify absent$/,
    ],
    ['an option', { rev: '--all' }, /has no revision --all/, /./],
    ['no directory', { repo: 'absent' }, /^there is no directory .*absent/, /directory of the experiment/],
    ['no repository', { repo: '.' }, /cannot be used as a git repository/, /top directory/],
    ['a folder within one', { repo: 'engine/inner' }, /cannot be used as a git repository/, /top directory/],
  ])('%s', async (_what, overrides, message, remedy) => {
    mkdirSync(join(rig.engine.path, 'inner'), { recursive: true });
    await expect(rig.prepare(rig.source(overrides))).rejects.toMatchObject(
      failure({ message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) }),
    );
    expect(rig.built()).toBe(0);
  });

  it('git', async () => {
    await expect(rig.prepare(rig.source(), { env: { PATH: '/nowhere' } })).rejects.toMatchObject(
      failure({ message: 'a git arm needs git: git was not found on PATH' }),
    );
  });

  it('an old git', async () => {
    const bin = join(rig.cache, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.31.9\n', { mode: 0o755 });
    await expect(rig.prepare(rig.source(), { env: { PATH: bin } })).rejects.toMatchObject(
      failure({ message: expect.stringContaining('2.32 or newer is needed') }),
    );
  });

  it('a build that fails: its last lines, the log, and the source to look at', async () => {
    const build: GitSource['build'] = [
      [
        '/bin/sh',
        '-c',
        'seq 1 100; printf "\\033[31mx.cc:1:10: fatal error: zstd.h: No such file or directory\\n"; exit 2',
      ],
      ['./build.sh'],
    ];
    const ended = rig.prepare(rig.source({ build }));
    await expect(ended).rejects.toMatchObject(
      failure({
        message: expect.stringMatching(/^the build failed: seq 1 100; .* exited with 2$/),
        detail: expect.stringMatching(/^90\n(?:\d+\n){10}x\.cc:1:10: fatal error: zstd\.h: No such file or directory$/),
        remedy: expect.stringMatching(/^The header zstd\.h is missing.* The whole log: .*build\.log$/),
      }),
    );
    expect(rig.built()).toBe(0);
    const log = await ended.catch((error: { failure: { remedy: string } }) => error.failure.remedy.split('log: ')[1]);
    expect(readFileSync(String(log), 'utf8')).toContain('\n42\n');
    expect((await rig.prepare(rig.source())).provenance['build']).toBe('./build.sh');
  });

  it('a build that prints nothing', async () => {
    const build: GitSource['build'] = [['/bin/sh', '-c', 'echo "zstd.h: No such file or directory"'], ['false']];
    await expect(rig.prepare(rig.source({ build }))).rejects.toMatchObject(
      failure({
        message: 'the build failed: false exited with 1',
        detail: '',
        remedy: expect.stringMatching(/^It printed nothing: run it by hand in \S+\/source to see why\.$/),
      }),
    );
  });

  it('a build that takes too long, with whatever it has started', async () => {
    const build: GitSource['build'] = [['/bin/sh', '-c', `(trap "" TERM; ${LATE}) & ${LATE}; true`]];
    await expect(rig.prepare(rig.source({ build, build_timeout_ms: 300 }))).rejects.toMatchObject(
      failure({ message: expect.stringContaining('build_timeout') }),
    );
    await expect.poll(() => running(LATE)).toEqual([]);
  });

  it('a build that the user stops', async () => {
    const stop = new AbortController();
    const build: GitSource['build'] = [['/bin/sh', '-c', `echo begun >> "$COUNT"; ${LATE}`]];
    const ended = rig.prepare(rig.source({ build }), { signal: stop.signal });
    ended.catch(() => undefined);
    while (rig.built() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    await expect(ended).rejects.toMatchObject(failure({ message: 'the build was stopped' }));
    await expect.poll(() => running(LATE)).toEqual([]);
    expect(readdirSync(join(rig.cache, 'git'))).toEqual([]);
    expect(readdirSync(join(rig.cache, 'locks'))).toEqual([]);
  });

  it('a program that is not there', async () => {
    await expect(rig.prepare(rig.source({ build: [['no-such-tool', '-j4']] }))).rejects.toMatchObject(
      failure({ message: 'the build failed: no-such-tool -j4 names a program that is not there' }),
    );
  });

  it('submodules that were not asked for are a hint', async () => {
    const outer = tinyRepository(join(rig.root, 'outer'));
    outer.commit('x', { '.gitmodules': '[submodule "dep"]\n\tpath = dep\n\turl = https://example.org/dep\n' });
    await expect(rig.prepare(rig.source({ repo: 'outer', build: [['false']] }))).rejects.toMatchObject(
      failure({ remedy: expect.stringContaining('`submodules: true`') }),
    );
  });
});

function running(command: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.startsWith(command));
}
