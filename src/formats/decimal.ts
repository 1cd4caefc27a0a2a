/** Numbers as tools print them. */

const DECIMAL = /^-?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?$/;

/** The value of a decimal; null for whatever else there is (`nan`, `inf`, a name, nothing) and for what is too large. Never −0. */
export function decimalOf(text: string | undefined): number | null {
  if (text === undefined || text.length > 400 || !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value + 0 : null;
}

/** A printed number in another unit, without the digits that binary arithmetic adds: 1.1 µs are 1100 ns. Null where that is too large. */
export function scaled(value: number, factor: number): number | null {
  const product = Number((value * factor).toPrecision(15));
  return Number.isFinite(product) ? product : null;
}
