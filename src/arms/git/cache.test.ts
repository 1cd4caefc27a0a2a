import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useGitRig } from '../../../test/git-rig.ts';
import type { GitSource } from '../../experiment/experiment.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const rig = useGitRig();

describe('the cache', () => {
  it('builds once for the same tree, whatever the revision is called', async () => {
    const one = await rig.prepare(rig.source());
    const two = await rig.prepare(rig.source({ rev: rig.second }));
    expect(two.dir).toBe(one.dir);
    expect(rig.built()).toBe(1);
    expect(rig.builds).toBe(1);
    expect(two.tree).toEqual(one.tree);
  });

  const OTHERS: readonly (readonly [string, Partial<GitSource>])[] = [
    ['commands', { build: [['./build.sh'], ['true']] }],
    ['environment', { build_env: { COUNT: '/dev/null' } }],
    ['revision', { rev: 'v1' }],
    ['compiler', { build_env: { CC: 'true' } }],
  ];
  it.each(FULL ? OTHERS : OTHERS.slice(0, 2))('builds anew for another %s', async (_what, other) => {
    const one = await rig.prepare(rig.source());
    const two = await rig.prepare(rig.source({ build: [['true']], ...other }));
    expect(two.dir).not.toBe(one.dir);
    expect(two.dir.length).toBe(one.dir.length);
  });

  it('says that it is used, and when it was built', async () => {
    const said = () => rig.progress.filter((message) => message.includes('taken'));
    const one = await rig.prepare(rig.source());
    expect(said()).toEqual([]);
    utimesSync(join(one.dir, '..', 'entry.json'), 0, Date.parse('2026-11-30T12:34:56Z') / 1000);
    const two = await rig.prepare(rig.source());
    expect(said()).toEqual(['taken from the cache, built 2026-11-30 12:34 UTC']);
    expect(two.provenance).toEqual(one.provenance);
  });

  it('builds anew what has changed in it, and says so', async () => {
    const one = await rig.prepare(rig.source());
    writeFileSync(join(one.dir, 'built.txt'), 'swapped');
    const two = await rig.prepare(rig.source());
    expect(two.tree).toEqual(one.tree);
    expect(rig.built()).toBe(2);
    expect(rig.progress).toContain(
      `main (${rig.second.slice(0, 12)}) in the cache is not as it was built: building it again`,
    );
  });

  it.runIf(FULL)('begins anew where a build was cut short', async () => {
    const one = await rig.prepare(rig.source());
    rmSync(join(one.dir, '..', 'entry.json'));
    writeFileSync(join(one.dir, 'half'), '');
    expect((await rig.prepare(rig.source())).tree).toEqual(one.tree);
    expect(rig.built()).toBe(2);
  });

  it('builds once where two want the same at once', async () => {
    const slow = rig.source({ build: [['/bin/sh', '-c', './build.sh; sleep 0.3']] });
    const [one, two] = await Promise.all([rig.prepare(slow), rig.prepare(slow)]);
    expect(two).toEqual(one);
    expect(rig.built()).toBe(1);
    expect(rig.progress).toContain('waiting for another Assay that prepares the same');
    expect(readdirSync(join(rig.cache, 'locks'))).toEqual([]);
  });

  it('prepares the same source again from nothing in a directory of its own', async () => {
    const one = await rig.prepare(rig.source());
    const two = await rig.prepare(rig.source({ again: { of: 'old', copy: 1 } }));
    const three = await rig.prepare(rig.source({ again: { of: 'old', copy: 2 } }));
    expect(new Set([one.dir, two.dir, three.dir]).size).toBe(3);
    expect(new Set([one.dir.length, two.dir.length, three.dir.length]).size).toBe(1);
    expect(two.tree).toEqual(one.tree);
    expect(rig.built()).toBe(3);
    expect(two.provenance['again']).toContain('old');
  });
});
