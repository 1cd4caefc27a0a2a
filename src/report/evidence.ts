/** The evidence of a report, in facts: how and where the numbers were made. Each format lays them out. */
import type { Analysis } from '../analysis/analysis.ts';
import type { MachineFacts } from '../host/machine.ts';
import type { PreparedArm, PreparedRecord } from '../journal/records.ts';
import type { Accounting } from '../trial/launch.ts';
import { countedSentence, uncountedSentence } from './counters.ts';
import { importedFacts } from './imported.ts';
import type { ReportInput } from './input.ts';
import { counted, formatDuration, formatTime } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { blockNoun } from './row.ts';
import { pinnedText, settingFacts } from './setting.ts';
import { storageText } from './storage.ts';
import { formatQuantity } from './units.ts';

export type Fact = readonly [what: string, value: string];

function known(value: string | null, prose: Escaping['prose']): string {
  return value === null ? 'unknown' : prose(value);
}

function yesNo(value: boolean | null): string {
  return value === null ? 'unknown' : value ? 'yes' : 'no';
}

/** All ways in which the trials of a run were accounted for one quantity; more than one is worth seeing. */
function accountingOf(
  input: ReportInput,
  name: 'wall' | 'cpu' | 'max_rss',
  unit: 'ns' | 'bytes',
  prose: Escaping['prose'],
): string {
  const tell = ({ method, resolution, scope }: Accounting): string =>
    `${prose(method)}, resolution ${formatQuantity(resolution, unit)}, ${prose(scope)}`;
  const ways = new Set(
    input.journal.trials.flatMap(({ account }) => (account === null ? [] : [tell(account.accounting[name])])),
  );
  return ways.size === 0 ? 'no trial' : [...ways].join('; ');
}

function pinning(input: ReportInput): string {
  const { orchestrator_cpu: own } = input.journal.run.experiment.machine;
  const subject = pinnedText(input);
  return own === null ? subject : `${subject}; Assay on CPU ${own}`;
}

/** How far the layout of memory was left to chance: it moves times by more than many changes do. */
function layoutText({ journal }: ReportInput): string {
  const { layout, environment_padding, real_time } = journal.run.experiment.machine;
  const addresses = layout === 'fixed' ? 'addresses fixed' : 'addresses as the system places them';
  const padding =
    environment_padding === 0 ? '' : `; environment up to ${counted(environment_padding, 'byte')} longer, drawn`;
  return `${addresses}${padding}${real_time ? '; real-time class' : ''}`;
}

/** How many trials, and their time; those in which instructions were counted took time of another kind. */
function trialsText({ trials, trial_seconds }: Analysis, noun: string): string {
  const counts = trials.filter(({ phase }) => phase === 'counting');
  const made = trials.length - counts.length;
  const sessions = noun === 'session' ? `, two in each of ${counted(made / 2, noun)}` : '';
  const timed = `${made}${sessions}${trial_seconds === null ? '' : `, ${formatDuration(trial_seconds)} in all`}`;
  if (counts.length === 0) return timed;
  const seconds = counts.reduce((sum, { wall_ns }) => sum + (wall_ns ?? 0), 0) / 1e9;
  return `${timed}; then ${counts.length} counted, ${formatDuration(seconds)}`;
}

/** Where and how the numbers were measured, each list with its caption. */
export function evidenceFacts(
  input: ReportInput,
  escaping: Escaping,
): readonly (readonly [caption: string, facts: readonly Fact[]])[] {
  const { imported, machine } = input.journal.run;
  if (imported !== null) return [['How it came here', importedFacts(input, imported, escaping)]];
  return [
    ...(machine === null ? [] : [['Machine', machineFacts(machine, escaping)] as const]),
    ['How it was measured', measurementFacts(input, escaping)],
  ];
}

