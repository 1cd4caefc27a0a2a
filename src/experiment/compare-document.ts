/** The experiment that `assay compare A B` stands for, as the text of a file. */
import { splitCommand } from './command-line.ts';
import { SYSTEM_METRICS } from './experiment.ts';
import { literalTemplate } from './placeholders.ts';
import { writtenChange } from './quantities.ts';
import type { ExperimentDocument } from './schema.ts';

/** What is left out is the default of an experiment file. */
export interface CompareOptions {
  /** Command lines: the reference, and what is compared with it. */
  readonly commands: readonly [reference: string, other: string];
  /** The commands are for `/bin/sh -c`; else they are split by POSIX quoting. */
  readonly shell: boolean;
  readonly pairs: number;
  readonly warmup: number;
  readonly cpu?: number | undefined;
  /** Fractions. */
  readonly threshold?: string | undefined;
  readonly margin?: string | undefined;
  /** Names of environment variables that trials take over. */
  readonly pass_env: readonly string[];
}

export type CompareDocument =
  | { readonly ok: true; readonly text: string }
  /** `index` is where in the command the fault is, in UTF-16 units from 0. */
  | { readonly ok: false; readonly command: string; readonly message: string; readonly index: number };

/** The arms of `assay compare`, in the order of its commands; the first is the reference. */
const ARMS = ['a', 'b'] as const;

/** Placeholders that a command of `assay compare` may use; all other braces in it are just that. */
const KEPT = ['trial.dir', 'arm.name', 'experiment.dir'];

const LONGEST_TITLE = 200;

/**
 * The text of the experiment (JSON, and so YAML too) that compares two commands in the directory that Assay was
 * started in. Metrics: wall (primary), cpu, max_rss.
 */
export function compareDocument(options: CompareOptions): CompareDocument {
  const { commands, shell, pairs, warmup, cpu, threshold, margin, pass_env } = options;
  const arms: ExperimentDocument['arms'] = {};
  for (const [index, command] of commands.entries()) {
    const split = shell ? null : splitCommand(command);
    if (split?.ok === false) return { ok: false, command, message: split.message, index: split.index };
    const template =
      split === null ? literalTemplate(command, KEPT) : split.argv.map((word) => literalTemplate(word, KEPT));
    arms[ARMS[index] ?? command] = { command: template };
  }
  const document: ExperimentDocument = {
    title: title(commands),
    arms,
    workload: { cwd: '{experiment.dir}', shell, ...(pass_env.length === 0 ? {} : { pass_env: [...pass_env] }) },
    metrics: SYSTEM_METRICS.map((name) => ({ name, primary: name === 'wall' })),
    design: { warmup, confirmation: { pairs } },
    ...(cpu === undefined ? {} : { machine: { cpu } }),
    decision: {
      ...(threshold === undefined ? {} : { threshold: writtenChange(threshold) }),
      ...(margin === undefined ? {} : { margin: writtenChange(margin) }),
    },
  };
  return { ok: true, text: `${JSON.stringify(document, null, 2)}\n` };
}

/** Both commands in one line: each is cut where the two are too long together. */
function title(commands: readonly string[]): string {
  const join = ' against ';
  const room = Math.floor((LONGEST_TITLE - join.length) / commands.length);
  const names = [...commands].reverse().map((command) => {
    const line = command.replace(/\p{Cc}+/gu, ' ').trim();
    return line.length > room ? `${line.slice(0, room - 1)}…` : line;
  });
  return names.join(join);
}
