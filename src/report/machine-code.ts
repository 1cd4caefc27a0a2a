/** Which machine code of the arms differs, for the reports that people read. */
import type { CodeComparison, FunctionSizes } from '../journal/records.ts';
import type { ReportInput } from './input.ts';
import { counted, grouped } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

const MOST_SHOWN = 15;
/** A template's name can fill a page. */
const LONGEST_NAME = 160;

interface CodeStatement {
  readonly arm: string;
  readonly reference: string;
  readonly sentences: readonly string[];
  /** Name, size in the reference, size in the arm. */
  readonly rows: readonly (readonly [string, string, string])[];
  /** What follows the rows. */
  readonly notes: readonly string[];
}

/** Functions whose counts of instructions differ too come first, whatever their size. */
function countedFirst(
  code: CodeComparison,
  { analysis }: ReportInput,
): {
  readonly functions: readonly FunctionSizes[];
  readonly counted: number;
} {
  const contrast = analysis.counting?.contrasts.find(
    ({ arm, reference }) => arm === code.arm && reference === code.reference,
  );
  const names = new Set(contrast?.functions.map(({ name }) => name));
  const first = code.differing.filter(({ name }) => names.has(name));
  return { functions: [...first, ...code.differing.filter(({ name }) => !names.has(name))], counted: first.length };
}

function statementOf(
  code: CodeComparison,
  several: boolean,
  input: ReportInput,
  escaping: Escaping,
  most: number,
): CodeStatement {
  const [arm, reference] = [escaping.name(code.arm), escaping.name(code.reference)];
  const subject = `${arm} and ${reference}${several ? `, ${code.file}` : ''}`;
  const name = (text: string) => escaping.name(text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text);
  const named = code.named.map((one) =>
    one.same
      ? say('code.named-same', { name: name(one.name) })
      : say('code.named-differ', {
          ...{ name: name(one.name), arm, reference },
          ...{ arm_bytes: codeOf(one.arm_bytes), reference_bytes: codeOf(one.reference_bytes) },
        }),
  );
  const { functions, counted: inCounts } = countedFirst(code, input);
  const shown = functions.slice(0, most);
  const rest = code.differing.length - shown.length + code.rest;
  const folder = code.disassemblies[0]?.split('/').slice(0, -1).join('/');
  return {
    ...{ arm, reference },
    sentences: [
      codeSentence(code, subject, escaping.name(code.arm_path), arm, reference),
      ...(code.symbols === 'exported' && code.functions !== null ? [say('code.exported', {})] : []),
      ...named,
    ],
    rows: shown.map((one: FunctionSizes) => [name(one.name), sizeOf(one.reference_bytes), sizeOf(one.arm_bytes)]),
    notes: [
      ...(rest > 0 ? [say('code.rest', { rest: grouped(rest) })] : []),
      ...(inCounts > 0 ? [say('code.counted', { functions: counted(inCounts, 'function') })] : []),
      ...(folder === undefined
        ? []
        : [say('code.files', { files: counted(code.disassemblies.length, 'file'), folder: escaping.name(folder) })]),
      ...(shown.length > 0 ? [say('code.note', {})] : []),
    ],
  };
}

function codeSentence(code: CodeComparison, subject: string, path: string, arm: string, reference: string): string {
  if (code.same_file) return say('code.same-file', { subject, path });
  if (code.same_text === true) return say(code.same_data ? 'code.same' : 'code.same-text', { subject });
  if (code.functions === null) return say(code.symbols === 'none' ? 'code.no-symbols' : 'code.unknown', { subject });
  const { same, differ, only_in_arm, only_in_reference } = code.functions;
  const functions = `${grouped(same + differ)} function${same + differ === 1 ? '' : 's'}`;
  if (differ + only_in_arm + only_in_reference === 0) return say('code.same-functions', { subject, functions });
  const counts = { in_arm: grouped(only_in_arm), in_reference: grouped(only_in_reference) };
  const only = only_in_arm + only_in_reference === 0 ? '' : say('code.only', { ...counts, arm, reference });
  return say('code.differ', { subject, functions, differ: grouped(differ), only });
}

/** Whether constants or other data of two arms differ whose machine code is the same, as far as was compared. */
export function dataDiffer({ journal }: ReportInput, arm: string, reference: string): boolean {
  return (journal.prepared?.attribution ?? []).some(
    (code) =>
      ((code.arm === arm && code.reference === reference) || (code.arm === reference && code.reference === arm)) &&
      !code.same_file &&
      !code.same_data,
  );
}

function codeOf(bytes: number | null): string {
  return bytes === null ? 'no code' : sizeOf(bytes);
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? '-' : `${bytes} B`;
}

/** A statement for each comparison of machine code, in the order in which they were made; `most` functions of each. */
export function codeStatements(input: ReportInput, escaping: Escaping, most = MOST_SHOWN): readonly CodeStatement[] {
  const all = input.journal.prepared?.attribution ?? [];
  const several = (code: CodeComparison) => all.filter(({ arm }) => arm === code.arm).length > 1;
  return all.map((code) => statementOf(code, several(code), input, escaping, most));
}
