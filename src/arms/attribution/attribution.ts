/**
 * What differs between the machine code of each arm and that of what it is compared with. It tells what was compared, never what
 * made a difference in time.
 */
import { basename } from 'node:path';
import type { Attribution } from '../../experiment/experiment.ts';
import { findExecutable } from '../../io/executable.ts';
import type { CodeComparison, FunctionSizes, PreparedArm as PreparedArmRecord } from '../../journal/records.ts';
import { runTool, type ToolContext, VERSION_TIMEOUT_MS } from '../compiler.ts';
import { lastLines } from '../last-lines.ts';
import type { PreparedArm } from '../prepared-arm.ts';
import { type CodeFile, codeFiles, pairsOf } from './code-files.ts';
import { bySizeDifference, compareFunctions, type FunctionDifferences, type FunctionPair } from './compare.ts';
import { demangle, namePattern } from './demangle.ts';
import { readLayout } from './layout.ts';
import { type ListedSide, listing } from './listing.ts';
import { type Disassembler, type FunctionCode, functionTable } from './table.ts';

interface AttributionContext extends ToolContext {
  readonly cache: string;
  readonly onProgress: (message: string) => void;
}

export interface AttributionOutcome {
  readonly comparisons: readonly CodeComparison[];
  /** What could not be compared, by arm. */
  readonly warnings: readonly (PreparedArmRecord['warnings'][number] & { readonly arm: string })[];
  /** Texts of `disassemblies`, with their paths within the run's directory. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** What is to be said about one arm. */
export function warningsOf(
  { warnings }: Pick<AttributionOutcome, 'warnings'>,
  arm: string,
): PreparedArmRecord['warnings'] {
  return warnings
    .filter((warning) => warning.arm === arm)
    .map(({ code, message, remedy }) => ({ code, message, remedy }));
}

const MOST_LISTED = 200;
const MOST_SHOWN = 20;
const MOST_NAMED = 50;
const LONGEST_NAME = 500;
/** Names that are searched for patterns; longer ones are those of templates within templates. */
const LONGEST_SEARCHED = 4096;
const NO_NAME = '(code without a symbol)';

/** Two arms, by name. */
export interface ComparedArms {
  readonly arm: string;
  readonly reference: string;
}

/**
 * Compares the programs and shared libraries of arms, their first builds.
 * @param pairs which arms, each with its reference
 * @returns null where the user stopped it
 * @throws AssayError `file` where a file cannot be read
 */
export async function attribute(
  { functions: patterns }: Attribution,
  arms: readonly PreparedArm[],
  pairs: readonly ComparedArms[],
  context: AttributionContext,
): Promise<AttributionOutcome | null> {
  const first = (name: string) => {
    const found = arms.find(({ arm, build }) => arm === name && build === 0);
    if (found === undefined) throw new Error(`${name} is one of the arms`);
    return found;
  };
  const tool = await findDisassembler(context);
  if (context.signal?.aborted) return null;
  const comparisons: CodeComparison[] = [];
  const warnings: AttributionOutcome['warnings'][number][] = [];
  const files: AttributionOutcome['files'][number][] = [];
  for (const { arm, reference } of pairs) {
    const filePairs = pairsOf(codeFiles(first(reference)), codeFiles(first(arm)));
    if (filePairs.length === 0) {
      warnings.push({
        arm,
        code: 'machine-code-not-compared',
        message: `the commands of ${arm} and ${reference} name no two programs of machine code`,
        remedy: 'Name the programs in the commands themselves, not in a script that starts them.',
      });
    }
    for (const [left, right] of filePairs) {
      const found = await comparePair(left, right, patterns, tool, context);
      if (found === null) return null;
      comparisons.push(found.comparison);
      files.push(...found.files);
      warnings.push(...found.problems.map((problem) => ({ arm, ...problem })));
    }
  }
  return { comparisons, warnings, files };
}

async function findDisassembler({ env, signal, cache }: AttributionContext): Promise<Disassembler | null> {
  const objdump = await findExecutable('objdump', env['PATH']);
  if (objdump === null) return null;
  const asked = await runTool(objdump, ['--version'], { env, signal, cwd: '/', timeout_ms: VERSION_TIMEOUT_MS });
  if (asked.kind !== 'done') return null;
  return { objdump, version: lastLines(asked.stdout.split('\n')[0] ?? ''), cache };
}

/** `{arm.driver}` and `{arm.dir}` mean another file for each arm. */
function codeText({ arm, kind, path }: CodeFile): string {
  return kind === 'driver' ? `the driver of ${arm}` : `${basename(path)} of ${arm}`;
}

interface PairOutcome {
  readonly comparison: CodeComparison;
  readonly files: AttributionOutcome['files'];
  readonly problems: PreparedArmRecord['warnings'];
}

async function comparePair(
  left: CodeFile,
  right: CodeFile,
  patterns: readonly string[],
  tool: Disassembler | null,
  context: AttributionContext,
): Promise<PairOutcome | null> {
  const comparison: CodeComparison = {
    arm: right.arm,
    reference: left.arm,
    file: right.kind,
    arm_path: right.shown,
    reference_path: left.shown,
    same_file: left.sha256 === right.sha256,
    same_text: left.text_sha256 === null || right.text_sha256 === null ? null : left.text_sha256 === right.text_sha256,
    same_data: left.data_sha256 === right.data_sha256,
    symbols: 'all',
    functions: null,
    differing: [],
    rest: 0,
    named: [],
    disassemblies: [],
  };
  const without = (message: string, remedy: string) => ({
    comparison,
    files: [],
    problems: [{ code: 'machine-code-not-compared', message, remedy }],
  });
  // Not even read again: the bytes are the same.
  if (comparison.same_file && patterns.length === 0) return { comparison, files: [], problems: [] };
  if (tool === null) {
    return without(
      `which functions of ${right.arm} and ${left.arm} differ is not known: there is no objdump`,
      'Install binutils (Debian, Ubuntu: apt install binutils), or leave the comparison out: attribution: false.',
    );
  }
  const layouts = [readLayout(left.path), readLayout(right.path)] as const;
  const [one, other] = layouts;
  if (one === null || other === null) return { comparison, files: [], problems: [] };
  const symbols = [one.symbols, other.symbols];
  const told = symbols.includes(null) ? 'none' : symbols.includes('exported') ? 'exported' : 'all';
  if (told === 'none') return { comparison: { ...comparison, symbols: told }, files: [], problems: [] };
  const sides = [
    { ...left, layout: one },
    { ...right, layout: other },
  ] as const;

  let differences: FunctionDifferences;
  if (comparison.same_text === true) {
    differences = compareFunctions(...(sides.map(bareTable) as [FunctionCode[], FunctionCode[]]));
    if (patterns.length === 0) return { comparison: { ...comparison, symbols: told }, files: [], problems: [] };
  } else {
    const tables: (readonly FunctionCode[])[] = [];
    for (const side of sides) {
      context.onProgress(`telling functions of ${codeText(side)} apart`);
      const outcome = await functionTable(side.path, side.sha256, tool, context);
      if (outcome.kind === 'cancelled') return null;
      if (outcome.kind === 'failed') {
        return without(
          `which functions of ${right.arm} and ${left.arm} differ is not known: objdump could not disassemble ${codeText(side)}: ${outcome.why}`,
          'Use binutils for this kind of machine, or leave the comparison out: attribution: false.',
        );
      }
      tables.push(outcome.functions);
    }
    differences = compareFunctions(tables[0] ?? [], tables[1] ?? []);
  }
  return withFunctions({ ...comparison, symbols: told }, differences, patterns, sides, tool, context);
}

/** The functions of a program whose text is known to be that of the other: their instructions need no digest. */
function bareTable({ layout }: ListedSide): FunctionCode[] {
  return layout.functions.map(({ name, start, end }) => ({
    name,
    start,
    bytes: Number.isFinite(end) ? end - start : 0,
    digest: '',
  }));
}

async function withFunctions(
  comparison: CodeComparison,
  differences: FunctionDifferences,
  patterns: readonly string[],
  sides: readonly [ListedSide, ListedSide],
  tool: Disassembler,
  context: AttributionContext,
): Promise<PairOutcome | null> {
  const { same, differ, only_in_arm, only_in_reference } = differences;
  const unequal = bySizeDifference([...differ, ...only_in_arm, ...only_in_reference]);
  const listed = unequal.slice(0, MOST_LISTED);
  const named = await namedPairs([...unequal, ...same.filter(({ name }) => name !== '')], patterns, context);
  const shown = patterns.length > 0 ? named.pairs : bySizeDifference(differ).slice(0, MOST_SHOWN);
  const names = await demangle(
    [...listed, ...shown].map(({ name }) => name),
    context,
  );
  const sizes = (pair: FunctionPair, at: number): FunctionSizes => ({
    name: shortened(names[at] ?? ''),
    reference_bytes: pair.reference?.bytes ?? null,
    arm_bytes: pair.arm?.bytes ?? null,
  });
  const files: AttributionOutcome['files'][number][] = [];
  for (const [at, pair] of shown.entries()) {
    const name = names[listed.length + at] ?? '';
    const text = await listing(name || NO_NAME, pair, ...sides, tool.objdump, context);
    if (context.signal?.aborted) return null;
    if (text !== null) files.push({ path: fileOf(comparison, at, name), text });
  }
  const alike = new Set(same);
  return {
    comparison: {
      ...comparison,
      functions:
        comparison.same_text === true
          ? null
          : {
              same: same.length,
              differ: differ.length,
              only_in_arm: only_in_arm.length,
              only_in_reference: only_in_reference.length,
            },
      differing: listed.map(sizes),
      rest: unequal.length - listed.length,
      named:
        patterns.length === 0
          ? []
          : shown.map((pair, at) => ({ ...sizes(pair, listed.length + at), same: alike.has(pair) })),
      disassemblies: files.map(({ path }) => path),
    },
    files,
    problems: named.problems.map((message) => ({
      code: 'function-not-shown',
      message: `${message} in ${sides[1].shown} of ${comparison.arm} and of ${comparison.reference}`,
      remedy:
        'Write the name as it is in the source, with its namespaces; * is anything. Inlined functions have no code of their own.',
    })),
  };
}

/** The functions that patterns ask for, each once, and what is to be said about patterns. */
async function namedPairs(
  pairs: readonly FunctionPair[],
  patterns: readonly string[],
  context: ToolContext,
): Promise<{ readonly pairs: readonly FunctionPair[]; readonly problems: readonly string[] }> {
  if (patterns.length === 0) return { pairs: [], problems: [] };
  const names = await demangle(
    pairs.map(({ name }) => name),
    context,
  );
  const problems: string[] = [];
  const found = new Set<FunctionPair>();
  let left = 0;
  for (const pattern of patterns) {
    const matches = namePattern(pattern);
    const matching = pairs.filter(
      ({ name }, at) => name === pattern || matches((names[at] ?? '').slice(0, LONGEST_SEARCHED)),
    );
    if (matching.length === 0) problems.push(`there is no function ${pattern}`);
    for (const pair of matching) {
      if (found.size < MOST_NAMED) found.add(pair);
      else if (!found.has(pair)) left += 1;
    }
  }
  if (left > 0) problems.push(`only ${MOST_NAMED} functions are shown, and ${left} more have a name that is asked for`);
  return { pairs: [...found], problems };
}

function shortened(name: string): string {
  if (name === '') return NO_NAME;
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

/** A path within the run's directory that is harmless whatever the function is called. */
function fileOf({ reference, arm, file }: CodeComparison, at: number, name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9_]{1,4096}/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `arms/${reference}-vs-${arm}/${file}-${String(at + 1).padStart(2, '0')}${safe === '' ? '' : `-${safe}`}.txt`;
}
