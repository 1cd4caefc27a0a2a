/** One trial of an arm as a command for a shell, so that a reader can run it alone. */
import { callgrindWords } from '../experiment/callgrind.ts';
import { quoteWord } from '../experiment/command-line.ts';
import { countersEnvironment } from '../experiment/counters.ts';
import type { Arm, Experiment, SideDesign } from '../experiment/experiment.ts';
import { pieces, placeholderValues, surroundingPlaceholders } from '../experiment/placeholders.ts';
import type { PreparedArm } from '../journal/records.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import type { ReportInput } from './input.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

/** Variables of the reader's shell that stand for what records have placeholders for. */
const VARIABLES = {
  'trial.dir': 'RUN',
  'trial.cgroup': 'GROUP',
  'trial.device_stat': 'DEVICE_STAT',
  'arm.dir': 'ARM',
  'arm.driver': 'DRIVER',
  'experiment.dir': 'EXPERIMENT',
} as const;

type Placeholder = keyof typeof VARIABLES;

const PLACEHOLDER = /(\{(?:trial\.dir|trial\.cgroup|trial\.device_stat|arm\.dir|arm\.driver|experiment\.dir)\})/;

const WRITTEN = new Map(Object.entries(VARIABLES).map(([name, variable]) => [`{${name}}`, `"$${variable}"`]));

/** A word for a shell; placeholders in it become variables, in quotes of their own: `"$RUN"/db`. */
function word(text: string): string {
  if (text === '') return quoteWord(text);
  const parts = text.split(PLACEHOLDER).filter((part) => part !== '');
  return parts.map((part) => WRITTEN.get(part) ?? quoteWord(part)).join('');
}

/** Relative to the directory of the experiment file, as the experiment has it. */
function located(path: string): string {
  return path.startsWith('/') || path.startsWith('{') ? word(path) : word(`{experiment.dir}/${path}`);
}

/** A template of the experiment filled in; a journal of a stranger's may name what it has no value for. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  const filled = pieces(template).map(({ kind, value, written }) => {
    if (kind === 'text') return value;
    return Object.hasOwn(values, value) ? (values[value] ?? written) : written;
  });
  return filled.join('');
}

/** What the launcher does to a trial before it starts, as commands that do the same. */
function settings({ cpu, layout, real_time }: Experiment['machine']): readonly string[] {
  return [
    ...(cpu === null ? [] : ['taskset', '-c', String(cpu)]),
    ...(layout === 'fixed' ? ['setarch', '-R'] : []),
    ...(real_time ? ['chrt', '--fifo', '1'] : []),
  ];
}

/**
 * The line that runs one trial of `prepared`: directory, environment, CPU, command, input. The user's own variables,
 * and a drawn length of the environment, are not in it.
 * @param side the control or side comparison whose trial it is; the confirmation's where it is left out
 */
function trialCommand(input: ReportInput, prepared: PreparedArm, side: SideDesign | null = null): string {
  const { experiment } = input.journal.run;
  const counters = side?.counters ?? experiment.counters;
  const { workload, machine } = experiment;
  const arm = experiment.arms.find(({ name }) => name === prepared.arm);
  const values = arm === undefined ? {} : valuesOf(experiment, arm);
  const named = { ...countersEnvironment({ counters, workload }), ...workload.env, ...arm?.env };
  const own = side !== null && Object.hasOwn(prepared.commands, side.name) ? prepared.commands[side.name] : undefined;
  const words = own ?? prepared.command;
  return lineOf({ workload, named, values }, [...settings(machine), ...words.map(word)]);
}

/** Where valgrind leaves its profile: in the directory that the command runs in. */
const PROFILE = 'callgrind.out.%p';

/**
 * The line that counts the instructions of `prepared` as one of its counted trials did: under valgrind, addresses fixed, with
 * the parameters of the count. Null where instructions were not counted, or not of the arm, or the template is not what it ran.
 */
function countedCommand({ journal, analysis }: ReportInput, prepared: PreparedArm): string | null {
  const { experiment } = journal.run;
  const { counting, workload, machine } = phaseSetting(experiment, 'counting');
  const arm = experiment.arms.find(({ name }) => name === prepared.arm);
  const template = arm?.command ?? workload.command;
  if (analysis.counting === null || counting === null || arm === undefined || template === null) return null;
  if (!experiment.design.arms.includes(arm.name)) return null;
  // What the arm ran must be what its template says, or the count's cannot be told from it.
  const timed = template.slice(1).map((one) => fill(one, valuesOf(experiment, arm)));
  if (timed.join('\0') !== prepared.command.slice(1).join('\0')) return null;
  const values = valuesOf(experiment, arm, counting.params);
  // Which file the first word is was found out before the first trial.
  const [program = ''] = prepared.command;
  const words = [program, ...template.slice(1).map((one) => fill(one, values))];
  const tool = ['valgrind', ...callgrindWords(PROFILE, counting.region, null)];
  const pinned = settings({ ...machine, layout: 'fixed', real_time: false });
  const named = { ...countersEnvironment({ counters: 'off', workload }), ...workload.env, ...arm.env };
  return lineOf({ workload, named, values }, [...pinned, ...[...tool, ...words].map(word)]);
}

