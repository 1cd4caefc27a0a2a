/**
 * What stands in a line from a byte on, as numbers. Each function puts them into `out` from `slot` on, and returns where the
 * next byte stands; −1 where nothing of the kind is there.
 */

export const DIGEST_WORDS = 8;
const DIGITS_OF_A_WORD = 8;
/** Whole numbers of so many digits are held exactly. */
export const LONGEST_DIGITS = 15;
/** Powers of ten that doubles hold exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

const POINT = 0x2e;
const MINUS = 0x2d;
const PLUS = 0x2b;

/** A number as JSON writes it, to the same double that JSON.parse makes of it. */
export function readNumber(bytes: Buffer, start: number, out: Float64Array, slot: number): number {
  let at = start;
  let digits = 0;
  const isNegative = bytes[at] === MINUS;
  if (isNegative) at += 1;
  const first = at;
  for (let byte = bytes[at] ?? 0; byte >= 0x30 && byte <= 0x39; byte = bytes[++at] ?? 0)
    digits = digits * 10 + (byte - 0x30);
  if (at === first || (at - first > 1 && bytes[first] === 0x30)) return -1;
  let power = 0;
  if (bytes[at] === POINT) {
    const point = at;
    at += 1;
    for (let byte = bytes[at] ?? 0; byte >= 0x30 && byte <= 0x39; byte = bytes[++at] ?? 0)
      digits = digits * 10 + (byte - 0x30);
    power = at - point - 1;
    if (power === 0) return -1;
  }
  const mantissaEnd = at;
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at += 1;
    if (bytes[at] === PLUS || bytes[at] === MINUS) at += 1;
    const exponent = at;
    while (isDigit(bytes[at])) at += 1;
    if (at === exponent) return -1;
  }
  // Both numbers are exact, and so their quotient is rounded once (Clinger 1990).
  const isExact = digits <= Number.MAX_SAFE_INTEGER && power < POWERS.length && at === mantissaEnd;
  if (isExact) out[slot] = (isNegative ? -digits : digits) / (POWERS[power] ?? 1);
  else out[slot] = Number(bytes.toString('latin1', start, at));
  return at;
}

/** Digits, which may begin with zeros: their value, and how many they are. */
export function readDigits(bytes: Buffer, start: number, out: Float64Array, slot: number): number {
  let at = start;
  let value = 0;
  for (let byte = bytes[at] ?? 0; byte >= 0x30 && byte <= 0x39; byte = bytes[++at] ?? 0)
    value = value * 10 + (byte - 0x30);
  if (at === start || at - start > LONGEST_DIGITS) return -1;
  out[slot] = value;
  out[slot + 1] = at - start;
  return at;
}

/** A SHA-256 in hexadecimal digits: eight words. */
export function readDigest(bytes: Buffer, start: number, out: Float64Array, slot: number): number {
  let at = start;
  let wrong = 0;
  for (let word = 0; word < DIGEST_WORDS; word++) {
    let value = 0;
    for (const end = at + DIGITS_OF_A_WORD; at < end; at++) {
      const digit = HEX[bytes[at] ?? 0] ?? 0;
      wrong |= digit;
      value = (value << 4) | digit;
    }
    out[slot + word] = value >>> 0;
  }
  return wrong >= 0 ? at : -1;
}

/** By byte: −1 where it is no digit. */
const HEX = Int8Array.from({ length: 256 }, (_, byte) => '0123456789abcdef'.indexOf(String.fromCharCode(byte)));

function isDigit(byte = 0): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
