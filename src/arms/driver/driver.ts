/** Arms that are libraries, each with a driver of its own: the same source, compiler, standard and flags on every side. */
import { AssayError } from '../../failures.ts';
import { type DigestedFile, digestTree } from '../../io/digest.ts';
import { executableFacts } from '../binary/facts.ts';
import { type Compiler, findCxxCompiler } from '../compiler.ts';
import { keepAnswer, knownAnswer } from './answers.ts';
import { type BuildContext, type BuiltDriver, buildDriver } from './build.ts';
import {
  type DriverKit,
  type DriverRequest,
  type DriverSide,
  includeArguments,
  type ToolchainSettings,
} from './kit.ts';
import { locateLibrary } from './library.ts';
import { orderedLink } from './link-order.ts';
import { type LinkedDriver, linkageFault } from './linkage.ts';
import { type ArmWarning, type DriverParts, driverProvenance, driverWarnings, headerVersion } from './provenance.ts';
import { lowestStandard, rttiChoices } from './standard.ts';

export interface CompiledDriver {
  readonly arm: string;
  /** Absolute, in the cache. */
  readonly executable: string;
  /** The executable, the library, and the tree of public headers. */
  readonly files: readonly (DigestedFile & { readonly path: string; readonly kind: 'file' | 'tree' })[];
  readonly provenance: Readonly<Record<string, string>>;
  readonly warnings: readonly ArmWarning[];
  readonly linked: LinkedDriver;
}

const DEFAULT_FLAGS = ['-O3', '-DNDEBUG'];
/** What a compiler or linker says where sides disagree about run-time type information. */
const ABOUT_RTTI = /typeinfo|rtti|dynamic_cast|typeid/i;

/**
 * A driver for each library, in the order of the requests: compiled where the cache has none, checked to run with the
 * library of its own arm, and described.
 * @param directory what a relative path of the compiler counts from
 * @throws AssayError `arm` where a library cannot be found or used, the driver does not compile or link, or runs with
 * another library than its arm's
 */
export async function compileDrivers(
  requests: readonly DriverRequest[],
  kit: DriverKit,
  settings: ToolchainSettings,
  directory: string,
  context: BuildContext,
): Promise<readonly CompiledDriver[]> {
  const [first] = requests;
  if (first === undefined) return [];
  const compiler = await findCxxCompiler(first.arm, settings.compiler, directory, context);
  const sides: DriverSide[] = [];
  for (const request of requests) {
    const { arm, source } = request;
    const located = await locateLibrary(arm, source, kit, request.directory, compiler.path, context);
    const { library, sources, text } = await orderedLink(arm, located, kit, request.order, context);
    sides.push({ ...request, library, sources, reordered: text });
  }
  const headers: DigestedFile[] = [];
  for (const { library } of sides) headers.push(await digestTree(library.headers));
  const own = settings.flags ?? DEFAULT_FLAGS;
  const digests = headers.map(({ sha256 }) => sha256);
  const standard =
    settings.standard ?? (await lowestStandard(sides, digests, kit, compiler, own, context.cache, context));
  const { flags, reason, built } = await buildAll(sides, digests, kit, compiler, standard, own, context);

  const parts: DriverParts[] = [];
  for (const [at, side] of sides.entries()) {
    const one = built[at];
    const executable = one === undefined ? null : await executableFacts(one.executable, kit.mark);
    if (one === undefined || executable === null) throw unreadable(side.arm, one?.executable ?? kit.name);
    const version = await headerVersion(side.library.headers, kit.version);
    parts.push({ side, built: one, executable, headers_sha256: digests[at] ?? '', version });
  }
  const drivers = parts.map((one, at) => describe(one, headers[at], parts, kit, compiler, standard, flags, reason));
  for (const driver of drivers) await checkDriver(driver, undefined);
  return drivers;
}

/**
 * Makes sure once more that a driver runs with the library of its arm, as it was when the driver was compiled.
 * @param libraryPath LD_LIBRARY_PATH of the trials
 * @throws AssayError `arm` where it does not
 */
