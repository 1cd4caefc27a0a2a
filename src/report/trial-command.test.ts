import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { countOf, journalOf } from '../../test/journal-builder.ts';
import { SLICES } from '../../test/session-slices.ts';
import { analyse } from '../analysis/analyse.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { Journal } from '../journal/records.ts';
import type { ReportInput } from './input.ts';
import { PLAIN } from './plain-text.ts';
import { meaningOf, singleTrials, trialNotes } from './trial-command.ts';

function trialsOf(
  command: readonly string[],
  changes: { workload?: Partial<Experiment['workload']>; machine?: Partial<Experiment['machine']> } = {},
  env: Readonly<Record<string, string>> = {},
): ReturnType<typeof singleTrials> {
  const made = journalOf({ values: { write: { before: [1, 2], after: [1, 2] } } });
  if (made.prepared === null) throw new Error('prepared');
  const { experiment } = made.run;
  const [first, second] = experiment.arms;
  const journal: Journal = {
    ...made,
    prepared: {
      ...made.prepared,
      arms: [{ arm: 'before', build: 0, commands: {}, command, files: [], provenance: {}, warnings: [] }],
    },
    run: {
      ...made.run,
      experiment: {
        ...experiment,
        arms: [{ ...first, env, params: { threads: 3 } }, second],
        workload: { ...experiment.workload, ...changes.workload },
        machine: { ...experiment.machine, cpu: null, ...changes.machine },
      },
    },
  };
  const input: ReportInput = {
    journal,
    analysis: analyse(journal),
    directory: null,
    options: { color: false, quiet: false, width: 80 },
  };
  return singleTrials(input);
}

function commandOf(...trial: Parameters<typeof trialsOf>): string | undefined {
  return trialsOf(...trial).commands[0]?.command;
}

test('a driver', () => {
  expect(commandOf(['{arm.driver}', 'write-full', '--dir', '{trial.dir}/db'])).toBe(
    'cd "$RUN" && env LC_ALL=C TZ=UTC "$DRIVER" write-full --dir "$RUN"/db < /dev/null',
  );
});

test('pinning, layout and priority as the launcher sets them', () => {
  expect(commandOf(['/bin/db'], { machine: { cpu: 1, layout: 'fixed', real_time: true } })).toBe(
    'cd "$RUN" && env LC_ALL=C TZ=UTC taskset -c 1 setarch -R chrt --fifo 1 /bin/db < /dev/null',
  );
});

test('variables of the experiment are filled in, the input is found from any directory', () => {
  const workload = { env: { MODE: 'batch', N: '{params.threads}' }, cwd: 'work', stdin: 'records.txt' };
  expect(commandOf(['/bin/db'], { workload }, { MODE: "it's {trial.dir} {{x}}" })).toBe(
    `cd "$EXPERIMENT"/work && env LC_ALL=C TZ=UTC MODE='it'\\''s '"$RUN"' {x}' N=3 /bin/db < "$EXPERIMENT"/records.txt`,
  );
});

test('what only looks like a placeholder is text, and one without a value stays', () => {
  expect(commandOf(['/bin/db', '[arm.dir]'], { workload: { env: { A: '{params.gone}' } } })).toBe(
    `cd "$RUN" && env LC_ALL=C TZ=UTC A='{params.gone}' /bin/db '[arm.dir]' < /dev/null`,
  );
});

test('a shell gives the program the words that the trial had', () => {
  const words = ['a b', "it's", '$HOME', '`id`', '', '*', 'x={trial.dir}/y z', '--flag="1"', 'line\nbreak'];
  const command = String(commandOf(['/bin/echo', ...words])).replace('/bin/echo', "printf '<%s>'");
  const printed = execFileSync('/bin/sh', ['-c', command], { env: { RUN: '/tmp', PATH: '/usr/bin:/bin' } });
  expect(printed.toString()).toBe(words.map((word) => `<${word.replace('{trial.dir}', '/tmp')}>`).join(''));
});

test('only variables that stand in a command are explained', () => {
  const names = (command: readonly string[], cwd: string) =>
    trialsOf(command, { workload: { cwd } }).variables.map((one) => meaningOf(one, '', PLAIN).split(' ')[0]);
  expect(names(['{arm.driver}'], '{trial.dir}')).toEqual(['$RUN', '$DRIVER']);
  expect(names(['true'], '/tmp')).toEqual([]);
});

test('a counted trial runs under valgrind with the parameters of the count, addresses fixed', () => {
  const count = countOf({ put: 100 });
  const made = journalOf({
    values: { write: { before: [1, 2], after: [1, 2] } },
    workload: {
      command: ['bench', '{params.keys}', '{trial.dir}/db'],
      params: { keys: 200 },
      env: { N: '{params.keys}' },
    },
    counts: { before: [count, count], after: [count, count] },
    counting: { region: 'put', params: { keys: 20 } },
  });
  const [first, second] = made.run.experiment.arms;
  const arms = [
    { ...first, command: null },
    { ...second, command: null },
  ] as const;
  const prepared = made.prepared && {
    ...made.prepared,
    arms: made.prepared.arms.map((one) => ({ ...one, command: ['/bin/bench', '200', '{trial.dir}/db'] })),
  };
  const journal = { ...made, prepared, run: { ...made.run, experiment: { ...made.run.experiment, arms } } };
  const { commands } = singleTrials({
    ...{ journal, analysis: analyse(journal), directory: null },
    options: { color: false, quiet: false, width: 80 },
  });
  const counted = commands.filter(({ of }) => of.some(({ side }) => side === 'counting'));
  expect(counted.map(({ command }) => command)[0]).toMatch(
    /^cd "\$RUN" && env LC_ALL=C TZ=UTC N=20 (taskset -c \d+ )?setarch -R valgrind .*--toggle-collect=put -- \S+ 20 "\$RUN"\/db < \/dev\/null$/,
  );
});

test('what a session is told, no shell can say', () => {
  const made = journalOf({ values: { write: { before: [1, 2], after: [1, 2] } } });
  const notes = (slices: Experiment['design']['slices']) => {
    const { experiment } = made.run;
    const journal = {
      ...made,
      run: { ...made.run, experiment: { ...experiment, design: { ...experiment.design, slices } } },
    };
    return trialNotes(
      {
        journal,
        analysis: analyse(made),
        directory: null,
        options: { color: false, quiet: false, width: 80 },
      },
      PLAIN,
    );
  };
  expect(notes(null)).toEqual([]);
  expect(notes(SLICES)).toEqual([expect.stringContaining('started with --serve at the end')]);
});
