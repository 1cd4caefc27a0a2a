import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, useGitRig } from '../../../test/git-rig.ts';
import { type TinyRepository, tinyRepository } from '../../../test/tiny-repository.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const rig = useGitRig();

let repository: TinyRepository;
let base: string;
beforeEach(() => {
  rmSync(join(rig.root, 'branched'), { recursive: true, force: true });
  repository = tinyRepository(join(rig.root, 'branched'));
  repository.commit('zeroth', { a: '0' });
  base = repository.commit('the base', { a: '1' });
  repository.git('branch', 'mine');
  repository.commit('on main', { a: '2' });
  repository.git('checkout', '--quiet', 'mine');
  repository.commit('on mine', { a: '3' });
});

const of = (one: string, other: string) =>
  rig.source({ repo: 'branched', rev: { merge_base: [one, other] }, build: [] });

describe('a merge base', () => {
  it('is the commit that two branches have in common', async () => {
    const { provenance } = await rig.prepare(of('main', 'mine'));
    expect(provenance).toMatchObject({
      rev: 'the merge base of main and mine',
      commit: base,
      parent: repository.git('rev-parse', 'mine~2'),
      subject: 'the base',
    });
    expect(provenance).not.toHaveProperty('work_tree');
  });

  it.runIf(FULL)('is found with a branch that only the remote of the clone has', async () => {
    const clone = tinyRepository(join(rig.root, 'branched-clone'));
    clone.git('remote', 'add', 'origin', repository.path);
    clone.git('fetch', '--quiet', 'origin');
    clone.git('checkout', '--quiet', '-b', 'new', 'origin/mine');
    const { provenance } = await rig.prepare({ ...of('origin/main', 'new'), repo: 'branched-clone' });
    expect(provenance['commit']).toBe(base);
  });

  it.runIf(FULL)('is one of several where branches were merged crosswise, and that is said', async () => {
    const [mine, main] = [repository.git('rev-parse', 'mine'), repository.git('rev-parse', 'main')];
    const merge = (one: string, other: string) =>
      repository.git('commit-tree', `${one}^{tree}`, '-p', one, '-p', other, '-m', 'x');
    const { provenance } = await rig.prepare(of(merge(mine, main), merge(main, mine)));
    expect([mine, main]).toContain(provenance['commit']);
    expect(rig.notes).toEqual([expect.stringMatching(/several merge bases; [0-9a-f]{12} is taken\.$/)]);
  });

  it('that is not there is a failure', async () => {
    const stray = repository.git('commit-tree', 'mine^{tree}', '-m', 'stray');
    await expect(rig.prepare(of('main', stray))).rejects.toMatchObject(
      failure({ message: `main and ${stray} have no commit of branched in common` }),
    );
    await expect(rig.prepare(of('main', 'absent'))).rejects.toMatchObject(
      failure({ message: 'branched has no revision absent' }),
    );
    await expect(rig.prepare(of('--all', 'main'))).rejects.toMatchObject(
      failure({ message: 'branched has no revision --all' }),
    );
  });
});

describe('a run that goes on', () => {
  const mine = () => rig.source({ repo: 'branched', rev: 'mine', build: [] });

  it('takes the commit that it began with, and says that the branch has moved', async () => {
    const began = repository.git('rev-parse', 'mine');
    const moved = repository.commit('later', { a: '4' });
    repository.write({ a: 'not committed' });
    const { provenance, warnings } = await rig.prepare(mine(), { recorded: began });
    expect(provenance['commit']).toBe(began);
    expect(rig.notes).toEqual([
      `mine of branched is ${moved.slice(0, 12)} now: the run goes on with ${began.slice(0, 12)}, with which it began.`,
    ]);
    expect(warnings).toEqual([]);
  });

  it('says nothing where nothing has moved', async () => {
    await rig.prepare(mine(), { recorded: repository.git('rev-parse', 'mine') });
    expect(rig.notes).toEqual([]);
  });

  it.runIf(FULL)('takes the commit of a branch that is no longer there', async () => {
    const began = repository.git('rev-parse', 'main');
    repository.git('branch', '--quiet', '-D', 'main');
    const { provenance } = await rig.prepare(of('main', 'mine'), { recorded: began });
    expect(provenance['commit']).toBe(began);
    expect(rig.notes).toEqual([
      expect.stringMatching(/^the merge base of main and mine of branched is no longer there/),
    ]);
  });

  it('fails where the commit is no longer there', async () => {
    const began = '1'.repeat(40);
    await expect(rig.prepare(mine(), { recorded: began })).rejects.toMatchObject(
      failure({ message: `branched has no commit ${began}`, remedy: expect.stringContaining('began with') }),
    );
  });
});
