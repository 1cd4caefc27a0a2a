/** Numbers of many rows as one column. */

/** What each row has, without those that have nothing. */
export function columnOf<T>(rows: readonly T[], valueOf: (row: T) => number | null): Float64Array {
  const column = new Float64Array(rows.length);
  let length = 0;
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== null) column[length++] = value;
  }
  return column.subarray(0, length);
}
