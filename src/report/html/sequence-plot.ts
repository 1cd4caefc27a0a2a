/** A sequential run look by look: the change with its interval after each of them, and where the run ended. */
import { areaY, dot, lineY, ruleX, ruleY } from '@observablehq/plot';
import { limitsOf } from '../limits.ts';
import { counted } from '../numbers.ts';
import { say } from '../rules.ts';
import { type Look, lookText, type SequenceView, spanOf } from '../sequence.ts';
import { atOrEnd, changeAxis, valuesOverCount } from './axes.ts';
import { draw } from './drawing.ts';
import { type Figure, PLOT_WIDTH } from './figure.ts';
import { limitKeys, limitLines } from './limit-lines.ts';
import { isOpen, type Key, VERDICT_LOOKS } from './symbols.ts';
import { plain } from './text.ts';

/** More looks are drawn as a band. */
const MOST_WHISKERS = 60;

/** Every look at a primary metric. */
export function sequenceFigure(view: SequenceView): Figure {
  const { row, looks, noun, max, early } = view;
  const { comparison } = row;
  const [low, high] = spanOf(view);
  const limits = limitsOf(comparison);
  const axis = changeAxis(comparison.kind, row.scale, [low, high]);
  const at = (value: number): number => atOrEnd(axis, value);
  const bounded = looks.filter(({ interval }) => interval !== null);
  const last = looks.at(-1);
  const first = looks[0]?.pairs ?? 0;
  const before = looks.filter((look) => look !== last);
  const look = VERDICT_LOOKS[comparison.verdict.kind];
  const filled = comparison.verdict.kind !== 'inconclusive' && !isOpen(look.shape);
  const band = bounded.length > MOST_WHISKERS;
  const ends = {
    x: 'pairs',
    y1: ({ interval }: Look) => at(interval?.[0] ?? low),
    y2: ({ interval }: Look) => at(interval?.[1] ?? high),
  };
  const place = { x: 'pairs', y: ({ change }: Look) => at(change) };
  const titled = (one: Look) => plain(say('plot.look', { place: counted(one.pairs, noun), seen: lookText(view, one) }));
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: 250,
      marginTop: 26,
      marginBottom: 42,
      marginLeft: 62,
      marginRight: 16,
      x: {
        domain: [Math.max(0, first - 0.6 - (max - first) * 0.03), max + 0.6],
        label: `${noun}s at the look`,
        type: 'linear',
      },
      y: axis.scale,
      marks: [
        ...valuesOverCount(axis),
        ...(band ? [areaY(bounded, { ...ends, fill: 'var(--interval)' })] : []),
        ruleY([axis.at(0)], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        ...limitLines(limits, axis),
        ...(band
          ? [lineY(bounded, { ...place, stroke: 'var(--mean)', strokeWidth: 1.5 })]
          : [
              ruleX(bounded, { ...ends, stroke: 'var(--mean)', strokeWidth: 1.75, strokeOpacity: 0.55 }),
              dot(before, { ...place, r: 2.6, fill: 'var(--mean)', title: titled }),
            ]),
        ...(last === undefined
          ? []
          : [
              ruleX([last], { ...ends, stroke: look.color, strokeWidth: 2.5 }),
              dot([last], {
                ...place,
                symbol: look.shape,
                r: 4.5,
                stroke: look.color,
                fill: filled ? look.color : 'var(--page)',
                title: titled,
              }),
            ]),
      ],
    },
    {
      name: plain(say('plot.sequence-name', { subject: row.subject })),
      description: plain(described(view, early)),
    },
  );
  const keys: readonly Key[] = [
    { kind: 'line', color: 'var(--mean)', stroke: 'solid', text: band ? 'change' : 'change and interval at a look' },
    ...(band ? [{ kind: 'band', color: 'var(--interval)', text: 'its interval at a look' } as const] : []),
    {
      ...{ kind: 'mark', look, filled },
      text: `the last look: ${comparison.verdict.kind === 'none' ? 'no verdict' : row.verdict}`,
    },
    { kind: 'line', color: 'var(--zero)', stroke: 'solid', text: 'no change' },
    ...limitKeys(limits),
  ];
  const cut = bounded.some(({ interval }) => interval !== null && (interval[0] < low || interval[1] > high));
  return {
    title: `Look by look: ${row.subject}`,
    plot,
    keys,
    caption: [
      say('plot.sequence', { looks: counted(looks.length, 'look') }),
      ...(early ? [say('plot.sequence-early', {})] : []),
      ...(cut ? [say('plot.sequence-cut', {})] : []),
      ...(bounded.length < looks.length ? [say('plot.sequence-unbounded', {})] : []),
    ].join(' '),
  };
}

/** The first and the last look in words. */
function described(view: SequenceView, early: boolean): string {
  const { looks, noun, max } = view;
  const seen = (one: Look | undefined) =>
    one === undefined
      ? ''
      : say('plot.look', { place: `after ${counted(one.pairs, noun)}`, seen: lookText(view, one) });
  const first = looks.find(({ interval }) => interval !== null) ?? looks[0];
  const words = { looks: counted(looks.length, 'look'), first: seen(first), last: seen(looks.at(-1)) };
  return say(early ? 'plot.sequence-described' : 'plot.sequence-described-last', { ...words, max: String(max) });
}
