/** `assay import` as a user runs it, on what other tools print. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectGolden } from '../golden.ts';
import { benchmarkReport, rates } from '../imported-runs.ts';
import { openRig, PROGRAM, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
/** In the form of hyperfine, written by hand. */
function hyperfine(commands: Readonly<Record<string, readonly number[]>>): string {
  const results = Object.entries(commands).map(([command, times]) => ({
    command,
    times,
    exit_codes: times.map(() => 0),
  }));
  return JSON.stringify({ results });
}

const seconds = (mean: number, count = 8) => rates(mean * 1e6, count).map((time) => time / 1e6);

let rig: Rig;
beforeAll(() => {
  rig = openRig();
  rig.write('old.json', hyperfine({ './old --fill': seconds(0.5) }));
  rig.write('new.json', hyperfine({ './new --fill': seconds(0.55, 10) }));
  rig.write('both.json', hyperfine({ './old': seconds(0.5), './new': seconds(0.55) }));
  rig.write('report.tsv', benchmarkReport([{ test: 'x', rate: 1 }]));
});
afterAll(() => rig.remove());

const assay = (...args: string[]) => rig.assay(args);
/** As far as it is the same in each run of the tests. */
const settled = (text: string) => text.replace(/imported \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, 'imported TIME');

const CAN_MOUNT = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0;

/** Runs shell commands that use a small disk of their own, which goes when they end; then lists what they have left on it. */
function onDiskOf(size: string, commands: string) {
  const script = `assay() { "$NODE" "$PROGRAM" "$@"; }; mkdir -p disk && mount -t tmpfs -o size=${size} disk disk || exit 99
    ${commands}; code=$?; echo left:; ls disk; exit $code`;
  return spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-c', script], {
    cwd: rig.directory,
    env: { ...rig.environment, NODE: process.execPath, PROGRAM },
    encoding: 'utf8',
  });
}

