/** What a metric's unit means: how it is scaled, and which words better and worse go by. */
import type { Comparison } from '../analysis/analysis.ts';
import type { Metric } from '../experiment/experiment.ts';
import { isTimeUnit } from '../experiment/unit.ts';
import { formatNumber } from './numbers.ts';

/** Divisors from the smallest up. */
const STEPS: Readonly<Record<string, readonly (readonly [name: string, divisor: number])[]>> = {
  ns: [
    ['ns', 1],
    ['µs', 1e3],
    ['ms', 1e6],
    ['s', 1e9],
  ],
  bytes: [
    ['B', 1],
    ['KiB', 2 ** 10],
    ['MiB', 2 ** 20],
    ['GiB', 2 ** 30],
    ['TiB', 2 ** 40],
  ],
  'bytes/s': [
    ['B/s', 1],
    ['KiB/s', 2 ** 10],
    ['MiB/s', 2 ** 20],
    ['GiB/s', 2 ** 30],
  ],
  // A share, or how many times something: the number says it all.
  ratio: [['', 1]],
};

/**
 * The unit in which numbers as large as `largest` are shown: `ns` and `bytes` become the largest unit that they fill
 * once, a `ratio` has none, `1/s` is what there is a second; any other stays as it stands. `prose` makes a stranger's unit harmless.
 */
export function unitFor(
  unit: string,
  largest: number,
  per: Metric['per'],
  prose: (text: string) => string,
): { factor: number; suffix: string } {
  const each = per === null ? '' : '/op';
  const steps = Object.hasOwn(STEPS, unit) ? STEPS[unit] : undefined;
  if (unit === '1/s') return { factor: 1, suffix: `/s${each}` };
  if (steps === undefined) return { factor: 1, suffix: unit === '' ? each : ` ${prose(unit)}${each}` };
  const [name, divisor] = steps.findLast((step) => Math.abs(largest) >= step[1]) ?? steps[0] ?? [unit, 1];
  return { factor: 1 / divisor, suffix: name === '' ? each : ` ${name}${each}` };
}

/** A quantity by itself, in three digits: `1.53 MiB`, `47.7 ms`. */
export function formatQuantity(value: number, unit: 'ns' | 'bytes'): string {
  const { factor, suffix } = unitFor(unit, value, null, (text) => text);
  return formatNumber(value * factor) + suffix;
}

export function formatBytes(bytes: number): string {
  return formatQuantity(bytes, 'bytes');
}

const NOUNS: Readonly<Record<string, string>> = { ops: 'operations', op: 'operations', B: 'bytes' };

/** What there is more or less of, where the unit tells. */
function quantity(comparison: Comparison, metric: Metric | undefined): { noun: string; mass: boolean } | null {
  if (metric?.from.kind === 'system' && metric.from.name === 'max_rss') return { noun: 'memory', mass: true };
  if (metric?.from.kind === 'counter' && !isTimeUnit(metric.unit)) {
    return { noun: metric.from.name.replaceAll('_', ' ').replace('cpu', 'CPU'), mass: false };
  }
  if (comparison.unit === 'bytes') return { noun: 'bytes', mass: false };
  const rate = /^([^/]{1,40})\/(?:s|sec|second)$/.exec(comparison.unit);
  const counted = rate?.[1];
  if (counted === undefined) return null;
  if (counted === '1') return { noun: 'a second', mass: false };
  return { noun: `${Object.hasOwn(NOUNS, counted) ? NOUNS[counted] : counted} a second`, mass: false };
}

/**
 * The words for both directions: slower and faster for times, otherwise worse and better with what that means: more
 * memory, fewer operations a second. The unit's own words come back as they are, to be escaped by the caller.
 */
export function directionWords(
  comparison: Comparison,
  metric: Metric | undefined,
): { readonly slower: string; readonly faster: string } {
  if (isTimeUnit(comparison.unit) && comparison.better === 'lower') return { slower: 'slower', faster: 'faster' };
  const what = quantity(comparison, metric);
  const more = what === null ? 'higher' : `more ${what.noun}`;
  const less = what === null ? 'lower' : `${what.mass ? 'less' : 'fewer'} ${what.noun}`;
  return comparison.better === 'lower'
    ? { slower: `worse (${more})`, faster: `better (${less})` }
    : { slower: `worse (${less})`, faster: `better (${more})` };
}
