/** Rules about counting instructions. */
import type { Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { primaryMetric } from './measurement-rules.ts';
import { suggestion } from './nearest.ts';
import { wordFaults } from './template-rules.ts';

export function* countingRules(reading: Reading): Generator<Fault> {
  const { draft, document, troubled } = reading;
  const { counting } = draft;
  if (counting !== undefined && document.has(['workload', 'memory_limit'])) {
    const message = "valgrind's own memory would count against the limit: leave `counting` or `memory_limit` out";
    yield { path: ['counting'], at: 'key', message };
  }
  if (counting === undefined || typeof counting === 'string') return;
  const path: Path = ['counting', 'params'];
  const known = new Set([
    ...document.keysAt(['workload', 'params']),
    ...document.keysAt(['arms']).flatMap((arm) => document.keysAt(['arms', arm, 'params'])),
  ]);
  for (const [name, value] of Object.entries(counting.params ?? {})) {
    yield* wordFaults(reading, [...path, name], value);
    if (known.has(name)) continue;
    const message = `neither the workload nor an arm has a parameter \`${name}\`: ${suggestion(name, [...known])}`;
    yield { path: [...path, name], at: 'key', message };
  }

  const given = Object.keys(counting.params ?? {}).length > 0;
  // Assay's own drivers say how many operations each trial did.
  if (!given || document.has(['counting', 'per']) || document.has(['workload', 'driver'])) return;
  if (troubled(['metrics'])) return;
  const metric = primaryMetric(draft.metrics ?? []);
  if (typeof metric?.per !== 'number') return;
  const message = `with other parameters a trial may do other than the ${metric.per} operations of \`${metric.name}\`: say where the result line has how many, \`per: /operations\`, or the number`;
  yield { path, at: 'key', message };
}
