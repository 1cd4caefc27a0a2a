/** What was compared and what was done to it, in words. */
import { quoteCommand } from '../experiment/command-line.ts';
import type { ArmSource } from '../experiment/experiment.ts';
import { revisionText } from '../experiment/revision.ts';
import { importedArms } from './imported.ts';
import type { ReportInput } from './input.ts';
import { type Escaping, listText } from './plain-text.ts';
import { say } from './rules.ts';

/** Of a command in running text. */
const LONGEST_COMMAND = 240;

/** What each of these arms is: the package, or the command that was run; null where none was prepared. */
export function armsSentence(
  { journal, analysis }: ReportInput,
  arms: readonly string[],
  escaping: Escaping,
): string | null {
  const prepared = (journal.prepared?.arms ?? []).filter(({ arm, build }) => build === 0 && arms.includes(arm));
  const told = prepared.map(({ arm, command, provenance }) => {
    const source = journal.run.experiment.arms.find(({ name }) => name === arm)?.source;
    const origin = originOf(source, provenance);
    const run = origin === null ? escaping.name(shortened(quoteCommand(command))) : null;
    return { arm, command: run, words: { name: escaping.name(arm), what: run ?? escaping.prose(origin ?? '') } };
  });
  if (told.length === 0) return null;
  const commands = new Set(told.map(({ command }) => command));
  const [command] = commands;
  if (told.length > 1 && commands.size === 1 && command !== undefined && command !== null) {
    const names = told.map(({ arm, words }) => (arm === analysis.reference ? `${words.name} (reference)` : words.name));
    return `${say('basis.arms-alike', { names: listText(names), command })}.`;
  }
  const sentences = told.map(({ arm, words }) =>
    arm === analysis.reference ? say('basis.arm-reference', words) : say('basis.arm', words),
  );
  return `${sentences.join('; ')}.`;
}

/** Null for an arm that is only a command. */
function originOf(source: ArmSource | undefined, provenance: Readonly<Record<string, string>>): string | null {
  switch (source?.kind) {
    case 'same':
      return `the artefact of ${source.of}`;
    case 'npm':
      return `${source.package}@${source.version}`;
    case 'git': {
      const commit = provenance['commit']?.slice(0, 12) ?? 'unknown';
      const patch = source.patch === null ? '' : ` with ${source.patch}`;
      const again = source.again === null ? '' : `, prepared again from the source of ${source.again.of}`;
      return `${revisionText(source.rev)} (${commit}) of ${source.repo}${patch}${again}`;
    }
    default:
      return null;
  }
}

/** What the trials do, and with which parameters; nothing where each arm has a command of its own. */
function workloadSentences({ journal }: ReportInput, escaping: Escaping): readonly string[] {
  const { workload, arms } = journal.run.experiment;
  const params = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values)
      .map(([name, value]) => `${escaping.name(name)} = ${escaping.prose(String(value))}`)
      .join(', ');
  const has = (values: object) => Object.keys(values).length > 0;
  const command = workload.command === null ? null : escaping.name(shortened(quoteCommand(workload.command)));
  const own = arms.filter((arm) => has(arm.params));
  return [
    ...(command === null
      ? []
      : [
          workload.driver === null
            ? say('workload.command', { command })
            : say('workload.driver', { command, engine: escaping.prose(workload.driver.name) }),
        ]),
    ...(has(workload.params) ? [say('workload.params', { params: params(workload.params) })] : []),
    ...own.map((arm) => say('workload.arm-params', { arm: escaping.name(arm.name), params: params(arm.params) })),
  ];
}

/** Workload, parameters and arms of the confirmation, and what braces in them mean. */
export function workloadText(input: ReportInput, escaping: Escaping): readonly string[] {
  const { imported } = input.journal.run;
  if (imported !== null) return [capital(importedArms(input, imported, escaping))];
  const arms = armsSentence(input, input.analysis.arms, escaping);
  const told = [...workloadSentences(input, escaping), ...(arms === null ? [] : [capital(arms)])];
  const braces = told.some((sentence) => /\{[a-z]+\.[a-z_]+\}/.test(sentence));
  return braces ? [...told, say('workload.braces', {})] : told;
}

/**
 * Arms that run beside the confirmation alone, each told where it comes up first: those of the controls, then those of each
 * comparison.
 */
export function armsBeside(input: ReportInput): {
  readonly controls: readonly string[];
  readonly sides: readonly (readonly string[])[];
} {
  const { analysis } = input;
  const known = new Set(analysis.arms);
  const unknown = (arms: readonly string[]): readonly string[] => {
    const found = [...new Set(arms)].filter((arm) => !known.has(arm));
    for (const arm of found) known.add(arm);
    return found;
  };
  const controls = unknown(analysis.controls.flatMap(({ arm, reference }) => [arm, reference]));
  return { controls, sides: analysis.sides.map(({ arms }) => unknown(arms)) };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shortened(command: string): string {
  const characters = [...command];
  return characters.length <= LONGEST_COMMAND ? command : `${characters.slice(0, LONGEST_COMMAND).join('')}…`;
}
