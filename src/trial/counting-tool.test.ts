import { expect, test } from 'vitest';
import type { Counting } from '../experiment/experiment.ts';
import { countedRequest, countingCpu, countingLimitations } from './counting-tool.ts';
import type { LaunchRequest } from './launch.ts';

const REQUEST: LaunchRequest = {
  argv: ['/bench', '--toggle-collect=mine', '%p'],
  cwd: '/trial',
  env: { A: 'b' },
  stdin: null,
  stdout: '/raw/stdout',
  stderr: '/raw/stderr',
  cpu: null,
  fixed_layout: false,
  real_time: true,
  memory_group: null,
  counters: null,
  timeout_ms: 1,
  grace_ms: 2000,
  max_output_bytes: 100,
  settle: true,
};
const COUNTING: Counting = {
  tool: 'callgrind',
  repeats: 2,
  region: 'timed_*',
  params: {},
  per: null,
  timeout_ms: 60_000,
};
const TOOL = { path: '/usr/bin/valgrind', name: 'callgrind (valgrind-3.19.0)', setarch: '/bin/setarch', taskset: null };

test('a counted trial runs under valgrind, its arguments and variables as they are', () => {
  const setting = { place: '/run/100%p', cpu: 3, launcher: 'native' } as const;
  const { argv, ...rest } = countedRequest(REQUEST, COUNTING, TOOL, setting);
  const end = argv.indexOf('--');
  expect(argv.slice(end + 1)).toEqual(REQUEST.argv);
  expect(argv[0]).toBe('/usr/bin/valgrind');
  // Valgrind would expand a % in a path.
  expect(argv).toContain('--callgrind-out-file=/run/100%%p/callgrind.out.%p');
  expect(argv).toContain('--log-file=/run/100%%p/valgrind.log');
  expect(argv.slice(0, end)).toContain('--toggle-collect=timed_*');
  expect(rest).toEqual({
    ...REQUEST,
    argv: undefined,
    cpu: 3,
    fixed_layout: true,
    real_time: false,
    timeout_ms: 60_000,
    settle: false,
  });
});

test('a whole process has no region', () => {
  const setting = { place: '/run', cpu: 3, launcher: 'native' } as const;
  const { argv } = countedRequest(REQUEST, { ...COUNTING, region: null }, TOOL, setting);
  expect(argv.filter((word) => word.startsWith('--toggle-collect'))).toEqual(['--toggle-collect=mine']);
});

test('where the launcher cannot fix the layout, setarch does, and what is missing is said', () => {
  const setting = { place: '/run', cpu: null, launcher: 'portable' } as const;
  const request = countedRequest(REQUEST, COUNTING, TOOL, setting);
  expect(request.argv.slice(0, 3)).toEqual(['/bin/setarch', '-R', '/usr/bin/valgrind']);
  expect(request.fixed_layout).toBe(false);
  const bare = { ...TOOL, setarch: null };
  expect(countedRequest(REQUEST, COUNTING, bare, setting).argv[0]).toBe('/usr/bin/valgrind');
  expect(countingLimitations(TOOL, 'portable').map(({ message }) => message)).toEqual([
    'Counted trials are not pinned to one CPU: counts vary.',
  ]);
  expect(countingLimitations(bare, 'portable')).toHaveLength(2);
  expect(countingLimitations(bare, 'native')).toEqual([]);
});

test('a counted trial is on a CPU of its own where there is one', () => {
  expect(countingCpu(TOOL, 'native', [0, 1, 4], { orchestrator_cpu: null })).toBe(4);
  expect(countingCpu(TOOL, 'native', [0, 1, 4], { orchestrator_cpu: 4 })).toBe(1);
  expect(countingCpu(TOOL, 'native', [4], { orchestrator_cpu: 4 })).toBe(4);
  expect(countingCpu(TOOL, 'native', [], { orchestrator_cpu: null })).toBeNull();
  expect(countingCpu(TOOL, 'portable', [0, 1], { orchestrator_cpu: null })).toBeNull();
});
