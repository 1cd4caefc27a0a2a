/** Which functions account for a difference of counted instructions, as bars. */
import { axisY, barX, ruleX, ruleY, text } from '@observablehq/plot';
import type { CountView } from '../counts.ts';
import type { ReportInput } from '../input.ts';
import { cutMiddle, displayWidth, escapeLine } from '../plain-text.ts';
import { say } from '../rules.ts';
import { amountAxis } from './axes.ts';
import { draw } from './drawing.ts';
import { CHARACTER, type Figure, PLOT_WIDTH } from './figure.ts';
import type { Key } from './symbols.ts';
import { plain } from './text.ts';

const LONGEST_LABEL = 44;
const ROW_HEIGHT = 22;

/** `a::f(int) const` without its parameters: what is left is mostly short enough to stand whole. */
function withoutParameters(name: string): string {
  const end = name.lastIndexOf(')');
  let open = 0;
  for (let at = end; at > 0; at--) {
    if (name[at] === ')') open += 1;
    else if (name[at] === '(') open -= 1;
    if (open === 0) return `${name.slice(0, at)}(…)`;
  }
  return name;
}

function labelOf(name: string): string {
  return displayWidth(name) <= LONGEST_LABEL ? name : cutMiddle(withoutParameters(name), LONGEST_LABEL);
}

interface Bar {
  readonly index: number;
  readonly name: string;
  readonly label: string;
  readonly difference: number;
  /** What it may be; null where it is known exactly. */
  readonly range: readonly [number, number] | null;
  /** As the table has it. */
  readonly figure: string;
  readonly title: string;
}

function barsOf(input: ReportInput, view: CountView, at: number): readonly Bar[] {
  const contrast = input.analysis.counting?.contrasts[at];
  if (contrast === undefined || view.functions === null) return [];
  const { rows, rest } = view.functions;
  const told = contrast.functions.map(({ name, difference, range }, index) => ({
    ...{ name: escapeLine(name), difference },
    range: range[0] === range[1] ? null : range,
    figure: rows[index]?.difference ?? '',
  }));
  return [...told, { name: 'all others', difference: contrast.rest, range: null, figure: rest }].map((bar, index) => ({
    ...bar,
    index,
    label: labelOf(bar.name),
    title: say('plot.function', { name: bar.name, difference: bar.figure }),
  }));
}

/** Null where there is one function or none: the table says it as well. */
export function functionBars(input: ReportInput, view: CountView, at: number): Figure | null {
  const bars = barsOf(input, view, at);
  if (bars.length < 3) return null;
  const labels = bars.map(({ label }) => label);
  const ranged = bars.filter(({ range }) => range !== null);
  const width = (texts: readonly string[]): number => Math.max(...texts.map((one) => [...one].length)) * CHARACTER;
  const each = input.analysis.counting?.unit === 'operation' ? 'an operation' : 'a trial';
  const ends = [0, ...bars.flatMap(({ difference, range }) => [difference, ...(range ?? [])])];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = (high - low) * 0.04 || 1;
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: bars.length * ROW_HEIGHT + 50,
      marginTop: 4,
      marginBottom: 42,
      marginLeft: width(labels) + 16,
      marginRight: width(bars.map(({ figure }) => figure)) + 16,
      x: { domain: [low - room, high + room], label: `difference, instructions ${each}`, type: 'linear' },
      y: { type: 'band', domain: bars.map(({ index }) => index), label: null, padding: 0.3 },
      marks: [
        axisY({ tickSize: 0, tickFormat: (index: number) => labels[index] ?? '' }),
        amountAxis(),
        barX(bars, { y: 'index', x1: 0, x2: 'difference', fill: 'var(--bar)', title: 'title' }),
        ruleY(ranged, {
          y: 'index',
          x1: ({ range }: Bar) => range?.[0],
          x2: ({ range }: Bar) => range?.[1],
          stroke: 'var(--ink)',
          strokeWidth: 1.5,
        }),
        ruleX([0], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        text(bars, { y: 'index', text: 'figure', frameAnchor: 'right', textAnchor: 'start', dx: 10 }),
      ],
    },
    {
      name: plain(say('plot.functions-name', { arm: view.arm, reference: view.reference })),
      description: bars.map(({ title }) => title).join('; '),
    },
  );
  const keys: readonly Key[] = [
    { kind: 'band', color: 'var(--bar)', text: 'difference' },
    ...(ranged.length > 0
      ? [{ kind: 'line', color: 'var(--ink)', stroke: 'solid', text: 'what it may be' } as const]
      : []),
  ];
  return {
    title: `Difference by function, ${view.arm} against ${view.reference}`,
    plot,
    keys,
    caption: [
      say('plot.functions', { each, arm: view.arm }),
      ...(ranged.length > 0 ? [say('plot.functions-ranged', {})] : []),
      ...(bars.some(({ name, label }) => label !== name) ? [say('plot.functions-cut', {})] : []),
    ].join(' '),
  };
}
