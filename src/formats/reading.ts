/** What a reader of another tool's output finds: one shape for all tools, of which the readers in this folder make what they read. */

export type Reading =
  | { readonly ok: true; readonly results: readonly ToolResult[]; readonly warnings: readonly ReadingWarning[] }
  /** A clause about the text, without a full stop: it is not what this tool writes, or it was cut. */
  | { readonly ok: false; readonly reason: string };

/** One thing that the tool measured, once. What it repeated is there as often, under one name. */
export interface ToolResult {
  /** As the tool calls it: a benchmark, a step, a job, a command. */
  readonly name: string;
  /** What was run, as far as the output says so: threads, operations, sizes. For readers. */
  readonly settings: Readonly<Record<string, string>>;
  /** It failed, or did not do what it was to do: a clause. Null where the output shows nothing of the kind. */
  readonly failure: string | null;
  readonly metrics: readonly ToolMetric[];
  /** What should be there and cannot be taken for a number: not printed, not a number, out of the tool's range. */
  readonly absent: readonly { readonly name: string; readonly reason: string }[];
}

export interface ToolMetric {
  /** Lower-case letters, digits and `_`; the same in all results of a tool. Percentiles are `p50`, `p99_9`. */
  readonly name: string;
  /** `ns`, `bytes`, `1/s`, `bytes/s`, or the tool's own. Times are in ns whatever the tool prints. */
  readonly unit: string;
  /** Null: it tells what was done, and has no good direction. */
  readonly better: 'lower' | 'higher' | null;
  /** Finite. */
  readonly value: number;
}

/** What is known of a metric before it was measured. */
export type KnownMetric = Omit<ToolMetric, 'value'>;

/** What a reader of the numbers must know: the tool's traps. */
export interface ReadingWarning {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}
