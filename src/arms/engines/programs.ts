/** Programs of the study of engines: study.cc with the file of one engine, compiled into the cache against that engine's library. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError } from '../../failures.ts';
import { type EngineHead, engineHead } from '../../formats/engine-head.ts';
import { makeEntry, markUsed, removeEntry } from '../../io/cache.ts';
import { digestFile } from '../../io/digest.ts';
import { fileFailure } from '../../io/file-failure.ts';
import { type Compiler, compileRemedy, findCxxCompiler, runTool, stopped } from '../compiler.ts';
import { type BuildContext, parseDependencies } from '../driver/build.ts';
import { inputsDigest, readEntry, writeEntry } from '../driver/entry.ts';

/** Two folders above this file's folder, built or not. */
const DRIVERS = fileURLToPath(new URL('../../../drivers', import.meta.url));
const FOLDER = join(DRIVERS, 'engines');
const STUDY = 'study.cc';
const FLAGS = ['-O3', '-DNDEBUG', '-std=c++20', '-Wall', '-Wextra'];

/** A library that was built without run-time type information, as release builds of RocksDB are. */
const LACKS_TYPES = /undefined (?:reference to|symbol:?) ['`‘]?typeinfo for/;

/** A program, or why it cannot be had because its library is not there. */
export type EngineProgram =
  /** `made`: false where it has only been looked for, and would be compiled first. */
  | { readonly kind: 'ready'; readonly program: string; readonly made: boolean }
  /** `missing` is a clause; `remedy` a sentence. */
  | { readonly kind: 'missing'; readonly missing: string; readonly remedy: string };

/** All engines that there are drivers for. @throws AssayError `file` where their sources are missing */
export async function knownEngines(): Promise<readonly EngineHead[]> {
  const reinstall = 'Install Assay again: the sources of its drivers are missing.';
  const failed = (error: unknown) => fileFailure(error, FOLDER, 'read', reinstall);
  const names = await readdir(FOLDER).catch((error: unknown) => {
    throw failed(error);
  });
  const heads: EngineHead[] = [];
  for (const name of names.filter((each) => each.endsWith('.cc') && each !== STUDY).sort()) {
    const source = await readFile(join(FOLDER, name), 'utf8').catch((error: unknown) => {
      throw failed(error);
    });
    const head = engineHead(source);
    if (head?.name === name.slice(0, -'.cc'.length)) heads.push(head);
  }
  return heads;
}

/** The compiler of all programs of a study, looked for once, when something is to be compiled. @throws AssayError `arm` where there is none */
export function studyCompiler(context: BuildContext): () => Promise<Compiler> {
  let found: Promise<Compiler> | null = null;
  return () => {
    found ??= findCxxCompiler('the study', null, '/', context);
    return found;
  };
}

/**
 * The program of one engine: from the cache, where neither its sources nor headers nor libraries have changed, or compiled.
 * @param prefix an installation of the library, absolute; null: where compiler and linker look
 * @throws AssayError `arm` where it does not compile against a library that is there
 */
export async function engineProgram(
  head: EngineHead,
  prefix: string | null,
  compilerOf: () => Promise<Compiler>,
  context: BuildContext,
): Promise<EngineProgram> {
  const found = await placeOf(head, prefix, compilerOf, context);
  if (found.kind === 'missing') return found;
  const { compiler, program, path, name, command, compiling, sources } = found;
  const ready = { kind: 'ready', program, made: true } as const;
  if (found.state === 'changed') await removeEntry(context.cache, path);
  else if (found.state === 'there') {
    await markUsed(path);
    return ready;
  }
  context.onProgress(`compiling the study for ${head.title}`);
  const tool = async (args: readonly string[]) => {
    const outcome = await runTool(compiler.path, args, { ...context, cwd: '/' });
    if (outcome.kind === 'done') return outcome.stdout;
    if (outcome.kind === 'cancelled') throw stopped(head.name);
    throw new AssayError({
      kind: 'arm',
      arm: head.name,
      message: `the study does not compile against ${head.title}`,
      detail: outcome.output,
      remedy: compileRemedy(outcome.output),
    });
  };
  await makeEntry(context.cache, 'driver', name, async (directory) => {
    const headers = parseDependencies(await tool([...compiling, '-M', ...sources])).map((one) => resolve('/', one));
    const linking = [...command, '-o', join(directory, head.name)];
    const listed = await tool(linking).catch((error: unknown) => {
      if (!(error instanceof AssayError) || error.failure.kind !== 'arm') throw error;
      if (!LACKS_TYPES.test(error.failure.detail)) throw error;
      return tool(['-fno-rtti', ...linking]);
    });
    const inputs = [...new Set([...headers, ...linkedFiles(listed)])].sort();
    const made = await digestFile(join(directory, head.name));
    if (made === null) throw new Error('the compiler made nothing');
    const inputs_sha256 = await inputsDigest(inputs);
    await writeEntry(directory, { format: 1, executable_sha256: made.sha256, inputs, inputs_sha256 });
  });
  return ready;
}

/** As `engineProgram`, but nothing is compiled, and nothing in the cache is touched: where the program is, or would be. */
export async function lookForProgram(
  head: EngineHead,
  prefix: string | null,
  compilerOf: () => Promise<Compiler>,
  context: BuildContext,
): Promise<EngineProgram> {
  const found = await placeOf(head, prefix, compilerOf, context);
  return found.kind === 'missing' ? found : { kind: 'ready', program: found.program, made: found.state === 'there' };
}

/** A program in the cache, which may be there or not, and how it is made. */
interface ProgramPlace {
  readonly kind: 'place';
  readonly state: 'there' | 'changed' | 'missing';
  readonly compiler: Compiler;
  readonly name: string;
  readonly path: string;
  readonly program: string;
  readonly command: readonly string[];
  readonly compiling: readonly string[];
  readonly sources: readonly string[];
}

async function placeOf(
  head: EngineHead,
  prefix: string | null,
  compilerOf: () => Promise<Compiler>,
  context: BuildContext,
): Promise<ProgramPlace | (EngineProgram & { readonly kind: 'missing' })> {
  const include = prefix === null ? [] : ['-isystem', join(prefix, 'include')];
  const folders = prefix === null ? [] : ['lib', 'lib64'].map((name) => join(prefix, name));
  // -Wl would cut a path at its commas.
  const search = folders.flatMap((lib) => [`-L${lib}`, '-Xlinker', '-rpath', '-Xlinker', lib]);
  if (prefix !== null && /[:$]/.test(prefix)) {
    // The loader would cut or expand it, and take the library of the system unnoticed.
    const remedy = 'Name it by a path, or a symbolic link, that has neither of them.';
    return { kind: 'missing', missing: `no program can look for its library in ${prefix}, which has a : or $`, remedy };
  }
  // Compiler and linker would go on to those of the system, and take another installation unnoticed.
  if (prefix !== null && !(await isInstalled(head, prefix, folders))) return missingOf(head, prefix);
  const compiler = await compilerOf();
  const probed = await runTool(compiler.path, ['-E', '-x', 'c++', ...include, '-'], {
    ...{ ...context, cwd: '/' },
    // To include it would fail where it wants definitions of its user.
    stdin: `#if !__has_include(<${head.header}>)\n#error missing\n#endif\n`,
  });
  if (probed.kind === 'cancelled') throw stopped(head.name);
  if (probed.kind === 'failed') return missingOf(head, prefix);
  const compiling = [...FLAGS, ...head.flags, '-I', FOLDER, '-I', DRIVERS, ...include];
  const sources = [join(FOLDER, STUDY), join(FOLDER, `${head.name}.cc`)];
  // What the linker takes is listed, for a change of it to be noticed.
  const command = [...compiling, ...sources, ...search, ...head.link, '-pthread', '-ldl', '-Wl,--trace'];
  const key = JSON.stringify([compiler, command, process.arch]);
  const name = `engine-${head.name}-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
  const path = join(context.cache, 'driver', name);
  const program = join(path, head.name);
  const cached = await readEntry(path, head.name);
  const state = cached === 'changed' || cached === 'missing' ? cached : 'there';
  return { kind: 'place', state, compiler, name, path, program, command, compiling, sources };
}

/** Whether header and library of an engine are below a prefix; of several libraries the first is the engine's own. */
async function isInstalled({ header, link }: EngineHead, prefix: string, folders: readonly string[]): Promise<boolean> {
  const isThere = async (path: string) => (await stat(path).catch(() => null))?.isFile() === true;
  if (!(await isThere(join(prefix, 'include', header)))) return false;
  const name = link[0]?.slice('-l'.length);
  if (name === undefined) return true;
  for (const folder of folders) {
    for (const ending of ['so', 'a']) if (await isThere(join(folder, `lib${name}.${ending}`))) return true;
  }
  return false;
}

/** Libraries that a linker says it takes, one a line; objects of the compilation itself are gone when it has ended. */
function linkedFiles(listed: string): readonly string[] {
  return listed
    .split('\n')
    .map((line) => line.replace(/^\((.*)\).*$/, '$1').trim())
    .filter((path) => isAbsolute(path) && /\.(?:a|so)(?:\.|$)/.test(path));
}

function missingOf(
  { title, header, package: debian, name }: EngineHead,
  prefix: string | null,
): EngineProgram & { readonly kind: 'missing' } {
  const where = prefix === null ? 'where the compiler looks' : `in ${join(prefix, 'include')}, or no library beside it`;
  const install = debian === null ? 'Build it and name where it is installed' : `Debian, Ubuntu: apt install ${debian}`;
  const named = prefix === null && debian === null ? `, \`${name}: {engine: ${name}, prefix: /opt/${name}}\`` : '';
  return {
    kind: 'missing',
    missing: `the library of ${title} is not here (no ${header} ${where})`,
    remedy: `${install}${named}.`,
  };
}
