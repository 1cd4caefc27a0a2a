/** The engines of a study with the programs that drive them, and those that cannot be had here. */
import { resolve } from 'node:path';
import { engineProgram, knownEngines, lookForProgram, studyCompiler } from '../arms/engines/programs.ts';
import { AssayError } from '../failures.ts';
import type { EngineHead } from '../formats/engine-head.ts';
import { cacheDirectory, openCache } from '../io/cache.ts';
import { executionFault, isExecutable } from '../io/executable.ts';
import type { FoundEngine } from '../storage/engines/planned.ts';
import type { LeftOut } from '../storage/engines/settled.ts';
import type { EngineStudy, StudiedEngine } from '../storage/engines/study.ts';
import type { ExperimentSource } from './experiment-file.ts';

export interface Finding {
  readonly source: ExperimentSource;
  readonly env: NodeJS.ProcessEnv;
  /** Null: nothing is compiled, or written; programs are where they would be. */
  readonly making: { readonly stop: AbortSignal; readonly onProgress: (message: string) => void } | null;
}

/** @throws AssayError `usage` for an engine that there is not, or that must be there and cannot be had */
export async function readyEngines(
  { engines, log }: Pick<EngineStudy, 'engines' | 'log'>,
  { source, env, making }: Finding,
): Promise<{ readonly engines: readonly FoundEngine[]; readonly left_out: readonly LeftOut[] }> {
  const context = {
    ...{ env, cache: making === null ? cacheDirectory(env) : await openCache(env), signal: making?.stop },
    onProgress: making?.onProgress ?? (() => undefined),
  };
  const find = making === null ? lookForProgram : engineProgram;
  const ready: FoundEngine[] = [];
  const left_out: LeftOut[] = [];
  const known = await knownEngines();
  const compilerOf = studyCompiler(context);
  for (const engine of engines) {
    const { name, required } = engine;
    if (engine.source.kind === 'program') {
      const program = resolve(source.directory, engine.source.program);
      await checkProgram(name, program);
      ready.push({ engine, program, log: engine.log ?? log, title: null, variant: engine.variant, made: true });
      continue;
    }
    const { engine: asked, prefix } = engine.source;
    const head = known.find((one) => one.name === asked);
    if (head === undefined) {
      throw usage(
        `${name}: there is no driver of the study for ${asked}`,
        `There are: ${known.map((one) => one.name).join(', ')}.`,
      );
    }
    if (engine.variant !== null && !head.variants.includes(engine.variant)) {
      throw usage(`${name}: ${head.title} has no variant ${engine.variant}`, `It has: ${head.variants.join(', ')}.`);
    }
    const at = prefix === null ? null : resolve(source.directory, prefix);
    const found = await find(head, at, compilerOf, context);
    if (found.kind === 'ready') {
      const variant = engine.variant ?? head.variants[0] ?? null;
      const { program, made } = found;
      ready.push({ engine, program, made, variant, title: head.title, log: logOf(engine, head, log) });
      continue;
    }
    if (required) throw usage(`${name}: ${found.missing}`, found.remedy);
    left_out.push({ what: 'engine', name, reason: found.missing, remedy: found.remedy });
  }
  return { engines: ready, left_out };
}

/** A program of the user's, before anything of the study is written. */
async function checkProgram(name: string, program: string): Promise<void> {
  const fault = await executionFault(program);
  if (fault !== null) throw usage(`${name}: ${fault.message}`, fault.remedy);
  if (await isExecutable(program)) return;
  throw usage(`${name}: there is no program ${program}`, 'Relative paths count from the directory of the study.');
}

/** An engine that has no choice takes part as it is; the report says where engines differ. */
function logOf({ name, log }: StudiedEngine, { title, logs }: EngineHead, general: boolean): boolean {
  const [only] = logs;
  const asked = log ?? general;
  if (only === undefined || logs.includes(asked)) return asked;
  if (log === null) return only;
  throw usage(`${name}: ${title} ${only ? 'always has' : 'has no'} log`, 'Leave `log` of this engine out.');
}

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}
