/** What a reader found of one result, sorted into what can be taken for a number and what cannot. */
import { scaled } from './decimal.ts';
import type { ToolMetric } from './reading.ts';

/** A metric, and what one of the tool's units is in its unit. */
export type Measure = Omit<ToolMetric, 'value'> & { readonly scale?: number };

export class Findings {
  readonly metrics: ToolMetric[] = [];
  readonly absent: { readonly name: string; readonly reason: string }[] = [];

  /** `reason`: why there is no value, where it is null. */
  take({ name, unit, better, scale = 1 }: Measure, value: number | null, reason = 'it is not printed'): void {
    const inUnit = value === null ? null : scaled(value, scale);
    if (value === null) this.lack(name, reason);
    else if (inUnit === null || inUnit < 0) this.lack(name, `${value} is out of range`);
    else this.metrics.push({ name, unit, better, value: inUnit });
  }

  /** The same of what is never 0: a tool that prints 0 rounded it down, or did nothing. */
  takePositive(measure: Measure, value: number | null, reason?: string): void {
    if (value === 0) this.lack(measure.name, 'it is printed as 0: rounded down, or nothing was done');
    else this.take(measure, value, reason);
  }

  lack(name: string, reason: string): void {
    this.absent.push({ name, reason });
  }
}
