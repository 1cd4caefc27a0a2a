/**
 * The user's repository is read and never written, whatever state it is in. (Of an index that is split, git itself sets the
 * time of the shared part whenever it reads one: that is left.)
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stateOf, useGitRig } from '../../../test/git-rig.ts';
import { tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';

const rig = useGitRig();

it('is as it was, byte for byte and to the time of each file', async () => {
  const { path, ...user } = tinyRepository(join(rig.root, 'users'));
  user.commit('one', { kept: '1\n', staged: '1\n', changed: '1\n', removed: '1\n', same: '1\n' });
  user.git('branch', 'other');
  user.commit('two', { kept: '2\n' });
  user.git('pack-refs', '--all');
  user.write({ changed: 'stashed\n' });
  user.git('stash');
  const stray = user.git('commit-tree', 'HEAD^{tree}', '-m', 'stray');
  const linked = join(rig.root, 'users-linked');
  user.git('worktree', 'add', '--quiet', linked, 'other');
  user.git('config', 'core.untrackedCache', 'true');
  user.git('config', 'gc.auto', '1');
  user.write({ staged: '2\n', untracked: '' });
  user.git('add', 'staged');
  user.write({ changed: '2\n', same: '1\n' });
  rmSync(join(path, 'removed'));
  writeFileSync(join(linked, 'changed'), '3\n');
  writeFileSync(join(rig.root, 'users.diff'), `${user.git('diff', '--', 'changed')}\n`);
  const before = [await stateOf(path), await stateOf(linked)];

  const build: GitSource['build'] = [
    ['/bin/sh', '-c', 'git status; git fetch; git stash list; git gc -q; echo >> kept'],
  ];
  const of = (overrides: Partial<GitSource>) => rig.source({ repo: 'users', rev: 'HEAD', build, ...overrides });
  const dirty = await rig.prepare(of({ patch: 'users.diff' }));
  await rig.prepare(of({ rev: { merge_base: ['main', 'other'] } }));
  await rig.prepare(of({ rev: 'stash@{0}', submodules: true }));
  await rig.prepare(of({ rev: stray, build: [] }));
  await rig.prepare(of({ repo: 'users-linked', build: [] }));
  await rig.prepare(of({ repo: `file://${path}`, rev: 'other', build: [] }));

  expect([await stateOf(path), await stateOf(linked)]).toEqual(before);
  expect(dirty.provenance['work_tree']).toBe('3 changed files are not in this revision');
  expect(dirty.warnings).toEqual([
    {
      code: 'work-tree-changed',
      message:
        '3 changed files in the work tree of users are not in HEAD, and in what was built only as far as users.diff has them',
      remedy: expect.stringContaining('commit'),
    },
  ]);
});
