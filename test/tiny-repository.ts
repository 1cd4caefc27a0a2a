/** A git repository that a test makes for itself. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Git without the configuration of whoever runs the tests, and with dates of its own. */
const ENV = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
};

export interface TinyRepository {
  readonly path: string;
  /** Runs git in it, and gives what it prints without the last line's end. */
  git(...args: string[]): string;
  /** Writes files; those whose text begins with `#!` are executable. */
  write(files: Readonly<Record<string, string>>): void;
  /** Writes files and commits everything. Gives the hash. */
  commit(message: string, files: Readonly<Record<string, string>>): string;
}

export function tinyRepository(path: string): TinyRepository {
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path, env: ENV, stdio: 'pipe' }).toString().trimEnd();
  const write: TinyRepository['write'] = (files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
    }
  };
  git('init', '--quiet', '--initial-branch=main');
  return {
    path,
    git,
    write,
    commit(message, files) {
      write(files);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}
