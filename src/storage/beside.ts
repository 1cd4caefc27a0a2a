/** What an engine says of its tree and its work while a step ran: shown beside the variance, never a part of it. */

/** In the order in which reports show them; each is a column of the tables that `assay variance run` writes, and a metric of db_bench's reader. */
export const BESIDE = ['levels', 'tree_size', 'write_amplification', 'stalled_share', 'cpu_per_operation'] as const;
export type BesideName = (typeof BESIDE)[number];

/** What is not there was not said. */
export type Beside = Readonly<Partial<Record<BesideName, number>>>;

export function besideOf(values: ReadonlyMap<string, number>): Beside {
  return Object.fromEntries(
    BESIDE.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
