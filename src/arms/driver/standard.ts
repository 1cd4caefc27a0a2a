/** The C++ standard and the switch for run-time type information that fit the libraries of all arms. */
import { AssayError } from '../../failures.ts';
import { type Compiler, compileRemedy, runTool, stopped, type ToolContext } from '../compiler.ts';
import { keepAnswer, knownAnswer } from './answers.ts';
import { type DriverKit, type DriverSide, includeArguments } from './kit.ts';

const STANDARDS = ['c++17', 'c++20', 'c++23'];

/**
 * The lowest of C++17, C++20 and C++23 as which the headers of every side compile. An answer is kept in the cache as
 * long as compiler, flags and headers are the same.
 * @param headers digests of the sides' headers, in the order of `sides`
 * @throws AssayError `arm` where a side's headers compile as none of them, with the lines of the last attempt
 */
export async function lowestStandard(
  sides: readonly DriverSide[],
  headers: readonly string[],
  kit: DriverKit,
  compiler: Compiler,
  flags: readonly string[],
  cache: string,
  context: ToolContext,
): Promise<string> {
  const asked = [compiler, flags, kit.probe, sides.map(({ library }) => includeArguments(library)), headers];
  const question = { about: 'standard', asked } as const;
  const known = await knownAnswer(cache, question, STANDARDS);
  if (known !== null) return known;
  const standard = await probe(sides, kit, compiler, flags, context);
  await keepAnswer(cache, question, standard);
  return standard;
}

export interface RttiChoice {
  readonly options: readonly string[];
  /** For readers: why these; null where there is none. */
  readonly reason: string | null;
}

/**
 * Options about run-time type information to try for all sides, the likeliest first. A class that derives from one of
 * a library without it needs -fno-rtti; one of a library with it works with both.
 */
export function rttiChoices(sides: readonly DriverSide[], flags: readonly string[]): readonly RttiChoice[] {
  const plain = { options: [], reason: null };
  if (flags.some((flag) => flag === '-fno-rtti' || flag === '-frtti')) return [plain];
  const without = new Set(sides.filter(({ library }) => library.facts.rtti === 'no').map(({ arm }) => arm));
  if (without.size > 0) {
    const reason = `on every side, because the library of ${[...without].join(' and ')} has no run-time type information`;
    return [{ options: ['-fno-rtti'], reason: `-fno-rtti ${reason}` }, plain];
  }
  if (sides.every(({ library }) => library.facts.rtti !== 'unknown')) return [plain];
  const tried =
    'on every side, because a driver with run-time type information does not compile and link with all libraries';
  return [plain, { options: ['-fno-rtti'], reason: `-fno-rtti ${tried}` }];
}

async function probe(
  sides: readonly DriverSide[],
  kit: DriverKit,
  compiler: Compiler,
  flags: readonly string[],
  context: ToolContext,
): Promise<string> {
  let last: { readonly arm: string; readonly output: string } | null = null;
  for (const standard of STANDARDS) {
    const failed = await firstThatFails(sides, kit, compiler, [...flags, `-std=${standard}`], context);
    if (failed === null) return standard;
    // A compiler that does not know the standard says nothing about the headers.
    if (last === null || !UNKNOWN_STANDARD.test(failed.output)) last = failed;
  }
  const { arm, output } = last ?? { arm: '', output: '' };
  throw new AssayError({
    kind: 'arm',
    arm,
    message: `the library’s headers compile as none of ${STANDARDS.join(', ')}`,
    detail: output,
    remedy: compileRemedy(output),
  });
}

const UNKNOWN_STANDARD = /(?:unrecognized command-line option|invalid value).{0,40}-std=|-std=\S{1,20}. is not/;

async function firstThatFails(
  sides: readonly DriverSide[],
  kit: DriverKit,
  compiler: Compiler,
  flags: readonly string[],
  context: ToolContext,
): Promise<{ readonly arm: string; readonly output: string } | null> {
  for (const { arm, library, directory } of sides) {
    const words = [...flags, ...includeArguments(library), '-fsyntax-only', '-x', 'c++', '-'];
    const outcome = await runTool(compiler.path, words, { ...context, cwd: directory, stdin: kit.probe });
    if (outcome.kind === 'cancelled') throw stopped(arm);
    if (outcome.kind === 'failed') return { arm, output: outcome.output };
  }
  return null;
}
