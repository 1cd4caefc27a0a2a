/**
 * Lines that differ in their numbers, digests and a few texts alone have one shape: the bytes that are the same in all of
 * them, and holes between. A line that fits is as a line that was checked, but for what stands in the holes, and that is
 * checked again; so it need not be parsed.
 */
import type { z } from 'zod';
import { numberRange, type Range, takesAnyText } from './leaf.ts';
import { DIGEST_WORDS, LONGEST_DIGITS, readDigest, readDigits, readNumber } from './scan.ts';
import { type Token, tokensOf } from './tokens.ts';

const LONGEST_LINE = 1 << 14;
const MOST_HOLES = 200;
const LONGEST_TEXT = 256;
const MOST_TEXTS = 1 << 10;
/** Keys of the strings that a hole may stand for: paths and details with numbers in them, and names. */
const KEYS_WITH_DIGITS: readonly unknown[] = ['path', 'detail'];
const KEYS_OF_NAMES: readonly unknown[] = ['name'];

const DIGEST_TEXT = /^[0-9a-f]{64}$/;
const DIGITS_IN_TEXT = /\d+/g;

/** What stands in a hole, in numbers: itself; value and length of digits; eight words of a digest; the place of a text. */
type Hole =
  | { readonly kind: 'number'; readonly slot: number; readonly range: Range }
  | { readonly kind: 'digits'; readonly slot: number }
  | { readonly kind: 'digest'; readonly slot: number }
  | { readonly kind: 'text'; readonly slot: number; readonly known: Map<string, number>; readonly texts: string[] };

const SLOTS = { number: 1, digits: 2, digest: DIGEST_WORDS, text: 1 } as const;

/** A value that is not the same in all lines of a shape: the number in a slot, or a text made of several. */
type Varying = { readonly path: Token['path'] } & (
  | { readonly slot: number }
  | { readonly text: (slot: (index: number) => number) => string }
);

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
      const range = numberRange(schema, value, path);
      if (range === null) continue;
      const place = hole(start, end, (slot) => ({ kind: 'number', slot, range }));
      varying.push({ path, slot: place });
      continue;
    }
    const string = text.toString('utf8', start + 1, end - 1);
    if (!isPlain(string) || !takesAnyText(schema, value, path)) continue;
    const key = path.at(-1);
    if (DIGEST_TEXT.test(string)) {
      const place = hole(start + 1, end - 1, (slot) => ({ kind: 'digest', slot }));
      varying.push({ path, text: (slot) => digestOf(slot, place) });
    } else if (path[0] === 'state' && KEYS_OF_NAMES.includes(key)) {
      const texts: string[] = [];
      const known = new Map<string, number>();
      const place = hole(start + 1, end - 1, (slot) => ({ kind: 'text', slot, known, texts }));
      varying.push({ path, text: (slot) => texts[slot(place)] ?? '' });
    } else if (KEYS_WITH_DIGITS.includes(key)) {
      const found = [...string.matchAll(DIGITS_IN_TEXT)].filter(([digits]) => digits.length <= LONGEST_DIGITS);
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
        text: (slot) => parts.map(({ before, place }) => before + digitsOf(slot, place)).join('') + after,
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
  for (let word = 0; word < DIGEST_WORDS; word++)
    text += slot(place + word)
      .toString(16)
      .padStart(8, '0');
  return text;
}

/** All that is looked at for every line lies in arrays of numbers: this is where the time of a replay goes. */
function fitter(literal: Buffer, places: readonly number[], holes: readonly Hole[]): Shape['fits'] {
  const literalView = viewOf(literal);
  const untils = Int32Array.from([...places, literal.length]);
  const slots = Int32Array.from(holes, ({ slot }) => slot);
  const kinds = Uint8Array.from(holes, ({ kind }) => KINDS.indexOf(kind));
  const range = (hole: Hole): Range => (hole.kind === 'number' ? hole.range : { least: 0, most: 0, whole: false });
  const least = Float64Array.from(holes, (hole) => range(hole).least);
  const most = Float64Array.from(holes, (hole) => range(hole).most);
  const whole = Uint8Array.from(holes, (hole) => (range(hole).whole ? 1 : 0));
  const count = holes.length;
  const tail = places.at(-1) ?? 0;

  function isInRange(hole: number, value: number): boolean {
    if (value < (least[hole] ?? 0) || value > (most[hole] ?? 0)) return false;
    return whole[hole] === 0 || Number.isSafeInteger(value);
  }

  return (bytes, out) => {
    const view = viewOf(bytes);
    // Many shapes begin alike, and are told apart by their ends.
    if (bytes.length < literal.length) return false;
    if (!isSame(view, bytes.length - (literal.length - tail), literalView, tail, literal.length)) return false;
    let from = 0;
    let at = 0;
    for (let hole = 0; ; hole++) {
      const until = untils[hole] ?? 0;
      if (!isSame(view, at, literalView, from, until)) return false;
      at += until - from;
      from = until;
      if (hole === count) return at === bytes.length;
      const slot = slots[hole] ?? 0;
      const kind = kinds[hole];
      if (kind === NUMBER) {
        at = readNumber(bytes, at, out, slot);
        if (at < 0 || !isInRange(hole, out[slot] ?? 0)) return false;
      } else if (kind === DIGITS) {
        at = readDigits(bytes, at, out, slot);
      } else if (kind === DIGEST) {
        at = readDigest(bytes, at, out, slot);
      } else {
        at = readText(holes[hole], bytes, at, out);
      }
      if (at < 0) return false;
    }
  };
}

const KINDS: readonly Hole['kind'][] = ['number', 'digits', 'digest', 'text'];
const NUMBER = KINDS.indexOf('number');
const DIGITS = KINDS.indexOf('digits');
const DIGEST = KINDS.indexOf('digest');

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Whether the literal bytes from `from` to `until` stand at `at` too: four at a time, which takes a quarter of the time. */
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

function readText(hole: Hole | undefined, bytes: Buffer, at: number, out: Float64Array): number {
  if (hole?.kind !== 'text') return -1;
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

/** Printable ASCII that JSON does not escape. */
function isTextByte(byte = 0): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
}