/** How the numbers were measured. */
function measurementFacts(input: ReportInput, escaping: Escaping): readonly Fact[] {
  const { name: code, prose } = escaping;
  const { analysis, journal } = input;
  const { run, prepared } = journal;
  const { design, workload } = run.experiment;
  const noun = blockNoun(input);
  const launcher =
    prepared === null
      ? 'not started'
      : `${prepared.launcher.kind}; an empty command takes ${formatQuantity(prepared.launcher.overhead_ns, 'ns')}`;
  const counters = countedSentence(input) ?? uncountedSentence(input, escaping);
  return [
    ['started', formatTime(run.started_unix_ms)],
    ['trials', trialsText(analysis, noun)],
    ['warm-up', design.warmup === 0 ? 'none' : `${counted(design.warmup, noun)} first, checked, in no result`],
    ['seed', String(analysis.seed)],
    ['subject', pinning(input)],
    ['memory layout', layoutText(input)],
    ['page cache', workload.drop_caches ? 'dropped before each trial' : 'not dropped'],
    ...(workload.memory_limit_bytes === null
      ? []
      : [['memory limit of a trial', formatQuantity(workload.memory_limit_bytes, 'bytes')] as const]),
    ...(workload.device === null
      ? []
      : [
          [
            'device of a trial',
            `loop device of ${formatQuantity(workload.device.size_bytes, 'bytes')}, ext4, direct`,
          ] as const,
        ]),
    ['time limit of a trial', formatDuration(workload.timeout_ms / 1e3)],
    ['launcher', launcher],
    ['wall time', accountingOf(input, 'wall', 'ns', prose)],
    ['CPU time', accountingOf(input, 'cpu', 'ns', prose)],
    ['peak memory', accountingOf(input, 'max_rss', 'bytes', prose)],
    ...(counters === null ? [] : [['counters', counters] as const]),
    ['Assay', prose(run.assay)],
    [
      'with',
      prose(
        Object.entries(run.versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', '),
      ),
    ],
    ['experiment file', `${code(run.source.name)}, SHA-256 ${code(run.source.sha256)}`],
    ['experiment without seed and title', `SHA-256 ${code(run.experiment_id)}`],
  ];
}

/** `Xeon, 2 sockets, 64 cores, 128 CPUs`, as far as the system says. */
export function processorsText({ cpu_model, sockets, cores, cpus }: MachineFacts, prose: Escaping['prose']): string {
  return [
    prose(cpu_model),
    ...(sockets === null ? [] : [counted(sockets, 'socket')]),
    ...(cores === null ? [] : [counted(cores, 'core')]),
    counted(cpus, 'CPU'),
  ].join(', ');
}

/** Where they were measured. */
function machineFacts(machine: MachineFacts, escaping: Escaping): readonly Fact[] {
  const { prose } = escaping;
  return [
    ['CPU', processorsText(machine, prose)],
    ['memory', formatQuantity(machine.memory_bytes, 'bytes')],
    [
      'system',
      [
        ...(machine.distribution === null ? [] : [prose(machine.distribution)]),
        ...[`${prose(machine.platform)} ${prose(machine.kernel)}`, prose(machine.arch)],
      ].join(', '),
    ],
    ['C library', known(machine.c_library, prose)],
    ['virtual machine', yesNo(machine.virtual)],
    ['frequency governor', known(machine.governor, prose)],
    ['turbo', yesNo(machine.turbo)],
    ['file system of the trials', known(machine.file_system, prose)],
    ['storage device', storageText(machine, escaping)],
    ...settingFacts(machine, prose),
    ['Node.js', prose(machine.node)],
  ];
}

/** What follows the name of a prepared arm: which build it is, and whether it is the reference. */
export function armNote(prepared: PreparedRecord | null, { arm, build }: PreparedArm, reference: string): string {
  const several = (prepared?.arms ?? []).filter((one) => one.arm === arm).length > 1;
  return `${several ? `, build ${build + 1}` : ''}${arm === reference ? ' (reference)' : ''}`;
}
