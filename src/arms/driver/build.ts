/** One driver for one library: taken from the cache, or compiled by one command. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { AssayError } from '../../failures.ts';
import { makeEntry, markUsed, removeEntry } from '../../io/cache.ts';
import { digestFile } from '../../io/digest.ts';
import { type Compiler, compileRemedy, runTool, stopped, type ToolContext } from '../compiler.ts';
import { inputsDigest, readEntry, writeEntry } from './entry.ts';
import { type DriverKit, type DriverSide, includeArguments } from './kit.ts';

export interface BuiltDriver {
  /** Absolute, in the cache. */
  readonly executable: string;
  /** The command, whose output is `executable`. */
  readonly command: readonly string[];
  /** SHA-256 over the paths and contents of everything that was compiled, system headers too. */
  readonly inputs_sha256: string;
}

export interface BuildContext extends ToolContext {
  readonly cache: string;
  readonly onProgress: (message: string) => void;
}

/**
 * The driver for one side. An entry of the cache is used where compiler, options and library are those it was made
 * with, and neither a file that was compiled nor the executable has changed.
 * @param flags the same for all sides: with standard, without warnings
 * @param arms that have this library, for progress
 * @throws AssayError `arm` where it does not compile (its detail holds the compiler's last lines), where headers of
 * another version came in, or where the library changed meanwhile
 */
export async function buildDriver(
  side: DriverSide,
  kit: DriverKit,
  compiler: Compiler,
  flags: readonly string[],
  arms: readonly string[],
  context: BuildContext,
): Promise<BuiltDriver> {
  const compiling = [...flags, ...kit.warnings, ...includeArguments(side.library)];
  const sources = side.sources.map((source) => join(kit.directory, source));
  const command = [compiler.path, ...compiling, ...sources, ...linkArguments(side)];
  const key = [compiler, command, side.directory, side.library.facts.sha256, process.arch];
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 24);
  const name = `driver-${kit.name}-${hash}`;
  const path = join(context.cache, 'driver', name);
  const executable = join(path, kit.name);
  const whole = [...command, '-o', executable];

  const cached = await readEntry(path, kit.name);
  if (cached === 'changed') await removeEntry(context.cache, path);
  else if (cached !== 'missing') {
    await markUsed(path);
    return { executable, command: whole, inputs_sha256: cached.inputs_sha256 };
  }
  context.onProgress(`compiling the ${kit.name} driver of ${arms.join(' and ')} against ${side.library.library}`);
  await makeEntry(context.cache, 'driver', name, async (directory) => {
    const listing = [compiler.path, ...compiling, '-M', ...sources] as const;
    const inputs = parseDependencies(await compile(side, listing, context)).map((one) => resolve(side.directory, one));
    await refuseForeignHeaders(side, kit, inputs);
    const before = await inputsDigest(inputs);
    await compile(side, [...command, '-o', join(directory, kit.name)], context);
    const made = await digestFile(join(directory, kit.name));
    const library = await digestFile(side.library.library);
    if (made === null || library?.sha256 !== side.library.facts.sha256 || (await inputsDigest(inputs)) !== before) {
      throw failure(
        side.arm,
        `${side.library.library} or its headers changed while the driver was compiled against them`,
        'Let the build of the library end first, then run again.',
      );
    }
    await writeEntry(directory, { format: 1, executable_sha256: made.sha256, inputs, inputs_sha256: before });
  });
  const entry = await readEntry(path, kit.name);
  if (entry === 'missing' || entry === 'changed') {
    throw failure(
      side.arm,
      'the driver changed in the cache right after it was compiled',
      'Something else writes to the cache, or to the headers: find out what, then run again.',
    );
  }
  return { executable, command: whole, inputs_sha256: entry.inputs_sha256 };
}

/** The library's own path, so that no search can find another; and for a shared one where to load it from. */
function linkArguments({ library: { library, facts, link } }: DriverSide): readonly string[] {
  const load = ['-Xlinker', '-rpath', '-Xlinker', dirname(library)];
  // Of the two kinds of run path, the one that LD_LIBRARY_PATH does not override.
  const shared = facts.linkage === 'shared' ? [...load, '-Xlinker', '--disable-new-dtags'] : [];
  return [library, ...shared, ...link, '-pthread', '-ldl'];
}

async function compile(side: DriverSide, command: readonly string[], context: BuildContext): Promise<string> {
  const [file = '', ...args] = command;
  const outcome = await runTool(file, args, { ...context, cwd: side.directory });
  if (outcome.kind === 'done') return outcome.stdout;
  if (outcome.kind === 'cancelled') throw stopped(side.arm);
  throw failure(
    side.arm,
    `the driver does not compile against ${side.library.library}`,
    compileRemedy(outcome.output),
    outcome.output,
  );
}

/** Files that a rule for make names as prerequisites, as compilers write it with -M: sorted, each once. */
export function parseDependencies(rules: string): string[] {
  const found = new Set<string>();
  for (const rule of rules.replaceAll('\\\n', ' ').split('\n')) {
    const prerequisites = rule.slice(rule.indexOf(':') + 1);
    if (!rule.includes(':')) continue;
    // A space in a name is written with a backslash, a dollar twice.
    for (const word of prerequisites.match(/(?:\\[ #\\]|[^ \t])+/g) ?? []) {
      found.add(word.replace(/\\([ #\\])/g, '$1').replaceAll('$$', '$'));
    }
  }
  return [...found].sort();
}

/** The compiler falls back to its own directories for a header that the arm's lack: of another version, unnoticed. */
async function refuseForeignHeaders(side: DriverSide, kit: DriverKit, inputs: readonly string[]): Promise<void> {
  const real = (path: string) => realpath(path).catch(() => path);
  const own = await Promise.all([kit.directory, ...side.library.include].map(real));
  for (const input of inputs) {
    if (!input.includes(`/${kit.headerFolder}/`)) continue;
    const path = await real(input);
    if (own.some((directory) => path.startsWith(`${directory}${sep}`) || input.startsWith(`${directory}${sep}`)))
      continue;
    throw failure(
      side.arm,
      `${input} was included, which is none of the headers in ${side.library.headers}`,
      'The include directories of the arm lack this header, and the compiler found one of another installation: name the directory that has it.',
    );
  }
}

function failure(arm: string, message: string, remedy: string, detail = ''): AssayError {
  return new AssayError({ kind: 'arm', arm, message, detail, remedy });
}
