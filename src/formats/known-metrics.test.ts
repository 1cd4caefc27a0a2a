import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { benchmarkReport } from '../../test/imported-runs.ts';
import { KNOWN_METRICS } from './known-metrics.ts';
import type { ToolMetric } from './reading.ts';
import { knownMetric, TOOL_NAMES, type ToolName, toolOf } from './tools.ts';

const FOLDER = join(import.meta.dirname, '../../test/fixtures/tool-output');

/** What the readers find in all samples. */
function measured(tool: ToolName): readonly ToolMetric[] {
  const own = readdirSync(FOLDER).includes(tool) ? readdirSync(join(FOLDER, tool)) : [];
  const texts = own.map((name) => readFileSync(join(FOLDER, tool, name), 'utf8'));
  return [...texts, ...(tool === 'benchmark_sh' ? [benchmarkReport([{ test: 'x', rate: 1, p99: 1 }])] : [])].flatMap(
    (text) => {
      const reading = toolOf(tool).read(text);
      return reading.ok ? reading.results.flatMap(({ metrics }) => metrics) : [];
    },
  );
}

test.each(TOOL_NAMES)('what is known of metrics of %s is what its reader finds', (tool) => {
  const found = measured(tool);
  for (const { name, unit, better } of found) {
    const known = knownMetric(tool, name);
    if (known !== null) expect({ name, unit, better }).toEqual(known);
  }
  if (tool === 'callgrind') return;
  for (const { names } of KNOWN_METRICS[tool] ?? []) {
    expect(
      found.some(({ name }) => names.test(name)) || UNSEEN.has(`${tool} ${names.source}`) ? '' : names.source,
    ).toBe('');
  }
});

/** No sample has them. */
const UNSEEN = new Set([
  'hyperfine ^(?:memory)$',
  'benchmark_sh ^(?:compaction_written)$',
  'benchmark_sh ^(?:time_per_operation)$',
]);

test('every tool is known', () => expect(Object.keys(KNOWN_METRICS).sort()).toEqual([...TOOL_NAMES].sort()));