function valuesOf(
  experiment: Experiment,
  arm: Arm,
  params: Experiment['workload']['params'] = {},
): Record<string, string> {
  const dirs = { arm: '{arm.dir}', trial: '{trial.dir}', experiment: '{experiment.dir}', driver: '{arm.driver}' };
  return placeholderValues(experiment, arm, { ...dirs, ...surroundingPlaceholders(experiment.workload) }, params);
}

/** Directory, environment, words, input. */
function lineOf(
  {
    workload,
    named,
    values,
  }: Pick<Experiment, 'workload'> & {
    readonly named: Readonly<Record<string, string>>;
    readonly values: Readonly<Record<string, string>>;
  },
  words: readonly string[],
): string {
  const variables = Object.entries(named).map(([name, template]) => `${name}=${word(fill(template, values))}`);
  const command = ['env', 'LC_ALL=C', 'TZ=UTC', ...variables, ...words].join(' ');
  const stdin = workload.stdin === null ? '/dev/null' : located(workload.stdin);
  return `cd ${located(fill(workload.cwd, values))} && ${command} < ${stdin}`;
}

const MEANINGS = {
  'trial.dir': 'trial.run',
  'trial.cgroup': 'trial.group',
  'trial.device_stat': 'trial.device-stat',
  'arm.dir': 'trial.arm',
  'arm.driver': 'trial.driver',
  'experiment.dir': 'trial.experiment',
} as const satisfies Record<Placeholder, string>;

/** What a variable in the commands stands for; `where`: the report that has the section Arms, where this one has none. */
export function meaningOf(variable: Placeholder, where: string, escaping: Escaping): string {
  return say(MEANINGS[variable], { name: escaping.name(`$${VARIABLES[variable]}`), where });
}

/** The phase of counted trials, as a plan names it; no control or comparison has that name. */
const COUNTED = 'counting';

/** Whose trial a command is; `side`: in that control or side comparison, where it differs, or where instructions are counted. */
interface TrialOf {
  readonly arm: string;
  readonly side: string | null;
}

interface SingleTrials {
  /** Arms that differ in their files alone have one command. */
  readonly commands: readonly { readonly of: readonly TrialOf[]; readonly command: string }[];
  /** Those that stand in the commands. */
  readonly variables: readonly Placeholder[];
}

/** `before, after; after in reads`. */
export function trialNames(of: readonly TrialOf[], escaping: Escaping): string {
  const sides = [...new Set(of.map(({ side }) => side))].map((side) => {
    const arms = of.filter((one) => one.side === side).map(({ arm }) => escaping.name(arm));
    return side === null ? arms.join(', ') : `${arms.join(', ')} in ${escaping.name(side)}`;
  });
  return sides.join('; ');
}

/**
 * The commands of single trials, as they are (not escaped): one of each arm, and where a control or comparison runs
 * something else, or counts otherwise, that too; last, those of counted trials. None where no arm was prepared.
 */
export function singleTrials(input: ReportInput): SingleTrials {
  const prepared = (input.journal.prepared?.arms ?? []).filter(({ build }) => build === 0);
  const byCommand = new Map<string, TrialOf[]>();
  const add = (command: string, one: TrialOf) => byCommand.set(command, [...(byCommand.get(command) ?? []), one]);
  for (const arm of prepared) add(trialCommand(input, arm), { arm: arm.arm, side: null });
  for (const side of input.journal.run.experiment.sides) {
    for (const arm of prepared.filter((one) => side.arms.includes(one.arm))) {
      const command = trialCommand(input, arm, side);
      if (command !== trialCommand(input, arm)) add(command, { arm: arm.arm, side: side.name });
    }
  }
  for (const arm of prepared) {
    const command = countedCommand(input, arm);
    if (command !== null) add(command, { arm: arm.arm, side: COUNTED });
  }
  const commands = [...byCommand].map(([command, of]) => ({ of, command }));
  const variables = (Object.keys(VARIABLES) as Placeholder[]).filter((placeholder) =>
    commands.some(({ command }) => command.includes(`"$${VARIABLES[placeholder]}"`)),
  );
  return { commands, variables };
}

/** What a reader must know who runs such a command. */
export function trialNotes({ journal, analysis }: ReportInput, escaping: Escaping): readonly string[] {
  const inTurns = journal.run.experiment.design.slices !== null;
  const words = { serve: escaping.name('--serve'), check: escaping.name('assay driver-check') };
  return [
    ...(inTurns ? [say('trial.session', words)] : []),
    ...(analysis.counting === null ? [] : [say('trial.counted', {})]),
  ];
}
