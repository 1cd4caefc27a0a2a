/** Names of percentiles. */

const PERCENT = /^[0-9]{1,3}(?:\.[0-9]{1,12})?$/;

/** `p99_9` for `99.900000`; null where that is no percentage above 0. The largest value is no percentile. */
export function percentileName(percent: string): string | null {
  const value = PERCENT.test(percent) ? Number(percent) : 0;
  return value > 0 && value < 100 ? `p${String(value).replace('.', '_')}` : null;
}
