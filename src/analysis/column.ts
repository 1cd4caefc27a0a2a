/** Numbers of many rows as one column. */

/** What each row has, without those that have nothing. */
export function columnOf<T>(rows: readonly T[], numberIn: (row: T) => number | null): Float64Array {
  const column = new Float64Array(rows.length);
  let length = 0;
  for (const row of rows) {
    const value = numberIn(row);
    if (value !== null) column[length++] = value;
  }
  return column.subarray(0, length);
}
