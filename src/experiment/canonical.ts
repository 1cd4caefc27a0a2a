/** What makes two runs the same experiment. */
import type { Experiment } from './experiment.ts';

/** JSON with the names of every map in the order of their UTF-16 units, no white space: equal data is equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(',')}}`;
}

/** The experiment without its seed and title, as one canonical text. Its digest is the identity of the experiment. */
export function experimentId(experiment: Experiment): string {
  const { title: _title, design, ...rest } = experiment;
  const { seed: _seed, ...order } = design;
  return canonicalJson({ ...rest, design: order });
}
