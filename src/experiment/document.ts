/** The text of an experiment file as plain data that knows where each part of it stands. */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  type ParsedNode,
  Parser,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Located } from '../failures.ts';
import type { Fault, Path } from './fault.ts';

const LARGEST_TEXT = 1 << 20;
/** The parser is recursive; no experiment comes near this. */
const DEEPEST = 60;
/** Of the text, as the lexer cuts it: an experiment has some hundreds. */
const MOST_LEXEMES = 50_000;
/** Of the data, counting what an alias stands for each time it is used. */
const MOST_VALUES = 20_000;
const MOST_ALIASES = 100;

export interface SourceDocument {
  /** Maps, lists, texts, numbers, booleans, null. Maps keep to the names of the text; no `__proto__`. */
  readonly value: unknown;
  /** The names in a map in the order of the text (numbers too, which a JavaScript object would put first). */
  keysAt(path: Path): readonly string[];
  has(path: Path): boolean;
  /** A plain (unquoted) scalar as it is written; null for anything else. */
  writtenAt(path: Path): string | null;
  locate(fault: Fault): Located;
}

export interface ReadDocument {
  /** Null where nothing can be made of the text. */
  readonly document: SourceDocument | null;
  /** What is wrong with the text as YAML. */
  readonly syntax: readonly Located[];
  /** Twice the same key, aliases that cannot be followed: the rest can be read all the same. */
  readonly faults: readonly Located[];
}

type Entry = Pair<ParsedNode, ParsedNode | null>;

/** Offsets in the text, from 0. */
type Span = readonly [start: number, end: number];

/**
 * Reads YAML 1.2 (core schema, of which JSON is a part), one document. Time and memory are bounded whatever the text:
 * size, depth, number of parts and what aliases may expand to have limits, which are errors like any other.
 */
export function readDocument(text: string): ReadDocument {
  if (text.length > LARGEST_TEXT) {
    return refuse(`an experiment file is at most ${LARGEST_TEXT / 2 ** 20} MiB large`);
  }
  const lines = lineCounter(text);
  const place = (span: Span, message: string) => located(text, lines, span, message);
  const parser = new Parser();
  const tokens = [];
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > DEEPEST) {
      return { document: null, syntax: [place([parser.offset, parser.offset], 'nested too deeply')], faults: [] };
    }
    if (++lexemes > MOST_LEXEMES) return refuse('an experiment file with so many parts is not read');
  }
  tokens.push(...parser.end());
  const [first, second] = new Composer({
    prettyErrors: false,
    // A comparison of each key with all before it: `Conversion` does the same in linear time.
    uniqueKeys: false,
    stringKeys: true,
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
  }).compose(tokens, true, text.length);
  if (first === undefined) return refuse('the file is empty');
  const syntax = firstOfEach(
    [...first.errors, ...first.warnings].map((error) => place(error.pos, syntaxMessage(error))),
  );
  if (second !== undefined) {
    syntax.push(
      place([second.range[0], second.range[1]], 'a second document begins here: a file holds one experiment'),
    );
  }
  const conversion = convert(first);
  const faults = conversion.faults.map(({ span, message }) => place(span, message));
  if (conversion.value === undefined) return { document: null, syntax, faults };
  return { document: sourceDocument(text, first, conversion, place), syntax, faults };
}

/** The parser's own count of lines misses some where the text is not well-formed. */
function lineCounter(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) lines.addNewLine(index + 1);
  return lines;
}

/** Of the errors at one place the others follow from the first. */
function firstOfEach(errors: readonly Located[]): Located[] {
  const first = new Map<string, Located>();
  for (const error of errors) {
    const place = `${error.line}:${error.column}`;
    if (!first.has(place)) first.set(place, error);
  }
  return [...first.values()];
}

function refuse(message: string): ReadDocument {
  return { document: null, syntax: [{ message, line: 1, column: 1, length: 1 }], faults: [] };
}

function located(text: string, lines: LineCounter, [start, end]: Span, message: string): Located {
  // Something missing at the end of the text is missing after the last thing that is there.
  const from = start >= text.length ? text.trimEnd().length : start;
  const { line, col } = lines.linePos(from);
  const newline = text.indexOf('\n', from);
  const lineEnd = newline < 0 ? text.length : newline;
  const visible = text.slice(from, Math.min(end, lineEnd)).trimEnd().length;
  return { message, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, visible) };
}

interface Conversion {
  /** Undefined where the limits were passed. */
  readonly value: unknown;
  readonly faults: readonly { readonly span: Span; readonly message: string }[];
  readonly entries: ReadonlyMap<YAMLMap, ReadonlyMap<string, Entry>>;
  readonly targets: ReadonlyMap<ParsedNode, ParsedNode>;
}

/** Counted with everything below it, aliases expanded. */
interface Converted {
  readonly node: ParsedNode;
  readonly value: unknown;
  readonly size: number;
}

