/** The account of a study of variance, for people: the same parts in every format. */
import { groupsBy } from '../storage/groups.ts';
import type { VarianceCell } from '../storage/variance.ts';
import { counted, formatNumber } from './numbers.ts';
import { listText } from './plain-text.ts';
import { say } from './rules.ts';
import type { VarianceInput } from './variance-input.ts';
import { left, listed, number, type Table, type Writer } from './writer.ts';

export interface VarianceSection<Part> {
  readonly title: string;
  readonly parts: readonly Part[];
}

/** A coefficient as it was published: three decimals; `-` where there is none. */
export function coefficientText(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}

export function varianceSections<Part>(input: VarianceInput, writer: Writer<Part>): readonly VarianceSection<Part>[] {
  return [goodSetups(input, writer), ...tables(input, writer), stepTable(input, writer)];
}

/** What the numbers are, in the first lines. */
export function aboutVariance({ title, variance, metric, imported }: VarianceInput, writer: Writer<unknown>): string[] {
  const { deviation, steps, limit } = variance.rules;
  const { name } = writer.escaping;
  const setups = new Set(variance.cells.map(({ setup }) => setup)).size;
  const { workloads } = variance;
  return [
    ...(title === null ? [] : [writer.escaping.prose(title)]),
    say('variance.what', { metric: name(metric), deviation, divisor: deviation === 'sample' ? 'n − 1' : 'n' }),
    say('variance.extent', {
      setups: counted(setups, 'set-up'),
      files: counted(imported.read.length, 'file'),
      steps: listText(steps.map(name)),
      workloads: `${workloads.length === 1 ? 'workload' : 'workloads'} ${listText(workloads.map(name))}`,
      limit: formatNumber(limit),
    }),
  ];
}

function goodSetups<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const { good, rules, workloads, cells } = variance;
  const { name } = writer.escaping;
  const of = [...groupsBy(good, ({ setup }) => setup)].map(
    ([setup, all]) => `${name(setup)}: ${threadsText(all.map(({ threads }) => threads))}`,
  );
  const limit = formatNumber(rules.limit);
  const words = workloads.length === 1 ? 'the workload' : 'all workloads';
  if (cells.every(({ max_cv }) => max_cv === null)) {
    return { title: `Good set-ups at ${limit}`, parts: [writer.text(say('variance.good-unknown', { limit }))] };
  }
  return {
    title: `Good set-ups at ${limit}`,
    parts: [
      writer.text(
        good.length === 0 ? say('variance.good-none', { limit }) : say('variance.good', { limit, workloads: words }),
        say('variance.good-rule', {}),
      ),
      ...listed(writer, of),
    ],
  };
}

function threadsText(threads: readonly number[]): string {
  return threads.length === 1 && threads[0] === 1 ? '1 thread' : `${listText(threads.map(String))} threads`;
}

/** The largest and the mean coefficient: set-ups down, threads across, as they were published. */
function tables<Part>({ variance }: VarianceInput, writer: Writer<Part>): readonly VarianceSection<Part>[] {
  const kinds = [
    ['Largest', 'max_cv'],
    ['Mean', 'mean_cv'],
  ] as const;
  return variance.workloads.flatMap((workload) => {
    const cells = variance.cells.filter((cell) => cell.workload === workload);
    return kinds.map(([word, key]) => {
      const title = `${word} coefficient of a set-up, ${writer.escaping.name(workload)}`;
      return { title, parts: [writer.table(title, byThreads(cells, key, writer))] };
    });
  });
}

function byThreads(cells: readonly VarianceCell[], key: 'max_cv' | 'mean_cv', writer: Writer<unknown>): Table {
  const threads = [...new Set(cells.map((cell) => cell.threads))].sort((a, b) => a - b);
  const rows = [...groupsBy(cells, ({ setup }) => setup)].map(([setup, of]) => [
    writer.escaping.name(setup),
    ...threads.map((count) => {
      const cell = of.find((one) => one.threads === count);
      return cell === undefined ? '' : coefficientText(cell[key]);
    }),
  ]);
  const titles = threads.map((count) => (count === 1 ? '1 thread' : `${count} threads`));
  const lines = rows.map(
    ([setup, ...found]) =>
      `${setup}: ${found.flatMap((one, at) => (one === '' ? [] : `${one} at ${titles[at]}`)).join(', ')}`,
  );
  return { columns: [left('set-up'), ...titles.map(number)], rows, lines };
}

function stepTable<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const { name } = writer.escaping;
  const steps = variance.rules.steps.map(name);
  const rows = variance.cells.map((cell) => [
    name(cell.setup),
    name(cell.workload),
    String(cell.threads),
    ...cell.steps.map(({ cv }) => coefficientText(cv)),
  ]);
  const title = 'Coefficient of each step';
  const table: Table = {
    columns: [left('set-up'), left('workload'), number('threads'), ...steps.map(number)],
    rows,
    lines: rows.map(
      ([setup, workload, threads, ...found]) =>
        `${setup}, ${workload}, ${threads === '1' ? '1 thread' : `${threads} threads`}: ${found.map((one, at) => `${steps[at]} ${one}`).join(', ')}`,
    ),
  };
  return { title, parts: [writer.table(title, table)] };
}
