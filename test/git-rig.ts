/** What tests of git arms share: a small repository with a build, and a cache. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { findCommit } from '../src/arms/git/find.ts';
import { prepareGitArm } from '../src/arms/git/git.ts';
import type { GitSource } from '../src/experiment/experiment.ts';
import { digestTree } from '../src/io/digest.ts';
import { type TinyRepository, tinyRepository } from './tiny-repository.ts';

/** Proves that it ran by a file of its own, which also counts how often. */
const BUILD = '#!/bin/sh\necho built >> "$COUNT"\ncp source.txt built.txt\necho "a word of the build"\n';

interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** The full hash that a run began with. */
  readonly recorded?: string;
}

export class GitRig {
  /** The directory of the experiment; `engine` is in it. */
  readonly root = mkdtempSync(join(tmpdir(), 'assay-git-test-'));
  readonly engine: TinyRepository = tinyRepository(join(this.root, 'engine'));
  /** Its commits; the first has the tag v1, the second is main. */
  readonly first = this.engine.commit('First of all\n\nbody', { 'source.txt': 'one\n', 'build.sh': BUILD });
  readonly second = this.#second();
  cache = '';
  progress: string[] = [];
  notes: string[] = [];
  builds = 0;

  #second(): string {
    this.engine.git('tag', '-a', '-m', 'a tag', 'v1');
    return this.engine.commit('Second: faster', { 'source.txt': 'two\n' });
  }

  begin(): void {
    this.cache = mkdtempSync(join(this.root, 'cache-'));
    this.progress = [];
    this.notes = [];
    this.builds = 0;
  }

  /** main of the engine, built by its script, but for what is named here. */
  source(overrides: Partial<GitSource> = {}): GitSource {
    return {
      kind: 'git',
      repo: 'engine',
      rev: 'main',
      submodules: false,
      patch: null,
      build: [['./build.sh']],
      build_env: { COUNT: this.count },
      build_timeout_ms: 60_000,
      again: null,
      ...overrides,
    };
  }

  /** As one arm of an experiment is prepared. */
  async prepare(source: GitSource, { env, signal, recorded }: Surroundings = {}) {
    const context = {
      env: { PATH: process.env['PATH'], HOME: this.root, ...env },
      onProgress: (message: string) => void this.progress.push(message),
      onNote: (message: string) => void this.notes.push(message),
      onBuild: () => void this.builds++,
      onCached: (message: string) => void this.progress.push(message),
      signal,
    };
    const found = await findCommit('new', source, this.root, this.cache, context, recorded ?? null);
    return await prepareGitArm('new', source, found, this.root, this.cache, context);
  }

  /** How often the engine's script has run. */
  built(): number {
    return existsSync(this.count) ? readFileSync(this.count, 'utf8').split('\n').length - 1 : 0;
  }

  /** The file that the engine's script writes a line to. */
  get count(): string {
    return join(this.cache, 'count');
  }

  /** A PATH on which `git` first does something in a shell. */
  pathWithGit(before: string): string {
    const bin = mkdtempSync(join(this.cache, 'bin-'));
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${before}\nexec ${real} "$@"\n`, { mode: 0o755 });
    return `${bin}:${process.env['PATH']}`;
  }

  /** A PATH on which a name is a script. */
  pathWith(name: string, script: string): string {
    const bin = mkdtempSync(join(this.cache, 'bin-'));
    writeFileSync(join(bin, name), script, { mode: 0o755 });
    return `${bin}:${process.env['PATH']}`;
  }
}

/**
 * A rig for the tests of a file.
 * @param cache one for each test, or for all: where arms are only what something else is tested with
 */
export function useGitRig(cache: 'for-each' | 'for-all' = 'for-each'): GitRig {
  const rig = new GitRig();
  beforeAll(() => {
    mkdirSync(rig.root, { recursive: true });
    rig.begin();
  });
  if (cache === 'for-each') beforeEach(() => rig.begin());
  afterAll(() => rmSync(rig.root, { recursive: true, force: true }));
  return rig;
}

/** What a failure of the arm holds. */
export const failure = (expected: object) => ({ failure: { kind: 'arm', arm: 'new', ...expected } });

/** Names, contents, kinds and times of everything in a directory, `.git` included. */
export async function stateOf(path: string): Promise<unknown> {
  const times = (directory: string): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const child = join(directory, entry.name);
      if (entry.isSymbolicLink()) return [];
      const { mtimeMs, ctimeMs, mode, size } = statSync(child);
      const line = `${child} ${mtimeMs} ${ctimeMs} ${mode} ${entry.isFile() ? size : ''}`;
      return entry.isDirectory() ? [line, ...times(child)] : [line];
    });
  return { digest: await digestTree(path), times: times(path) };
}
