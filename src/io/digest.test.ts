import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestFile, digestTree } from './digest.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-digest-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function makeTree(name: string): Promise<string> {
  const tree = join(root, name);
  await mkdir(join(tree, 'b', 'empty'), { recursive: true });
  await writeFile(join(tree, 'a.txt'), 'one', { mode: 0o644 });
  await writeFile(join(tree, 'b', 'run'), 'two', { mode: 0o755 });
  await symlink('../a.txt', join(tree, 'b', 'link'));
  return tree;
}

describe('digestFile', () => {
  it('hashes files larger than one chunk, and follows links', async () => {
    const text = 'x'.repeat((1 << 20) + 17);
    await writeFile(join(root, 'big'), text);
    await symlink('big', join(root, 'to-big'));
    const expected = { sha256: sha256(text), bytes: text.length };
    expect(await digestFile(join(root, 'big'))).toEqual(expected);
    expect(await digestFile(join(root, 'to-big'))).toEqual(expected);
  });

  it('hashes an empty file', async () => {
    await writeFile(join(root, 'empty'), '');
    expect(await digestFile(join(root, 'empty'))).toEqual({ sha256: sha256(''), bytes: 0 });
  });

  it('is null for what is no regular file or too large, and does not hang on a pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await writeFile(join(root, 'four'), 'four');
    expect(await digestFile(join(root, 'pipe'))).toBeNull();
    expect(await digestFile(root)).toBeNull();
    expect(await digestFile(join(root, 'four'), 3)).toBeNull();
    expect(await digestFile(join(root, 'four'), 4)).not.toBeNull();
  });

  it('fails with the path and the code', async () => {
    const path = join(root, 'missing');
    await expect(digestFile(path)).rejects.toMatchObject({
      failure: { kind: 'file', path, operation: 'read', code: 'ENOENT' },
    });
  });
});

describe('digestTree', () => {
  it('follows the documented form', async () => {
    const form = [
      'assay-tree-1\n',
      `f - ${sha256('one')} a.txt\0`,
      'd b\0',
      'd b/empty\0',
      'l b/link\0../a.txt\0',
      `f x ${sha256('two')} b/run\0`,
    ].join('');
    expect(await digestTree(await makeTree('t'))).toEqual({ sha256: sha256(form), files: 2, bytes: 6 });
  });

  it('does not depend on place or times', async () => {
    const [one, two] = [await makeTree('one'), await makeTree('two')];
    await utimes(join(two, 'a.txt'), 1, 1);
    expect(await digestTree(two)).toEqual(await digestTree(one));
  });

  const changes: [string, (tree: string) => Promise<unknown>][] = [
    ['content', (tree) => writeFile(join(tree, 'a.txt'), 'One')],
    ['the executable bit', (tree) => chmod(join(tree, 'a.txt'), 0o755)],
    ['a new empty directory', (tree) => mkdir(join(tree, 'c'))],
    ['a missing file', (tree) => rm(join(tree, 'a.txt'))],
    ['a hidden file', (tree) => writeFile(join(tree, 'b', '.hidden'), '')],
    [
      'the target of a link',
      async (tree) => {
        await rm(join(tree, 'b', 'link'));
        await symlink('run', join(tree, 'b', 'link'));
      },
    ],
    ['a pipe', async (tree) => execFileSync('mkfifo', [join(tree, 'pipe')])],
  ];
  it.each(changes)('sees %s', async (_what, change) => {
    const tree = await makeTree('t');
    const before = await digestTree(tree);
    await change(tree);
    expect((await digestTree(tree)).sha256).not.toBe(before.sha256);
  });

  it('tells names apart that are not UTF-8', async () => {
    const digests = new Set<string>();
    for (const byte of [0xfe, 0xff]) {
      const tree = join(root, `t${byte}`);
      await mkdir(tree);
      await writeFile(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([byte])]), '').catch(() => undefined);
      digests.add((await digestTree(tree)).sha256);
    }
    // macOS refuses such names; both trees are empty there.
    expect(digests.size).toBe(process.platform === 'linux' ? 2 : 1);
  });
});
