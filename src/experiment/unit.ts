/** Units of metrics that mean something to Assay; all others are only printed. */

const TIMES = new Set(['ns', 'us', 'µs', 'ms', 's', 'sec', 'seconds', 'min', 'minutes']);

/** Whether a unit is one of time, so that more of it is slower. */
export function isTimeUnit(unit: string): boolean {
  return TIMES.has(unit);
}
