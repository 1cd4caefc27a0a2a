import { createHash } from 'node:crypto';
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveRegistry } from '../../test/local-registry.ts';
import { tinyRepository } from '../../test/tiny-repository.ts';
import type { RunEvent } from '../events.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { readExperiment } from '../experiment/parse.ts';
import { expand, placeholderValues } from '../experiment/placeholders.ts';
import { changedFiles, prepareArms } from './prepare.ts';
import { armRecord, commandIn, type PreparedArm } from './prepared-arm.ts';

let root: string;
let directory: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-arms-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  directory = await mkdtemp(join(root, 'experiment {x} '));
  await program('old', 'old engine');
  await program('new', 'new engine');
});

async function program(name: string, text: string, mode = 0o755): Promise<void> {
  await writeFile(join(directory, name), text);
  await chmod(join(directory, name), mode);
}

function experimentOf(document: object): Experiment {
  const read = readExperiment(JSON.stringify({ title: 't', ...document }));
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.experiment;
}

async function prepare(document: object, env: NodeJS.ProcessEnv = { PATH: '/nowhere' }) {
  const experiment = experimentOf(document);
  const events: RunEvent[] = [];
  const arms = await prepareArms(experiment, directory, { env, seed: 1, emit: (event) => events.push(event) });
  return { experiment, arms, events };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const two = (command: unknown, other: unknown = ['./new']) => ({ arms: { a: { command }, b: { command: other } } });
const first = (arms: readonly PreparedArm[]): PreparedArm => {
  if (arms[0] === undefined) throw new Error('no arm');
  return arms[0];
};

/** What the launcher would be given. */
function argv(experiment: Experiment, prepared: PreparedArm, trial: string): string[] {
  const arm = experiment.arms.find(({ name }) => name === prepared.arm);
  if (arm === undefined) throw new Error('no such arm');
  const values = placeholderValues(experiment, arm, { arm: prepared.dir, trial, experiment: directory });
  return prepared.command.map((word) => expand(word, values));
}

describe('prepareArms, commands', () => {
  it('resolves a program with a slash beside the experiment, and digests it', async () => {
    const { experiment, arms } = await prepare({
      ...two(['./old', '{trial.dir}/db', '{{literal}}', '{params.n}']),
      workload: { params: { n: 7 } },
    });
    expect(arms.map(({ arm }) => arm)).toEqual(['a', 'b']);
    expect(argv(experiment, first(arms), '/t')).toEqual([join(directory, 'old'), '/t/db', '{literal}', '7']);
    expect(armRecord(first(arms))).toEqual({
      arm: 'a',
      build: 0,
      commands: {},
      command: ['{experiment.dir}/old', '{trial.dir}/db', '{literal}', '7'],
      files: [{ path: '{experiment.dir}/old', sha256: sha256('old engine'), bytes: 10 }],
      provenance: { source: 'command' },
      warnings: [],
    });
  });

  it('looks a bare name up on the PATH that trials have', async () => {
    for (const name of ['one', 'two']) {
      await mkdir(join(directory, name));
      await program(join(name, 'engine'), name);
    }
    const env = { PATH: `/nowhere:${join(directory, 'one')}:${join(directory, 'two')}` };
    const document = {
      arms: { a: { command: ['engine'] }, b: { command: ['engine'], env: { PATH: '{experiment.dir}/two' } } },
    };
    const { experiment, arms } = await prepare(document, env);
    expect(arms.map((arm) => argv(experiment, arm, '/t'))).toEqual([
      [join(directory, 'one', 'engine')],
      [join(directory, 'two', 'engine')],
    ]);
  });

  it('digests scripts and other files that are given, but no directories, pipes, or large data', async () => {
    await program('driver.mjs', 'driver', 0o644);
    await program('in.txt', 'input', 0o644);
    await program('big', '', 0o644);
    await truncate(join(directory, 'big'), 256 * 2 ** 20 + 1);
    const command = ['./old', 'driver.mjs', '{experiment.dir}', '--data=big', '/dev/null'];
    const { arms } = await prepare({ ...two(command), workload: { stdin: 'in.txt' } });
    expect(first(arms).files.map(({ path }) => path)).toEqual([
      '{experiment.dir}/old',
      '{experiment.dir}/driver.mjs',
      '{experiment.dir}/in.txt',
    ]);
  });

  it('digests what a shell’s text starts', async () => {
    const document = { arms: { a: { command: './old | ./new' }, b: { command: './new' } }, workload: { shell: true } };
    const { arms } = await prepare(document);
    const paths = first(arms).files.map(({ path }) => path);
    expect(paths).toContain('{experiment.dir}/old');
    expect(paths).toContain('{experiment.dir}/new');
    expect(paths.some((path) => path.endsWith('/sh'))).toBe(true);
  });

  it.each([
    [['absent'], /no program 'absent' on PATH/, /Check the spelling/],
    [['old'], /no program 'old' on PATH/, /write \.\/old/],
    [['./absent'], /there is no program .*absent/, /directory of the experiment/],
    [['./notes'], /notes cannot be executed/, /chmod \+x/],
    [['{experiment.dir}'], /is a directory, and no program$/, /^Name the program itself/],
  ])('refuses %j', async (command, message, remedy) => {
    await program('notes', 'text', 0o644);
    await expect(prepare(two(command))).rejects.toMatchObject({
      failure: {
        kind: 'arm',
        arm: 'a',
        message: expect.stringMatching(message),
        remedy: expect.stringMatching(remedy),
      },
    });
  });
});

describe('changedFiles', () => {
  it('is empty while nothing has changed', async () => {
    const { arms } = await prepare(two(['./old']));
    expect(await changedFiles(arms)).toEqual([]);
  });

  it('names what has changed or gone, in each arm that uses it', async () => {
    await program('shared', 'x', 0o644);
    const { arms } = await prepare(two(['./old', 'shared'], ['./new', 'shared']));
    await appendFile(join(directory, 'shared'), 'y');
    await rm(join(directory, 'new'));
    expect(await changedFiles(arms)).toEqual([
      { arm: 'a', path: '{experiment.dir}/shared' },
      { arm: 'b', path: '{experiment.dir}/new' },
      { arm: 'b', path: '{experiment.dir}/shared' },
    ]);
  });
});

describe('prepareArms, npm packages', () => {
  it('installs once for arms that share a package, and watches the whole tree', async () => {
    const home = await mkdtemp(join(root, 'registry-'));
    const registry = await serveRegistry(home, [
      { name: 'engine', version: '1.0.0', files: { 'index.js': 'module.exports = 1;' } },
    ]);
    try {
      const env = { ...registry.env, ASSAY_CACHE: join(home, 'cache') };
      const document = {
        arms: { a: { npm: 'engine@1.0.0' }, b: { npm: 'engine@1.0.0' } },
        workload: { command: ['{experiment.dir}/old', '{arm.dir}', '{arm.dir}/node_modules/engine/index.js'] },
      };
      const { experiment, arms, events } = await prepare(document, env);
      const arm = first(arms);
      expect(events).toEqual([{ kind: 'preparing', arm: 'a', message: 'installing engine@1.0.0' }]);
      expect(argv(experiment, arm, '/t')[1]).toBe(arm.dir);
      const record = armRecord(arm);
      expect(record.command).toEqual(['{experiment.dir}/old', '{arm.dir}', '{arm.dir}/node_modules/engine/index.js']);
      expect(record.files.map(({ path }) => path)).toEqual([
        '{experiment.dir}/old',
        '{arm.dir}/node_modules/engine/index.js',
        '{arm.dir}',
      ]);
      expect(record.files[2]?.sha256).toBe(record.provenance['tree_sha256']);
      expect(JSON.stringify(record)).not.toContain(home);
      expect(await changedFiles(arms)).toEqual([]);

      await writeFile(join(arm.dir ?? '', 'node_modules', 'engine', 'added.js'), '');
      expect(await changedFiles(arms)).toEqual([
        { arm: 'a', path: '{arm.dir}' },
        { arm: 'b', path: '{arm.dir}' },
      ]);
    } finally {
      await registry.close();
    }
  });
});

describe('prepareArms, controls', () => {
  const document = {
    ...two(['./old', '{params.mode}'], ['./new', '{params.mode}']),
    workload: { params: { mode: 'write' } },
    design: { confirmation: { arms: ['a', 'b'] } },
    controls: {
      again: { same: 'a' },
      reads: { params: { mode: 'read' } },
      other: { command: ['./other', '{experiment.dir}/data'] },
    },
  };

  it('digests what other commands name, and keeps them beside the own one', async () => {
    await program('other', 'another program');
    await writeFile(join(directory, 'data'), 'records');
    const { arms } = await prepare(document);
    const [a] = arms.map(armRecord);
    expect(a).toMatchObject({
      command: ['{experiment.dir}/old', 'write'],
      commands: {
        reads: ['{experiment.dir}/old', 'read'],
        other: ['{experiment.dir}/other', '{experiment.dir}/data'],
      },
    });
    expect(a?.files.map(({ path }) => path)).toEqual(
      ['old', 'other', 'data'].map((name) => `{experiment.dir}/${name}`),
    );
    await appendFile(join(directory, 'data'), 'more');
    expect((await changedFiles(arms)).map(({ path }) => path)).toContain('{experiment.dir}/data');
  });

  it('keeps controls of any name apart from what every object has', async () => {
    const { arms } = await prepare({ ...document, controls: { constructor: { same: 'a' } } });
    expect(commandIn(first(arms), 'constructor')).toBe(arms[0]);
  });

  it('takes the artefact of the other arm for A/A, and says so', async () => {
    await program('other', 'another program');
    const { arms } = await prepare(document);
    expect(arms.map(({ arm }) => arm)).toEqual(['a', 'b', 'a-again']);
    const [a, , again] = arms;
    expect(again).toEqual({ ...a, arm: 'a-again', provenance: { source: 'same as a' } });
  });
});

describe('prepareArms, builds', () => {
  const arms = (library: string) => {
    const build = ['mkdir -p include/rocksdb && touch lib.a && echo built >> "$COUNT"'];
    const both = { build, build_env: { COUNT: join(directory, 'count') } };
    const artifacts = { include: ['include'], library };
    return {
      arms: {
        before: { git: { repo: 'engine', rev: 'HEAD~1' }, ...both, artifacts },
        after: { git: { repo: 'engine', rev: 'HEAD' }, ...both, artifacts },
      },
      workload: { driver: 'rocksdb', command: ['{arm.driver}', 'write-full'] },
    };
  };
  beforeEach(() => {
    const engine = tinyRepository(join(directory, 'engine'));
    engine.commit('The first', { a: '1' });
    engine.commit('The second', { a: '2' });
  });

  it('misses the library of the first arm before the second is built', async () => {
    const env = { PATH: process.env['PATH'], ASSAY_CACHE: join(directory, 'cache') };
    await expect(prepare(arms('libx.a'), env)).rejects.toMatchObject({
      failure: {
        kind: 'arm',
        arm: 'before',
        message: expect.stringMatching(/^there is no library .*libx\.a$/),
        remedy: expect.stringMatching(/^Check the path\. In .*: lib\.a\. The build is done and kept/),
      },
    });
    expect(await readFile(join(directory, 'count'), 'utf8')).toBe('built\n');
  });
});