export async function checkDriver({ arm, linked }: CompiledDriver, libraryPath: string | undefined): Promise<void> {
  const fault = await linkageFault(linked, libraryPath);
  if (fault === null) return;
  throw new AssayError({
    kind: 'arm',
    arm,
    message: `the driver does not run with the library of its arm: ${fault}`,
    detail: '',
    remedy:
      linked.libraryFacts.linkage === 'static'
        ? 'Take options for another copy of the library out of `link`.'
        : `The loader needs ${linked.libraryFacts.dynamic.soname ?? linked.library} beside ${linked.library}, as a link to it or a copy; take paths to other copies out of \`link\` and LD_LIBRARY_PATH.`,
  });
}

/** @param digests of the sides' headers */
async function buildAll(
  sides: readonly DriverSide[],
  digests: readonly string[],
  kit: DriverKit,
  compiler: Compiler,
  standard: string,
  own: readonly string[],
  context: BuildContext,
): Promise<{
  readonly flags: readonly string[];
  readonly reason: string | null;
  readonly built: readonly BuiltDriver[];
}> {
  const choices = rttiChoices(sides, own);
  const once = sayingOnce(context);
  // What failed before would fail again.
  const libraries = sides.map(({ library }) => [library.facts.sha256, library.link, includeArguments(library)]);
  const question = { about: 'rtti', asked: [compiler, standard, own, kit.name, digests, libraries] } as const;
  const indices = choices.map((_, at) => String(at));
  const known = choices.length === 1 ? '0' : await knownAnswer(context.cache, question, indices);
  for (const [at, { options, reason }] of choices.entries()) {
    if (at < Number(known)) continue;
    const flags = [...own, ...options];
    try {
      const built: BuiltDriver[] = [];
      for (const side of sides) {
        const { library } = side.library;
        const arms = new Set(sides.filter((one) => one.library.library === library).map(({ arm }) => arm));
        built.push(await buildDriver(side, kit, compiler, [...flags, `-std=${standard}`], [...arms], once));
      }
      if (known === null) await keepAnswer(context.cache, question, String(at));
      return { flags, reason, built };
    } catch (error) {
      const isLast = at === choices.length - 1;
      if (isLast || !(error instanceof AssayError) || error.failure.kind !== 'arm') throw error;
      if (!ABOUT_RTTI.test(error.failure.detail)) throw error;
    }
  }
  throw new Error('no choice of flags');
}

/** Of arms with one library, and with options that are tried one after the other, it is one step to a reader. */
function sayingOnce(context: BuildContext): BuildContext {
  const said = new Set<string>();
  const onProgress = (message: string) => {
    if (!said.has(message)) context.onProgress(message);
    said.add(message);
  };
  return { ...context, onProgress };
}

function describe(
  parts: DriverParts,
  headers: DigestedFile | undefined,
  all: readonly DriverParts[],
  kit: DriverKit,
  compiler: Compiler,
  standard: string,
  flags: readonly string[],
  rtti: string | null,
): CompiledDriver {
  const { side, built, executable } = parts;
  const { library, facts } = side.library;
  return {
    arm: side.arm,
    executable: built.executable,
    files: [
      { path: built.executable, kind: 'file', sha256: executable.sha256, bytes: executable.bytes },
      { path: library, kind: 'file', sha256: facts.sha256, bytes: facts.bytes },
      { path: side.library.headers, kind: 'tree', sha256: parts.headers_sha256, bytes: headers?.bytes ?? 0 },
    ],
    provenance: driverProvenance(parts, kit, compiler, standard, flags, rtti),
    warnings: driverWarnings(parts, all),
    linked: {
      executable: built.executable,
      executableFacts: executable,
      library,
      libraryFacts: facts,
      libraryName: kit.libraryName,
    },
  };
}

function unreadable(arm: string, path: string): AssayError {
  return new AssayError({
    kind: 'arm',
    arm,
    message: `what the compiler made is no executable of a kind that is understood: ${path}`,
    detail: '',
    remedy: 'Native drivers need Linux on a 64-bit little-endian machine.',
  });
}