function convert(document: Document.Parsed): Conversion {
  const faults: { span: Span; message: string }[] = [];
  const entries = new Map<YAMLMap, ReadonlyMap<string, Entry>>();
  const targets = new Map<ParsedNode, ParsedNode>();
  const anchors = new Map<string, Converted>();
  let aliases = 0;

  const fault = (node: ParsedNode, message: string) => faults.push({ span: [node.range[0], node.range[1]], message });

  const convertNode = (node: ParsedNode | null): Converted | null => {
    if (node === null) return null;
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (++aliases > MOST_ALIASES) fault(node, `more than ${MOST_ALIASES} aliases`);
      else if (target === undefined) fault(node, `nothing before this is marked \`&${node.source}\``);
      else {
        targets.set(node, target.node);
        return target;
      }
      return { node, value: null, size: 1 };
    }
    const { value, size } = isMap(node) ? convertMap(node) : isSeq(node) ? convertList(node) : scalar(node);
    const converted = { node, value, size };
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, converted);
    }
    return converted;
  };

  const convertMap = (map: YAMLMap.Parsed): { value: unknown; size: number } => {
    const value: Record<string, unknown> = {};
    const known = new Map<string, Entry>();
    let size = 1;
    for (const entry of map.items) {
      const converted = convertNode(entry.value);
      size += converted?.size ?? 1;
      const key = isScalar(entry.key) && typeof entry.key.value === 'string' ? entry.key.value : null;
      if (key === null) continue;
      if (key === '__proto__') fault(entry.key, '`__proto__` cannot be used as a name');
      else if (known.has(key)) fault(entry.key, `\`${key}\` stands here twice`);
      else {
        known.set(key, entry);
        value[key] = converted?.value ?? null;
      }
    }
    entries.set(map, known);
    return { value, size };
  };

  const convertList = (list: { readonly items: readonly ParsedNode[] }): { value: unknown; size: number } => {
    const converted = list.items.map(convertNode);
    const size = converted.reduce((sum, item) => sum + (item?.size ?? 1), 1);
    return { value: converted.map((item) => item?.value ?? null), size };
  };

  const root = convertNode(document.contents);
  if (root !== null && root.size > MOST_VALUES) {
    fault(root.node, `more than ${MOST_VALUES} values, counting what aliases stand for`);
    return { value: undefined, faults, entries, targets };
  }
  return { value: root?.value ?? null, faults, entries, targets };
}

function scalar(node: ParsedNode): { value: unknown; size: number } {
  const value = isScalar(node) ? node.value : null;
  return { value: value ?? null, size: 1 };
}

function sourceDocument(
  text: string,
  parsed: Document.Parsed,
  { value, entries, targets }: Conversion,
  place: (span: Span, message: string) => Located,
): SourceDocument {
  const follow = (node: ParsedNode | null | undefined): ParsedNode | null =>
    node == null ? null : (targets.get(node) ?? node);

  const entryAt = (path: Path): Entry | null => {
    const parent = nodeAt(path.slice(0, -1));
    return isMap(parent) ? (entries.get(parent)?.get(String(path.at(-1))) ?? null) : null;
  };

  const nodeAt = (path: Path): ParsedNode | null => {
    let node = follow(parsed.contents);
    for (const step of path) {
      if (isMap(node)) node = follow(entries.get(node)?.get(String(step))?.value);
      else if (isSeq(node)) node = follow(node.items[Number(step)] as ParsedNode | undefined);
      else return null;
    }
    return node;
  };

  const keySpan = (path: Path): Span => {
    const entry = path.length === 0 ? null : entryAt(path);
    if (entry !== null) return [entry.key.range[0], entry.key.range[1]];
    const node = nodeAt(path);
    if (isMap(node)) {
      const firstKey = entries.get(node)?.values().next().value?.key;
      if (firstKey !== undefined) return [firstKey.range[0], firstKey.range[1]];
    }
    if (node !== null && node.range[1] > node.range[0]) return [node.range[0], node.range[1]];
    return path.length === 0 ? [0, 0] : keySpan(path.slice(0, -1));
  };

  const valueSpan = (path: Path, within: string | undefined): Span => {
    const node = nodeAt(path);
    if (node === null || node.range[1] <= node.range[0]) return keySpan(path);
    const [start, end] = node.range;
    const index = within === undefined || within === '' ? -1 : text.slice(start, end).indexOf(within);
    return index < 0 || within === undefined ? [start, end] : [start + index, start + index + within.length];
  };

  return {
    value,
    keysAt(path) {
      const node = nodeAt(path);
      return isMap(node) ? [...(entries.get(node)?.keys() ?? [])] : [];
    },
    has(path) {
      return path.length === 0 || entryAt(path) !== null || (typeof path.at(-1) === 'number' && nodeAt(path) !== null);
    },
    writtenAt(path) {
      const node = nodeAt(path);
      return isScalar(node) && node.type === 'PLAIN' ? (node.source ?? null) : null;
    },
    locate: ({ path, at, message, within }) => place(at === 'key' ? keySpan(path) : valueSpan(path, within), message),
  };
}

/** The parser's own words where they say enough, else what a person has most likely done. */
function syntaxMessage(error: YAMLError): string {
  switch (error.code) {
    case 'BAD_SCALAR_START':
      return `a text that starts with this character needs quotes (YAML: ${error.message})`;
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a map cannot begin here: check the indentation, or put quotes around a text that has `: ` in it';
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a key stands on one line: check the indentation, and that the line above it is complete';
    case 'TAB_AS_INDENT':
      return 'YAML is indented by spaces, not by tabs';
    case 'NON_STRING_KEY':
      return 'a key is a plain word';
    case 'TAG_RESOLVE_FAILED':
      return 'tags (`!…`) are not used in experiment files';
    case 'UNEXPECTED_TOKEN':
      return `not understood here: a text that begins with \`{\` or \`[\` needs quotes (YAML: ${error.message})`;
    case 'MISSING_CHAR':
      return error.message.replace(/^Missing closing (.)quote$/, 'a text that begins with $1 does not end');
    default:
      return error.message;
  }
}
