import type { Command } from 'commander';
import { AssayError } from '../failures.ts';
import { EXIT_CODES_HELP } from './exit-codes.ts';
import { changeText, collectNames, evenPairs, wholeNumber } from './options.ts';
import type { CommandContext } from './program.ts';
import { addRunOptions, type RunFlags, runAndShow } from './run-options.ts';

interface CompareFlags extends RunFlags {
  readonly pairs: number;
  readonly warmup: number;
  readonly cpu?: number;
  readonly threshold?: string;
  readonly margin?: string;
  readonly shell?: boolean;
  readonly env: readonly string[];
}

export function registerCompare(program: Command, context: CommandContext): void {
  addRunOptions(program.command('compare'))
    .description('compare two commands by wall time, CPU time and peak memory')
    .argument('<reference>', 'the command that is compared with')
    .argument('<command>', 'the command that is judged')
    .option('-n, --pairs <n>', 'pairs of trials, an even number', evenPairs, 16)
    .option('--warmup <n>', 'pairs that run first and are not measured', wholeNumber(0, 1000), 1)
    .option('--cpu <n>', 'pin the commands to this CPU', wholeNumber(0, 8191))
    .option('--threshold <x>', 'changes up to this do not count as slower or faster (5% or 0.05)', changeText)
    .option('--margin <x>', 'test for equivalence within this margin (2% or 0.02)', changeText)
    .option('--shell', 'run the commands through /bin/sh -c')
    .option('--env <name>', 'pass this variable on to the commands (repeatable)', collectNames, [])
    .addHelpText(
      'after',
      `
The commands run in the current directory, in pairs of fresh processes in counterbalanced order.

Examples:
  assay compare './old --flag' './new --flag'
  assay compare 'sleep 0.05' 'sleep 0.06' --pairs 8 --cpu 1
  assay compare --shell 'zcat a.gz | wc' 'pigz -dc a.gz | wc' --threshold 2%
${EXIT_CODES_HELP}`,
    )
    .action(async (reference: string, command: string, flags: CompareFlags) => {
      const { compareDocument } = await import('../experiment/compare-document.ts');
      const document = compareDocument({
        commands: [reference, command],
        shell: flags.shell === true,
        pairs: flags.pairs,
        warmup: flags.warmup,
        cpu: flags.cpu,
        threshold: flags.threshold,
        margin: flags.margin,
        pass_env: flags.env,
      });
      if (!document.ok) throw commandFailure(document);
      const { startRun } = await import('../pipeline.ts');
      const source = { name: 'compare', directory: process.cwd(), text: document.text };
      await runAndShow(flags, context, (setting) =>
        startRun({ ...setting, source, out: flags.out ?? null, seed: flags.seed ?? null }),
      );
    });
}

/** The command with a mark under the fault. */
function commandFailure(fault: { command: string; message: string; index: number }): AssayError {
  const indent = ' '.repeat('assay: '.length + fault.index);
  return new AssayError({
    kind: 'usage',
    message: `${fault.command}\n${indent}^ ${fault.message}`,
    remedy: 'Commands are split by POSIX quoting; they see no shell unless --shell is given.',
  });
}
