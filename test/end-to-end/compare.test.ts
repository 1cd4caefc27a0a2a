import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

interface Results {
  readonly comparisons: readonly { metric: string; change: number; interval: [number, number]; verdict: string }[];
}

async function compare(pairs: number, ...args: string[]) {
  const ended = await rig.assay(['compare', ...args, '--pairs', String(pairs), '--json', '--out', 'run']);
  const results = JSON.parse(ended.stdout) as Results;
  const wall = results.comparisons.find(({ metric }) => metric === 'wall');
  if (wall === undefined) throw new Error('no comparison of wall');
  return { ...ended, wall };
}

test('a slower command is slower, near the true change, exit 1', async () => {
  const { code, wall } = await compare(4, 'sleep 0.1', 'sleep 0.3');
  expect(wall.verdict).toBe('slower');
  expect(wall.change).toBeGreaterThan(0.8);
  expect(wall.change).toBeLessThan(3);
  expect(wall.interval[0]).toBeLessThan(wall.change);
  expect(wall.interval[1]).toBeGreaterThan(wall.change);
  expect(code).toBe(1);
});

test.runIf(FULL)('swapped, it is faster, exit 0', async () => {
  const { code, wall } = await compare(4, 'sleep 0.3', 'sleep 0.1');
  expect(wall.verdict).toBe('faster');
  expect(wall.change).toBeLessThan(-0.4);
  expect(code).toBe(0);
});

test.runIf(FULL)('a command against itself is not slower beyond a threshold of 20 %', async () => {
  const { code, wall } = await compare(8, 'sleep 0.05', 'sleep 0.05', '--threshold', '20%');
  expect(wall.verdict).not.toBe('slower');
  expect(code).toBe(0);
});

test('the run leaves journal, results, tables and a report, and `report` shows the same again', async () => {
  const ended = await rig.assay(['compare', 'sleep 0.01', 'sleep 0.01', '--pairs', '4', '--seed', '7', '--out', 'run']);
  expect(ended.stderr).not.toMatch(/defect/);
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
  const again = await rig.assay(['report', 'run']);
  expect(again.stdout).toBe(ended.stdout);
  expect(again.code).toBe(0);
  const page = await rig.assay(['report', 'run', '--format', 'html']);
  expect(page.stdout).toBe(rig.read('run/report.html'));
  expect(rig.read('run/trials.csv').split(/\r?\n/)[0]).toMatch(
    /^phase,block,position,arm,attempt,included,reason,.*wall.*cpu.*max_rss/,
  );
});

test('arguments are passed as a shell would split them, and not to a shell', async () => {
  await rig.assay([
    'compare',
    `printf '%s|' 'a  b' "c\\"d" e\\ f`,
    'printf x',
    '--pairs',
    '2',
    '--warmup',
    '0',
    '--out',
    'run',
  ]);
  const folder = rig
    .list('run/raw')
    .find((name) => name.includes('0001') && rig.read(`run/raw/${name}/stdout`).includes('|'));
  expect(rig.read(`run/raw/${folder}/stdout`)).toBe('a  b|c"d|e f|');
});

test.each(FULL ? ['|', '>', '<', '&', ';', '$'] : ['|', '$'])(
  'an unquoted %s is refused with a word about --shell',
  async (character) => {
    const { code, stderr } = await rig.assay(['compare', `echo a ${character} b`, 'true']);
    expect(code).toBe(2);
    expect(stderr).toContain('--shell');
    expect(rig.list('.')).toEqual([]);
  },
);

test('--shell runs a pipeline', async () => {
  const { code } = await rig.assay([
    'compare',
    '--shell',
    'echo a | cat',
    'echo a | cat',
    '--pairs',
    '2',
    '--out',
    'run',
    '--threshold',
    '500%',
  ]);
  expect(code).toBe(0);
});

test.each([
  [['compare', 'true'], /missing required argument/],
  [['compare', 'true', 'true', '--pairs', '3'], /other order: use 2 or 4/],
  [['compare', 'true', 'true', '--threshold', 'x'], /percentage/],
  [['compare', 'true', "echo 'a"], /quot/],
  [['compare', 'true', 'true', '--margin', '1%', '--threshold', '2%'], /margin/],
  [['compra'], /compare/],
  [['run'], /no experiment file/],
  [['run', 'nowhere.yaml'], /there is no file nowhere.yaml/],
  [['report', '.'], /no journal/],
  [['report', '.', '--format', 'pdf'], /markdown/],
])('wrong usage: %j', async (args, message) => {
  const { code, stderr, stdout } = await rig.assay(args);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/ at .*\.js/);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('a command that does not exist fails before anything runs', async () => {
  const { code, stderr } = await rig.assay(['compare', 'true', './no-such-program', '--out', 'run']);
  expect(stderr).toMatch(/no-such-program/);
  expect(code).toBe(3);
  expect(rig.list('.'), 'no run is left').toEqual([]);
});

test('help names the exit codes, and --version the version', async () => {
  expect((await rig.assay(['--help'])).stdout).toMatch(/Exit codes:/);
  expect((await rig.assay(['compare', '--help'])).stdout).toMatch(/Examples:/);
  expect((await rig.assay(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
