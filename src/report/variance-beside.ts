/** What the engine said of its tree and its work, beside the variance of a study: means over the repetitions. */
import { mean } from '../analysis/stats/moments.ts';
import { BESIDE, type BesideName } from '../storage/beside.ts';
import type { StepVariance } from '../storage/variance.ts';
import { formatNumber, formatShare } from './numbers.ts';
import { say } from './rules.ts';
import { formatBytes, formatQuantity } from './units.ts';
import type { VarianceSection } from './variance.ts';
import type { VarianceInput } from './variance-input.ts';
import { tableOf } from './variance-table.ts';
import { left, number, type Writer } from './writer.ts';

const COLUMNS: Readonly<Record<BesideName, { readonly title: string; readonly show: (value: number) => string }>> = {
  levels: { title: 'levels', show: (value) => formatNumber(value) },
  tree_size: { title: 'tree', show: formatBytes },
  write_amplification: { title: 'write amp.', show: (value) => formatNumber(value) },
  stalled_share: { title: 'stalled', show: formatShare },
  cpu_per_operation: { title: 'CPU/op', show: (value) => formatQuantity(value, 'ns') },
};

/** No section where nothing was said. */
export function besideSections<Part>(
  { variance, metric }: VarianceInput,
  writer: Writer<Part>,
): readonly VarianceSection<Part>[] {
  const { name } = writer.escaping;
  const steps = variance.cells.flatMap((cell) => cell.steps.map((step) => ({ cell, step })));
  const told = BESIDE.filter((column) => steps.some(({ step }) => besideMean(step, column) !== null));
  if (told.length === 0) return [];
  const rows = steps
    .map(({ cell, step }) => ({
      ...{ cell, step, value: mean(step.values) },
      means: told.map((column) => [column, besideMean(step, column)] as const),
    }))
    .filter(({ means }) => means.some(([, value]) => value !== null))
    .map(({ cell, step, value: own, means }) => [
      ...[name(cell.setup), name(cell.workload), String(cell.threads), name(step.step)],
      own === null ? '' : formatNumber(own),
      ...means.map(([column, value]) => (value === null ? '' : COLUMNS[column].show(value))),
    ]);
  const title = 'Beside the coefficients: the tree and the work';
  const columns = [
    ...[left('set-up'), left('workload'), number('threads'), left('step'), number(name(metric))],
    ...told.map((column) => number(COLUMNS[column].title)),
  ];
  const meaning = told.map((column) => say(`variance.${column}`, {}));
  return [
    {
      title,
      parts: [
        writer.table(title, tableOf(columns, rows)),
        writer.text(say('variance.beside', { metric: name(metric) })),
        writer.list(meaning),
      ],
    },
  ];
}

/** The mean over the repetitions that have it; null where none does. */
function besideMean({ beside }: StepVariance, column: BesideName): number | null {
  return mean(beside.flatMap((one) => one[column] ?? []));
}
