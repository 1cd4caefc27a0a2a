/** The functions of an executable or a shared library, each by a digest of its instructions without addresses. */
import { createHash, type Hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeEntry, markUsed } from '../../io/cache.ts';
import type { ToolContext } from '../compiler.ts';
import { readInstructions } from './instructions.ts';
import { type Layout, readLayout } from './layout.ts';
import { eachLine } from './objdump.ts';

export interface FunctionCode {
  /** As the symbol has it (C++ names are mangled); empty for code that no symbol names. */
  readonly name: string;
  readonly start: number;
  readonly bytes: number;
  /** Of the instructions without addresses. */
  readonly digest: string;
}

export type TableOutcome =
  | { readonly kind: 'table'; readonly functions: readonly FunctionCode[] }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'cancelled' };

export interface Disassembler {
  readonly objdump: string;
  /** What it says about its version. */
  readonly version: string;
  readonly cache: string;
}

export const DISASSEMBLE = ['-d', '-w', '--no-show-raw-insn'];
/** Changes whenever instructions are masked in another way: older entries of the cache are then not used. */
const MASKING = 1;
const ENTRY_FILE = 'functions.json';
const MOST_FUNCTIONS = 4_000_000;
const DIGEST_CHARACTERS = 32;
const BATCH_CHARACTERS = 1 << 16;

const entrySchema = z.object({
  functions: z.array(z.tuple([z.string(), z.int().min(0), z.int().min(0), z.string()])),
});

/**
 * The functions of a file, from the cache where they are known.
 * @param sha256 of the file
 * @throws AssayError `file` where the file cannot be read or the cache not be written
 */
export async function functionTable(
  path: string,
  sha256: string,
  tool: Disassembler,
  context: ToolContext,
): Promise<TableOutcome> {
  const key = createHash('sha256')
    .update(JSON.stringify([MASKING, tool.version, sha256]))
    .digest('hex');
  const known = await readEntry(join(tool.cache, 'code', key));
  if (known !== null) return { kind: 'table', functions: known };
  const layout = readLayout(path);
  if (layout === null) return { kind: 'failed', why: 'it is no executable or shared library' };
  const outcome = await readTable(path, layout, tool.objdump, context);
  if (outcome.kind !== 'table') return outcome;
  const functions = outcome.functions.map(({ name, start, bytes, digest }) => [name, start, bytes, digest]);
  await makeEntry(tool.cache, 'code', key, (directory) =>
    writeFile(join(directory, ENTRY_FILE), JSON.stringify({ functions })),
  );
  return outcome;
}

async function readEntry(path: string): Promise<readonly FunctionCode[] | null> {
  const text = await readFile(join(path, ENTRY_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { functions } = entrySchema.parse(JSON.parse(text));
    await markUsed(path);
    return functions.map(([name, start, bytes, digest]) => ({ name, start, bytes, digest }));
  } catch {
    // Damaged: it is made again.
    return null;
  }
}

async function readTable(path: string, layout: Layout, objdump: string, context: ToolContext): Promise<TableOutcome> {
  const functions: FunctionCode[] = [];
  const current = { name: '', start: 0, text: '', hash: null as Hash | null };
  const reader = readInstructions(layout, {
    begin: (name, start) => Object.assign(current, { name, start, text: '', hash: createHash('sha256') }),
    instruction: (masked) => {
      current.text += `${masked}\n`;
      if (current.text.length < BATCH_CHARACTERS) return;
      current.hash?.update(current.text);
      current.text = '';
    },
    end: (bytes) => {
      if (functions.length >= MOST_FUNCTIONS || current.hash === null) return;
      const digest = current.hash.update(current.text).digest('hex').slice(0, DIGEST_CHARACTERS);
      functions.push({ name: current.name, start: current.start, bytes, digest });
    },
  });
  let understood = true;
  const onLine = (line: string) => {
    understood = reader.line(line);
    return understood && functions.length < MOST_FUNCTIONS;
  };
  const outcome = await eachLine(objdump, [...DISASSEMBLE, path], onLine, context);
  if (outcome.kind !== 'done') return outcome;
  reader.end();
  if (!understood || reader.machine() === null)
    return { kind: 'failed', why: 'its machine is none that is understood' };
  if (functions.length >= MOST_FUNCTIONS) return { kind: 'failed', why: 'it has too many functions' };
  return { kind: 'table', functions };
}
