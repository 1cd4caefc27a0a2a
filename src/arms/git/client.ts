/**
 * Running the user's own git, without a shell, on repositories that strangers made. No configuration of the system or the
 * user is read, and what the configuration of a repository itself could have git execute is overridden.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findExecutable } from '../../io/executable.ts';
import { lastLines } from '../last-lines.ts';

/** How one call of git ended. `output` is the end of what it said, control characters removed. */
export type GitOutcome =
  | { readonly kind: 'done'; readonly stdout: Buffer }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout'; readonly output: string }
  | { readonly kind: 'failed'; readonly code: number | null; readonly output: string };

/** Runs `git ARGUMENTS` in a directory. */
export interface Git {
  /** @param settings configuration for this call alone, as pairs of name and value */
  run(directory: string, args: readonly string[], settings?: readonly Setting[]): Promise<GitOutcome>;
  close(): Promise<void>;
}

type Setting = readonly [name: string, value: string];

const TIMEOUT_MS = 3_600_000;
const MOST_OUTPUT_BYTES = 32 << 20;
/** The first version that reads the configuration files that it is told to read, and no others. */
const OLDEST_GIT = [2, 32] as const;

/** They win over the configuration of a repository. Each is here because something ran, or was altered, without it. */
const SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  // Else the attributes of the user's home directory would alter what is checked out.
  ['core.attributesFile', '/dev/null'],
];

const NETWORK = 'git:http:https:ssh';

/**
 * The transports of calls that reach another repository, whatever any configuration says of them. All others reach none,
 * so that a repository cannot have missing objects fetched in its own way. A submodule cannot name a place on this machine.
 */
const TRANSPORTS: Readonly<Record<string, string>> = {
  clone: `file:${NETWORK}`,
  fetch: `file:${NETWORK}`,
  submodule: NETWORK,
};

/** Network settings and what ssh needs. GIT_DIR and its like, which a hook of the user's may have set, do not pass. */
const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|SSH_AUTH_SOCK|SSL_CERT_FILE|SSL_CERT_DIR|(?:https?|all|no)_proxy|(?:HTTPS?|ALL|NO)_PROXY)$/;

/**
 * A git to use on one repository.
 * @param trusted the repository's own directories: git otherwise refuses what belongs to another user
 * @returns a sentence where there is no git that can be used
 */
export async function openGit(
  env: NodeJS.ProcessEnv,
  trusted: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Git | string> {
  const program = await findExecutable('git', env['PATH']);
  if (program === null) return 'git was not found on PATH';
  const version = /^git version (\d+)\.(\d+)/.exec(await versionOf(program));
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
  if (version !== null && (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]))) {
    return `${program} is ${version[0]}, and ${OLDEST_GIT.join('.')} or newer is needed`;
  }
  const own = await mkdtemp(join(tmpdir(), 'assay-git-'));
  // Only configuration from outside of a repository can say so, and of that only files reach the far end of a clone.
  const config = join(own, 'config');
  const lines = trusted.map(
    (directory) => `\tdirectory = "${directory.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`,
  );
  await writeFile(config, `[safe]\n${lines.join('')}`);
  const base = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name))),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: config,
    // No test: what git has in mind for all users of a machine is not a test's to change.
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // So that git says that objects are missing, and not that it may not fetch them; git before 2.45 does not know it.
    GIT_NO_LAZY_FETCH: '1',
  };
  return {
    run: (directory, args, settings = []) => {
      const bounds = {
        GIT_CEILING_DIRECTORIES: dirname(directory),
        GIT_ALLOW_PROTOCOL: TRANSPORTS[args[0] ?? ''] ?? 'none',
      };
      return run(program, directory, args, { ...base, ...bounds, ...configured([...SETTINGS, ...settings]) }, signal);
    },
    close: () => rm(own, { recursive: true, force: true }),
  };
}

function configured(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index): Setting[] => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(settings.length)], ...pairs]);
}

/** What each program said of its version: an arm opens its git several times. */
const versions = new Map<string, Promise<string>>();

function versionOf(program: string): Promise<string> {
  const known = versions.get(program);
  if (known !== undefined) return known;
  const asked = new Promise<string>((resolve) => {
    execFile(program, ['--version'], { timeout: 10_000, env: { LC_ALL: 'C' } }, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    );
  });
  versions.set(program, asked);
  return asked;
}

function run(
  program: string,
  cwd: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
  signal: AbortSignal | undefined,
): Promise<GitOutcome> {
  const options = { cwd, env, signal, timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT_BYTES, encoding: 'buffer' } as const;
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const output = lastLines(stderr.toString());
      if (error === null) resolve({ kind: 'done', stdout });
      else if (signal?.aborted === true) resolve({ kind: 'cancelled' });
      else if (error.killed === true) resolve({ kind: 'timeout', output });
      else {
        const code = typeof error.code === 'number' ? error.code : null;
        resolve({ kind: 'failed', code, output: output === '' && code === null ? error.message : output });
      }
    });
  });
}
