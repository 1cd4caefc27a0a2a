/** A function of two programs as a file that people read: both disassemblies side by side, without addresses. */
import type { ToolContext } from '../compiler.ts';
import type { FunctionPair } from './compare.ts';
import { demangle } from './demangle.ts';
import { readInstructions } from './instructions.ts';
import type { Layout } from './layout.ts';
import { eachLine } from './objdump.ts';
import { align, type Instruction, layOut } from './side-by-side.ts';
import { DISASSEMBLE, type FunctionCode } from './table.ts';

/** One of the two programs. */
export interface ListedSide {
  readonly arm: string;
  readonly path: string;
  /** The path as records show it. */
  readonly shown: string;
  readonly sha256: string;
  readonly layout: Layout;
}

const MOST_BYTES = 1 << 20;
const MOST_INSTRUCTIONS = 20_000;

/** @param name decoded @returns the text of the file, at most 1 MiB; null where nothing could be disassembled */
export async function listing(
  name: string,
  pair: FunctionPair,
  reference: ListedSide,
  arm: ListedSide,
  objdump: string,
  context: ToolContext,
): Promise<string | null> {
  const left = await instructionsOf(pair.reference, reference, objdump, context);
  const right = await instructionsOf(pair.arm, arm, objdump, context);
  if (left.length === 0 && right.length === 0) return null;
  const aligned = align(left, right);
  const both = [...left, ...right];
  const texts = await demangle(
    both.map(({ offset, text }) => `${offset.toString(16).padStart(5)}  ${text.replaceAll('\t', ' ')}`),
    context,
  );
  const shown = new Map(both.map((instruction, at) => [instruction, texts[at] ?? '']));
  const about = (side: ListedSide, code: FunctionCode | null) =>
    `${side.arm}: ${code === null ? 'has no such function' : `${code.bytes} bytes`}; ${side.shown}, SHA-256 ${side.sha256}`;
  const lines = [
    name,
    '',
    about(reference, pair.reference),
    about(arm, pair.arm),
    '',
    `Left ${reference.arm}, right ${arm.arm}; addresses are left out. Numbers in front are distances from the start of the`,
    'function, and so is where a jump within it leads (+0x…); <NAME> is what an operand refers to. Marks:',
    '| other instruction   ~ jump over another distance   < only on the left   > only on the right',
    '',
  ];
  let bytes = 0;
  const kept: string[] = [];
  const add = (line: string) => {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MOST_BYTES - 100) return false;
    kept.push(line);
    return true;
  };
  const cut = Math.max(left.length, right.length) >= MOST_INSTRUCTIONS;
  let whole = lines.every(add);
  for (const line of layOut(aligned, (instruction) => shown.get(instruction) ?? '')) {
    if (!whole) break;
    whole = add(line);
  }
  if (!whole || cut) kept.push('', 'Cut here: the rest is left out.');
  return `${kept.join('\n')}\n`;
}

async function instructionsOf(
  code: FunctionCode | null,
  { path, layout }: ListedSide,
  objdump: string,
  context: ToolContext,
): Promise<readonly Instruction[]> {
  if (code === null) return [];
  const found: Instruction[] = [];
  let wanted = false;
  const reader = readInstructions(layout, {
    begin: (_name, start) => {
      wanted = start === code.start;
    },
    instruction: (text, offset) => {
      if (wanted && found.length < MOST_INSTRUCTIONS) found.push({ text, offset });
    },
    end: () => undefined,
  });
  const range = [`--start-address=${code.start}`, `--stop-address=${code.start + code.bytes}`];
  const onLine = (line: string) => reader.line(line) && found.length < MOST_INSTRUCTIONS;
  const outcome = await eachLine(objdump, [...DISASSEMBLE, ...range, path], onLine, context);
  if (outcome.kind === 'done') reader.end();
  return found;
}
