/** What is asked of an import, as it stands in the journal: with the files it gives the whole run again. */
import { z } from 'zod';
import { TOOL_NAMES, type ToolName } from '../formats/tools.ts';

export interface ImportRequest {
  readonly title: string;
  readonly tool: ToolName;
  /** The first is the reference; at least two. */
  readonly sides: readonly ImportSide[];
  readonly files: readonly { readonly path: string; readonly name: string }[];
  /** METRIC or RESULT.METRIC of those that the verdict is read from; empty: the first time or rate of each result. */
  readonly metrics: readonly string[];
  /** Whoever imports says that the sides ran in turns. */
  readonly interleaved: boolean;
  readonly threshold: number;
  /** Null asks for no test of equivalence. */
  readonly margin: number | null;
}

export interface ImportSide {
  readonly arm: string;
  /** Places in the list of files. */
  readonly files: readonly number[];
  /** The one result that the side is; null: all that its files have, under their names. */
  readonly result: string | null;
}

const MOST_SIDES = 100;
const MOST_FILES = 1000;
const name = z.string().min(1).max(1000);

const schema: z.ZodType<ImportRequest> = z.strictObject({
  title: z.string(),
  tool: z.enum(TOOL_NAMES),
  sides: z
    .array(z.strictObject({ arm: name, files: z.array(z.int().min(0)).min(1), result: z.string().nullable() }))
    .min(2)
    .max(MOST_SIDES),
  files: z
    .array(z.strictObject({ path: name, name }))
    .min(1)
    .max(MOST_FILES),
  metrics: z.array(z.string()).max(MOST_SIDES),
  interleaved: z.boolean(),
  threshold: z.number().min(0),
  margin: z.number().positive().nullable(),
});

/** How sure an interval is; there is no reason why an import should have another than a run. */
export const IMPORT_LEVEL = 0.95;

export function requestText(request: ImportRequest): string {
  return `${JSON.stringify({ import: request }, null, 2)}\n`;
}

/** Null where the text is none, or names files that it does not list. */
export function parseRequest(text: string): ImportRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = z.strictObject({ import: schema }).safeParse(value);
  if (!parsed.success) return null;
  const request = parsed.data.import;
  const known = request.sides.every(({ files }) => files.every((file) => file < request.files.length));
  return known ? request : null;
}
