/** What a run of the benchmark will do, before it does: steps, sizes, time, and every derived flag with its reason. */
import { neededBytes } from '../storage/benchmark/machine-rules.ts';
import { planSteps } from '../storage/benchmark/plan.ts';
import type { RunRecord } from '../storage/benchmark/run-record.ts';
import { STEP_NAMES } from '../storage/benchmark/steps.ts';
import { timeLeft } from '../storage/benchmark/time-left.ts';
import { timeLimit } from '../storage/benchmark/time-limit.ts';
import { painter } from './color.ts';
import { counted, formatDuration, grouped } from './numbers.ts';
import { escapeLine, listText, PLAIN, wrap } from './plain-text.ts';
import { say } from './rules.ts';
import { storageText } from './storage.ts';
import { layTable } from './terminal-table.ts';
import { formatBytes } from './units.ts';

const WIDEST_PROSE = 110;

export function planText(
  run: RunRecord,
  { color, width }: { readonly color: boolean; readonly width: number },
): string {
  const paint = painter(color);
  const prose = Math.min(width, WIDEST_PROSE);
  const lines = [
    ...aboutRun(run).flatMap((one) => wrap(one, prose)),
    ...flagSections(run).flatMap(({ title, rows }) => ['', paint('bold', title), ...flagLines(rows, width)]),
    '',
    ...wrap(say('variance.plan-steps', { steps: listText(STEP_NAMES) }), prose),
  ];
  return `${lines.join('\n')}\n`;
}

function aboutRun(run: RunRecord): readonly string[] {
  const { setup, db_bench, workloads, threads, repetitions, duration_s, data, machine } = run;
  const plan = planSteps(run);
  const { seconds } = timeLeft(plan, new Map(), duration_s);
  return [
    say('variance.plan-run', {
      setup,
      steps: counted(plan.length, 'step'),
      repetitions: String(repetitions),
      workloads: listText(workloads.map(({ name }) => name)),
      threads:
        threads.length === 1 && threads[0] === 1
          ? '1 client thread'
          : `${listText(threads.map(String))} client threads`,
      duration: formatDuration(duration_s),
      total: formatDuration(seconds),
    }),
    say('variance.plan-limit', {
      load: formatDuration(timeLimit('fillseq', run)),
      timed: formatDuration(timeLimit('readrandom', run)),
    }),
    say('variance.plan-place', {
      program: escapeLine(db_bench.path),
      data: escapeLine(data),
      storage: storageText(machine, PLAIN),
      room: listText(
        workloads.map(({ name, keys }) => `${formatBytes(neededBytes(keys))} for ${name} (${grouped(keys)} pairs)`),
      ),
      machine: machineText(machine),
    }),
  ];
}

function machineText({ cpu_model, cpus, memory_bytes, control_group }: RunRecord['machine']): string {
  const limit = control_group?.memory_limit_bytes ?? null;
  const allowed = limit === null ? '' : `, of which ${formatBytes(limit)} may be used`;
  return `${escapeLine(cpu_model)}, ${counted(cpus, 'CPU')}, ${formatBytes(memory_bytes)} of memory${allowed}`;
}

interface FlagSection {
  readonly title: string;
  readonly rows: readonly (readonly [flag: string, because: string])[];
}

/** Flags that all workloads share, once; then those of each. */
function flagSections({ workloads }: RunRecord): readonly FlagSection[] {
  const sections = workloads.map(({ name, flags }) => ({
    name,
    rows: flags.map(
      ({ name: flag, value, because }) => [`--${escapeLine(flag)}=${escapeLine(value)}`, because] as const,
    ),
  }));
  const [first] = sections;
  const isShared = (row: readonly [string, string]) =>
    sections.every(({ rows }) => rows.some(([flag, because]) => flag === row[0] && because === row[1]));
  const shared = (first?.rows ?? []).filter(isShared);
  const own = sections.map(({ name, rows }) => ({
    title: `Flags of ${name}`,
    rows: rows.filter((row) => !isShared(row)),
  }));
  return [...own, { title: workloads.length > 1 ? 'Flags of all' : 'Flags', rows: shared }].filter(
    ({ rows }) => rows.length > 0,
  );
}

function flagLines(rows: FlagSection['rows'], width: number): readonly string[] {
  const columns = [
    { title: 'flag', align: 'left' },
    { title: 'because', align: 'left' },
  ] as const;
  const laid = layTable(columns, rows, width - 2, (cell) => cell);
  return laid === null
    ? rows.flatMap(([flag, because]) => wrap(`${flag}: ${because}`, width, '  ', '      '))
    : laid.slice(1).map((line) => `  ${line}`.trimEnd());
}