describe('assay import', () => {
  it('makes a run of two files, which report, bundle and verify take', async () => {
    const made = await assay('import', '--arm', 'before=old.json', '--arm', 'after=new.json', '--out', 'run');
    expect(made).toMatchObject({ code: 0, stderr: 'run: run\n' });
    expectGolden('test/golden/import.txt', settled(made.stdout));
    expect((await assay('report', 'run')).stdout).toBe(made.stdout);
    expect(rig.list('run')).toEqual(
      expect.arrayContaining([
        'journal.jsonl',
        'pairs.csv',
        'raw',
        'report.html',
        'report.md',
        'results.json',
        'trials.csv',
      ]),
    );
    expect(rig.read('run/raw/results/1-old.json')).toBe(rig.read('old.json'));
    expect(rig.read('run/pairs.csv').split('\n')[1]).toMatch(/^confirmation,elapsed,after,before,1,1,,5/);
    expect((await assay('bundle', 'run')).code).toBe(0);
    const verified = await assay('verify', 'run.tar.gz');
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.stdout).toMatch(/trials +verified +16 repetitions/);
  });

  it('leaves nothing of a run that cannot be written, and whatever was there', () => {
    rig.write('there/identity.json', 'of a run that was killed');
    for (const out of ['new/run', 'there']) {
      // The copies fit, the journal does not.
      const script = `ulimit -f 4; "$NODE" "$PROGRAM" import --arm before=old.json --arm after=new.json --out ${out}`;
      const env = { ...rig.environment, NODE: process.execPath, PROGRAM };
      const { status, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd: rig.directory, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([
        3,
        expect.stringMatching(/^assay: cannot append to the journal: .*larger than/m),
      ]);
    }
    expect(rig.list('.')).not.toContain('new');
    expect(rig.list('there')).toEqual(['identity.json']);
  });

  it('is not resumed, and no plan is made of it', async () => {
    const { code, stderr } = await assay('run', '--resume', 'run');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^assay: these results were measured elsewhere and imported: there is no run to go on with\n/,
      ),
    });
    rig.write('experiment.yaml', 'title: t\narms: {a: {command: [./a]}, b: {command: [./b]}}\n');
    expect(await assay('plan', 'experiment.yaml', '--from', 'run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('measured elsewhere'),
    });
  });

  it('takes the results of one file for the sides', async () => {
    const made = await assay('import', 'both.json', '--sides', 'old,new', '--out', 'sides', '--quiet');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^elapsed is inconclusive: \+9\.79/) });
    expect(rig.read('sides/report.md')).toContain('`old` (reference) is `./old` in `both.json`');
  });

  it('takes the word that the sides ran in turns, but not where the tool cannot have done that', async () => {
    const one = await assay('import', 'both.json', '--sides', 'old,new', '--interleaved', '--out', 'turns');
    expect(one).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/hyperfine \(JSON\) runs the repetitions of a side one after another/),
    });
    const files = (side: string, mean: number) =>
      seconds(mean).map((time, at) => {
        rig.write(`${side}-${at}.json`, hyperfine({ [`./${side}`]: [time] }));
        return `${side}-${at}.json`;
      });
    const sides = ['--arm', 'old=', ...files('old', 0.5), '--arm', 'new=', ...files('new', 0.55)];
    const made = await assay('import', ...sides, '--interleaved', '--out', 'turns', '--quiet');
    expect(made).toMatchObject({ code: 1, stdout: expect.stringMatching(/^elapsed is slower: \+9\.79/) });
    expect(rig.read('turns/report.md')).toContain('is the word of whoever imported them');
  });

  it('says as JSON what is known and what is not', async () => {
    const made = await assay('import', '--arm', 'a=old.json', '--arm', 'b=new.json', '--json', '--out', 'json');
    expect(JSON.parse(made.stdout)).toMatchObject({
      trial_seconds: null,
      plan: { seed: null },
      imported: {
        tool: 'hyperfine',
        order: 'unknown',
        unit: 'process',
        files: [{ name: 'old.json' }, { name: 'new.json' }],
      },
      comparisons: [{ metric: 'elapsed', verdict: 'inconclusive' }],
    });
  });

  it.each([
    [['--arm', 'a=old.json', '--arm', 'b=report.tsv'], 'the files are not of one tool'],
    [['--arm', 'a=old.json', 'old.json', '--arm', 'b=new.json'], 'a has .*old\\.json twice'],
    [['both.json'], 'the file has 2 results, whose names are none of sides: "./old", "./new"'],
    [
      ['--arm', 'a=old.json', '--arm', 'b=new.json', '--metric', 'mean'],
      'no metric that all sides have is called "mean"',
    ],
    [['--arm', 'a=old.json', '--arm', 'b=nowhere.json'], 'there is no file nowhere.json'],
  ])('%j is a mistake that it explains', async (args, message) => {
    const { code, stdout, stderr } = await assay('import', ...args, '--out', 'none');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^assay: ${message.replace(/[()]/g, '\\$&')}[^\\n]*\\n {2}[A-Z][^\\n]*\\n$`));
    expect(rig.list('.')).not.toContain('none');
  });

  it.runIf(FULL)('reads regular files alone, and follows a link to one', async () => {
    mkdirSync(join(rig.directory, 'folder'));
    symlinkSync('old.json', join(rig.directory, 'link.json'));
    execFileSync('mkfifo', [join(rig.directory, 'pipe')]);
    rig.write('latin.json', '');
    execFileSync('sh', ['-c', 'printf \'{"results": "\\377"}\' >latin.json'], { cwd: rig.directory });
    const refused = async (name: string) => (await assay('import', '--arm', `a=${name}`, '--arm', 'b=new.json')).stderr;
    expect(await refused('folder')).toMatch(/^assay: .*folder is a directory\n/);
    expect(await refused('pipe')).toMatch(/^assay: .*pipe is a pipe\n/);
    expect(await refused('latin.json')).toMatch(/^assay: .*latin\.json is not UTF-8 text\n/);
    const linked = await assay('import', '--arm', 'a=link.json', '--arm', 'b=new.json', '--out', 'linked', '--quiet');
    expect(linked.code).toBe(0);
    expect(readFileSync(join(rig.directory, 'linked/raw/results/1-old.json'), 'utf8')).toBe(rig.read('old.json'));
  });

  it('shows nothing that a terminal would obey, whatever results are called', async () => {
    const name = '\u001b]0;owned\u0007\u202e<script>';
    rig.write('hostile.json', hyperfine({ [name]: seconds(0.5), [`${name}2`]: seconds(0.6) }));
    rig.write('hostile2.json', hyperfine({ [name]: seconds(0.5, 9), [`${name}2`]: seconds(0.7) }));
    const made = await assay('import', '--arm', 'a=hostile.json', '--arm', 'b=hostile2.json', '--out', 'hostile');
    expect(made.code).toBe(0);
    for (const text of [made.stdout, made.stderr, rig.read('hostile/report.md'), rig.read('hostile/trials.csv')]) {
      expect(text).not.toMatch(/[^\P{C}\n]/u);
    }
    expect(rig.read('hostile/report.html')).not.toContain('<script>');
  });

  it.skipIf(!CAN_MOUNT)('says on a full disk to import again, which is all that can be done', () => {
    const full = onDiskOf('8k', 'assay import --arm a=old.json --arm b=new.json --out disk/run');
    expect(full.stderr).toMatch(/^assay: cannot [a-z ]+: disk\/run\/[^:]+: the disk is full\n/);
    expect(full.stderr).toMatch(/\n {2}Free some space, then give the command again\.\n$/);
    expect(full).toMatchObject({ status: 3, stdout: 'left:\n' });
  });

  it.skipIf(!CAN_MOUNT)('says how the page is made that a full disk alone is without', () => {
    const importing = 'assay import --arm a=old.json --arm b=new.json --quiet --out disk/run';
    const room = `${importing} && used=$(df --output=used disk | tail -1) && rm -r disk/run && mount -o remount,size=$((used - 8))k disk`;
    const { stderr, stdout, status } = onDiskOf('1m', `{ ${room}; } >&2; ${importing}`);
    const [, command] = /report\.html: the disk is full\n {2}All else .* page: (assay .*)\n$/.exec(stderr) ?? [];
    expect(command).toBe('assay report disk/run --format html -o disk/run/report.html');
    expect(status).toBe(3);
    expect(stdout).toMatch(/left:\nrun\n$/);
  });

  it('names no way to go on where a run is already, since an import has none', async () => {
    await assay('import', '--arm', 'a=old.json', '--arm', 'b=new.json', '--out', 'twice', '--quiet');
    const { stderr } = await assay('import', '--arm', 'a=old.json', '--arm', 'b=new.json', '--out', 'twice');
    expect(stderr).toBe('assay: twice is not empty\n  Name another directory with --out.\n');
  });

  it('is in help and completions', async () => {
    expect((await assay('import', '--help')).stdout).toContain(
      'assay import --arm before=old.json --arm after=new.json',
    );
    expect((await assay('completion', 'bash')).stdout).toMatch(/import\) words='[^']*--interleaved/);
  });
});
