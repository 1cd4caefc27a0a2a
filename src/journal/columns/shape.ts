/**
 * Lines that differ in their numbers, digests and a few texts alone have one shape: the bytes that are the same in all of
 * them, and holes between. A line that fits is as a line that was checked, but for what stands in the holes, and that is
 * checked again; so it need not be parsed.
 */
import type { z } from 'zod';
import { type Leaf, numberLeaf, takesAnyText } from './leaf.ts';
import { type Token, tokensOf } from './tokens.ts';

const LONGEST_LINE = 1 << 14;
const MOST_HOLES = 200;
const DIGEST_LENGTH = 64;
const DIGEST_WORDS = 8;
const LONGEST_DIGITS = 15;
const LONGEST_TEXT = 256;
const MOST_TEXTS = 1 << 10;
/** Keys of the strings that a hole may stand for: paths and details with numbers in them, and names. */
const KEYS_WITH_DIGITS: readonly unknown[] = ['path', 'detail'];
const KEYS_OF_NAMES: readonly unknown[] = ['name'];

const DIGEST = /^[0-9a-f]{64}$/;
const DIGITS = /\d+/g;

/** What stands in a hole, in numbers: itself; value and length of digits; eight words of a digest; the place of a text. */
type Hole =
  | { readonly kind: 'number'; readonly slot: number; readonly takes: Leaf<number> }
  | { readonly kind: 'digits'; readonly slot: number }
  | { readonly kind: 'digest'; readonly slot: number }
  | { readonly kind: 'text'; readonly slot: number; readonly known: Map<string, number>; readonly texts: string[] };

const SLOTS = { number: 1, digits: 2, digest: DIGEST_WORDS, text: 1 } as const;

/** A value that is not the same in all lines of a shape, made of the numbers in its holes. */
interface Varying {
  readonly path: Token['path'];
  readonly value: (slot: (index: number) => number) => number | string;
}

export interface Shape {
  /** How many numbers tell a line from the others. */
  readonly slots: number;
  readonly varying: readonly Varying[];
  /** Whether these bytes fit and every value may stand where it does; then `out` has the numbers. */
  fits(body: Buffer, out: Float64Array): boolean;
}

/**
 * The shape of a text that the schema takes. Null where it has none: it is too long, or not written as Assay writes.
 * @param text JSON of the value
 */
export function shapeOf(text: Buffer, schema: z.ZodType, value: unknown): Shape | null {
  const tokens = text.length > LONGEST_LINE ? null : tokensOf(text);
  if (tokens === null) return null;
  const holes: Hole[] = [];
  const varying: Varying[] = [];
  const literal: Buffer[] = [];
  /** Where, of all literal bytes, the hole of the same index stands. */
  const places: number[] = [];
  let copied = 0;
  let length = 0;
  let slots = 0;
  const keep = (until: number) => {
    literal.push(text.subarray(copied, until));
    length += until - copied;
  };
  const hole = (start: number, end: number, of: (slot: number) => Hole): number => {
    const made = of(slots);
    keep(start);
    copied = end;
    places.push(length);
    holes.push(made);
    slots += SLOTS[made.kind];
    return made.slot;
  };
  for (const { path, kind, start, end } of tokens) {
    // How it was measured is the same in all trials.
    if (path.includes('accounting')) continue;
    if (kind === 'number') {
      const takes = numberLeaf(schema, value, path);
      if (takes === null) continue;
      const place = hole(start, end, (slot) => ({ kind: 'number', slot, takes }));
      varying.push({ path, value: (slot) => slot(place) });
      continue;
    }
    const string = text.toString('utf8', start + 1, end - 1);
    if (!isPlain(string) || !takesAnyText(schema, value, path)) continue;
    const key = path.at(-1);
    if (DIGEST.test(string)) {
      const place = hole(start + 1, end - 1, (slot) => ({ kind: 'digest', slot }));
      varying.push({ path, value: (slot) => digestOf(slot, place) });
    } else if (KEYS_OF_NAMES.includes(key)) {
      const texts: string[] = [];
      const known = new Map<string, number>();
      const place = hole(start + 1, end - 1, (slot) => ({ kind: 'text', slot, known, texts }));
      varying.push({ path, value: (slot) => texts[slot(place)] ?? '' });
    } else if (KEYS_WITH_DIGITS.includes(key)) {
      const found = [...string.matchAll(DIGITS)].filter(([digits]) => digits.length <= LONGEST_DIGITS);
      if (found.length === 0) continue;
      let at = 0;
      const parts = found.map(({ 0: digits, index }) => {
        const before = string.slice(at, index);
        at = index + digits.length;
        const from = start + 1 + index;
        return { before, place: hole(from, from + digits.length, (slot) => ({ kind: 'digits', slot })) };
      });
      const after = string.slice(at);
      varying.push({
        path,
        value: (slot) => parts.map(({ before, place }) => before + digitsOf(slot, place)).join('') + after,
      });
    }
  }
  keep(text.length);
  if (holes.length > MOST_HOLES) return null;
  return { slots, varying, fits: fitter(Buffer.concat(literal), places, holes) };
}

