/** Nothing of the user's or the system's configuration, and no variable, has a say in how an arm is prepared. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Canaries, canaries } from '../../../test/canaries.ts';
import { type FileServer, serveFiles } from '../../../test/file-server.ts';
import { useGitRig } from '../../../test/git-rig.ts';
import { AssayError } from '../../failures.ts';

const rig = useGitRig();

let birds: Canaries;
let server: FileServer;
let locked: FileServer;

beforeAll(async () => {
  rig.engine.git('update-server-info');
  server = await serveFiles(rig.root);
  locked = await serveFiles(rig.root, true);
});
afterAll(() => Promise.all([server.close(), locked.close()]));
beforeEach(() => {
  birds = canaries(rig.cache);
});

const ATTRIBUTES = '* filter=evil text eol=crlf\n';

function configuration(path: string, name: string): void {
  const rewritten = `url.ext::touch ${birds.mark(`${name}-rewritten`)} .insteadOf`;
  writeFileSync(path, birds.configuration(name, [[rewritten, server.address]]));
}

/** A home directory with all that git looks for in one. */
function home(): string {
  const directory = mkdtempSync(join(rig.cache, 'home-'));
  mkdirSync(join(directory, '.config', 'git'), { recursive: true });
  configuration(join(directory, '.gitconfig'), 'user');
  configuration(join(directory, '.config', 'git', 'config'), 'xdg');
  writeFileSync(join(directory, '.config', 'git', 'attributes'), ATTRIBUTES);
  return directory;
}

/** What a hook, a script or a person may have set. */
function variables(): NodeJS.ProcessEnv {
  const xdg = mkdtempSync(join(rig.cache, 'xdg-'));
  mkdirSync(join(xdg, 'git'));
  configuration(join(xdg, 'git', 'config'), 'variable');
  writeFileSync(join(xdg, 'git', 'attributes'), ATTRIBUTES);
  return {
    XDG_CONFIG_HOME: xdg,
    GIT_CONFIG_SYSTEM: join(xdg, 'git', 'config'),
    GIT_CONFIG_GLOBAL: join(xdg, 'git', 'config'),
    GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${birds.command('parameters')}'`,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: birds.command('count'),
    GIT_TEMPLATE_DIR: birds.template('template'),
    GIT_EXEC_PATH: birds.mark('no-such-directory'),
    GIT_TRACE: birds.mark('trace'),
    GIT_SSH: birds.program('ssh'),
    GIT_SSH_COMMAND: birds.command('ssh-command'),
    GIT_PROXY_COMMAND: birds.program('proxy-command'),
    GIT_ASKPASS: birds.program('askpass'),
    SSH_ASKPASS: birds.program('ssh-askpass'),
    GIT_EXTERNAL_DIFF: birds.program('external-diff'),
    GIT_PAGER: birds.command('git-pager'),
    PAGER: birds.command('pager'),
    GIT_EDITOR: birds.command('editor'),
    GIT_DIR: join(rig.root, 'nowhere'),
    GIT_WORK_TREE: join(rig.root, 'nowhere'),
    GIT_INDEX_FILE: birds.mark('index'),
    GIT_OBJECT_DIRECTORY: birds.mark('objects'),
    GIT_NAMESPACE: 'nowhere',
    GIT_ALLOW_PROTOCOL: 'ext',
    GIT_NO_REPLACE_OBJECTS: '0',
  };
}

const FROM = {
  'a path': () => 'engine',
  'an address': () => `${server.address}/engine/.git`,
};

