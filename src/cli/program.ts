/** The command line: which commands there are, and how each ends. */
import { Command, CommanderError } from 'commander';
import { AssayError } from '../failures.ts';
import { assayVersion } from '../io/version.ts';
import { registerBundle } from './bundle.ts';
import { registerCache } from './cache.ts';
import { registerCalibrate } from './calibrate.ts';
import { registerCompare } from './compare.ts';
import { registerCompletion } from './completion.ts';
import { registerDoctor } from './doctor.ts';
import { registerDriverCheck } from './driver-check.ts';
import { registerEngines } from './engines.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { registerImport } from './import.ts';
import { registerInit } from './init.ts';
import { registerPlan } from './plan.ts';
import { registerReport } from './report.ts';
import { registerRun } from './run.ts';
import { registerSchema } from './schema.ts';
import { failureExitCode, showFailure } from './show-failure.ts';
import { openStreams, type Streams } from './streams.ts';
import { registerVariance } from './variance.ts';
import { registerVerify } from './verify.ts';

/** What a command needs from its surroundings, and where it leaves its exit code. */
export interface CommandContext {
  readonly streams: Streams;
  readonly env: NodeJS.ProcessEnv;
  readonly exit: (code: number) => void;
}

/** Parses the arguments, runs one command, and returns the exit code. Never throws for a user's mistake. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const streams = openStreams(process.env);
  let code: number = EXIT.ok;
  let begun = '';
  const context: CommandContext = {
    streams,
    env: process.env,
    exit: (value) => {
      code = value;
    },
  };
  try {
    const program = buildProgram(context).hook('preAction', (_, command) => {
      begun = wordsOf(command);
    });
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (error instanceof AssayError) {
      streams.err(showFailure(error.failure, begun));
      return failureExitCode(error.failure);
    }
    if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
      streams.err('assay: the current directory has been removed\n  Change to one that exists.\n');
      return EXIT.usage;
    }
    streams.err(
      `assay: this is a defect in Assay, please report it:\n${error instanceof Error ? error.stack : error}\n`,
    );
    return EXIT.failed;
  }
}

/** Of the command line, without the program's own name. */
function wordsOf(command: Command): string {
  if (command.parent === null) return '';
  return `${wordsOf(command.parent)} ${command.name()}`.trim();
}

/** All commands, with their help; completions are made from the same tree. */
function buildProgram(context: CommandContext): Command {
  const program = new Command('assay')
    .description(
      'Says whether a change made a program slower, by how much and how sure that is, and keeps the evidence.',
    )
    .version(assayVersion(), '-V, --version')
    .exitOverride()
    .configureOutput({ writeOut: context.streams.out, writeErr: context.streams.err })
    .showSuggestionAfterError()
    .showHelpAfterError('(assay --help shows the commands)')
    .addHelpText(
      'after',
      `
Examples:
  assay compare './db_bench_old --benchmarks=fillseq' './db_bench_new --benchmarks=fillseq'
  assay init && assay run experiment.yaml
  assay report assay-runs/2026-01-31T12-00-00Z-write-path --format markdown
${EXIT_CODES_HELP}`,
    );
  for (const register of [
    registerCompare,
    registerRun,
    registerReport,
    registerBundle,
    registerVerify,
    registerDriverCheck,
    registerPlan,
    registerCalibrate,
    registerImport,
    registerVariance,
    registerEngines,
    registerDoctor,
    registerInit,
    registerSchema,
    registerCache,
    registerCompletion,
  ]) {
    register(program, context);
  }
  return program;
}