function isPlain(text: string): boolean {
  return text.length <= LONGEST_TEXT && /^[ !#-[\]-~]*$/.test(text);
}

function digitsOf(slot: (index: number) => number, place: number): string {
  return String(slot(place)).padStart(slot(place + 1), '0');
}

function digestOf(slot: (index: number) => number, place: number): string {
  let text = '';
  for (let word = 0; word < DIGEST_WORDS; word++) text += slot(place + word).toString(16).padStart(8, '0');
  return text;
}

function fitter(literal: Buffer, places: readonly number[], holes: readonly Hole[]): Shape['fits'] {
  const literalView = viewOf(literal);
  return (bytes, out) => {
    const view = viewOf(bytes);
    let from = 0;
    let at = 0;
    for (let index = 0; index < holes.length; index++) {
      const hole = holes[index];
      const until = places[index] ?? 0;
      if (hole === undefined || !isSame(view, at, literalView, from, until)) return false;
      at = readHole(hole, bytes, at + until - from, out);
      if (at < 0) return false;
      from = until;
    }
    return bytes.length - at === literal.length - from && isSame(view, at, literalView, from, literal.length);
  };
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Whether the literal bytes from `from` to `until` stand at `at` too: four at a time, which takes a third of the time. */
function isSame(view: DataView, at: number, literal: DataView, from: number, until: number): boolean {
  if (at + until - from > view.byteLength) return false;
  let place = from;
  const shift = at - from;
  for (; place + 4 <= until; place += 4) {
    if (view.getInt32(place + shift, true) !== literal.getInt32(place, true)) return false;
  }
  for (; place < until; place++) if (view.getUint8(place + shift) !== literal.getUint8(place)) return false;
  return true;
}

/** Behind what stands in the hole; −1 where that cannot stand there. */
function readHole(hole: Hole, bytes: Buffer, at: number, out: Float64Array): number {
  switch (hole.kind) {
    case 'number': {
      const end = readNumber(bytes, at, out, hole.slot);
      return end >= 0 && hole.takes(out[hole.slot] ?? 0) ? end : -1;
    }
    case 'digits':
      return readDigits(bytes, at, out, hole.slot);
    case 'digest':
      return readDigest(bytes, at, out, hole.slot);
    case 'text': {
      let end = at;
      while (end - at <= LONGEST_TEXT && isTextByte(bytes[end])) end += 1;
      const text = bytes.toString('latin1', at, end);
      const place = hole.known.get(text) ?? hole.texts.length;
      if (place === hole.texts.length) {
        if (place === MOST_TEXTS) return -1;
        hole.known.set(text, place);
        hole.texts.push(text);
      }
      out[hole.slot] = place;
      return end;
    }
  }
}

/** Printable ASCII that JSON does not escape. */
function isTextByte(byte = 0): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
}

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** A number as JSON has them; whole ones of few digits, which are most, without a text between. */
function readNumber(bytes: Buffer, start: number, out: Float64Array, slot: number): number {
  let at = start;
  let value = 0;
  const isNegative = bytes[at] === 0x2d;
  if (isNegative) at += 1;
  const first = at;
  for (let digit = bytes[at] ?? 0; digit >= 0x30 && digit <= 0x39; digit = bytes[++at] ?? 0) {
    value = value * 10 + (digit - 0x30);
  }
  const digits = at - first;
  if (digits === 0 || (digits > 1 && bytes[first] === 0x30)) return -1;
  let isWhole = digits <= LONGEST_DIGITS;
  if (bytes[at] === 0x2e) {
    isWhole = false;
    if (!isDigit(bytes[++at])) return -1;
    while (isDigit(bytes[at])) at += 1;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    isWhole = false;
    at += 1;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
    if (!isDigit(bytes[at])) return -1;
    while (isDigit(bytes[at])) at += 1;
  }
  out[slot] = isWhole ? (isNegative ? -value : value) : Number(bytes.toString('latin1', start, at));
  return at;
}

function readDigits(bytes: Buffer, start: number, out: Float64Array, slot: number): number {
  let at = start;
  let value = 0;
  for (let digit = bytes[at] ?? 0; digit >= 0x30 && digit <= 0x39; digit = bytes[++at] ?? 0) {
    value = value * 10 + (digit - 0x30);
  }
  if (at === start || at - start > LONGEST_DIGITS) return -1;
  out[slot] = value;
  out[slot + 1] = at - start;
  return at;
}

function readDigest(bytes: Buffer, start: number, out: Float64Array, slot: number): number {
  let at = start;
  for (let word = 0; word < DIGEST_WORDS; word++) {
    let value = 0;
    for (const end = at + DIGEST_LENGTH / DIGEST_WORDS; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x30 && byte <= 0x39) value = value * 16 + (byte - 0x30);
      else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + (byte - 0x57);
      else return -1;
    }
    out[slot + word] = value;
  }
  return at;
}