describe.each(Object.entries(FROM))('%s', (_name, repo) => {
  it.each<[string, () => NodeJS.ProcessEnv]>([
    ['the home directory', () => ({ HOME: home() })],
    ['variables', variables],
    [
      'the system',
      () => {
        const path = join(rig.cache, 'system');
        configuration(path, 'system');
        return { PATH: rig.pathWithGit(`export GIT_CONFIG_SYSTEM=${path}`) };
      },
    ],
  ])('%s', async (_what, env) => {
    // Changed, so that its content is compared.
    rig.engine.write({ 'source.txt': 'TWO\n' });
    const arm = await rig.prepare(rig.source({ repo: repo(), build: [] }), { env: env() });
    rig.engine.git('checkout', '--quiet', '--', '.');
    expect(birds.fired()).toEqual([]);
    expect(readFileSync(join(arm.dir, 'source.txt'), 'utf8')).toBe('two\n');
    expect(existsSync(join(arm.dir, '..', 'repository', 'hooks'))).toBe(false);
    expect(arm.provenance['commit']).toBe(rig.second);
  });
});

it.each<[string, () => string, readonly string[]]>([
  ['a path', () => rig.engine.path, ['process', 'reference-transaction']],
  ['a path by an address', () => `file://${rig.engine.path}`, ['pack']],
  ['an address', () => `${server.address}/engine/.git`, ['rewritten']],
  ['one that wants a password', () => `${locked.address}/engine/.git`, ['credential']],
  ['ssh', () => 'host:path', ['ssh']],
  ['git', () => 'git://127.0.0.1:1/x', ['proxy']],
])('a git that is not held back runs what the home directory names: %s', async (_what, repo, expected) => {
  const env = { PATH: process.env['PATH'], HOME: home(), GIT_TERMINAL_PROMPT: '0' };
  const cloning = promisify(execFile)('git', ['clone', repo(), join(rig.cache, 'clone')], { env, timeout: 20_000 });
  await cloning.catch(() => undefined);
  expect(birds.fired().map((name) => name.replace(/^(?:user|xdg)-/, ''))).toEqual(
    expect.arrayContaining([...expected]),
  );
});

describe('a transport', () => {
  const everything = () => ({ HOME: home(), ...variables() });
  const refusal = async (repo: string, env: NodeJS.ProcessEnv) => {
    const error: unknown = await rig.prepare(rig.source({ repo }), { env }).catch((thrown: unknown) => thrown);
    if (!(error instanceof AssayError) || error.failure.kind !== 'arm') throw error;
    expect(error.failure.message).toBe(`${repo} cannot be cloned`);
    return error.failure;
  };

  it.each(['ext::touch MARK', 'evil://host/x', 'evil::x'])('%s runs no program of another name', async (text) => {
    const env = { PATH: rig.pathWith('git-remote-evil', `#!/bin/sh\n${birds.command('helper')}\n`) };
    const repo = text.replace('MARK', birds.mark('ext'));
    expect((await refusal(repo, { ...everything(), ...env })).detail).toContain('not allowed');
    expect(birds.fired()).toEqual([]);
  });

  it.each(['https://127.0.0.1:1/x', 'http://127.0.0.1:1/x', 'git://127.0.0.1:1/x'])('%s is tried', async (repo) => {
    expect((await refusal(repo, everything())).detail).toMatch(/connect|refused/i);
    expect(birds.fired()).toEqual([]);
  });

  it('by ssh asks for nothing, and takes no other program', async () => {
    const said = join(rig.cache, 'ssh-arguments');
    const env = { ...everything(), PATH: rig.pathWith('ssh', `#!/bin/sh\necho "$@" > ${said}\nexit 255\n`) };
    await refusal('host:path', env);
    expect(readFileSync(said, 'utf8')).toMatch(/^-o BatchMode=yes .*host git-upload-pack 'path'\n$/);
    expect(birds.fired()).toEqual([]);
  });

  it('that wants a password fails, and nobody is asked', async () => {
    const { detail, remedy } = await refusal(`${locked.address}/engine/.git`, everything());
    expect(detail).toContain('terminal prompts disabled');
    expect(remedy).toContain('Assay asks for no password');
    expect(birds.fired()).toEqual([]);
  });

  it('file:// is one, as a path is', async () => {
    const repo = `file://${rig.engine.path}`;
    const arm = await rig.prepare(rig.source({ repo, build: [] }), { env: everything() });
    expect(arm.provenance['commit']).toBe(rig.second);
    expect(birds.fired()).toEqual([]);
  });
});
