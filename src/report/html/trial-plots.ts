/** Values of trials in the order in which they ran, and by their position in a block. */
import { axisFx, axisFy, axisX, axisY, dot, gridY } from '@observablehq/plot';
import type { Metric } from '../../experiment/experiment.ts';
import type { ReportInput } from '../input.ts';
import { counted, formatNumber } from '../numbers.ts';
import { blockNoun } from '../row.ts';
import { say } from '../rules.ts';
import { unitFor } from '../units.ts';
import { valueAxis } from './axes.ts';
import { denseDots, draw } from './drawing.ts';
import { DENSE_FROM, type Figure, PLOT_WIDTH } from './figure.ts';
import { type ArmLook, armLooks, type Key } from './symbols.ts';
import { HTML, plain, shortName } from './text.ts';
import { confirmationOf, FAILED, placeOf, REJECTED, type Status, statusOf, wholeNumber } from './trial-points.ts';

interface TrialPoint {
  readonly number: number;
  readonly arm: string;
  readonly position: number;
  readonly value: number;
  readonly status: Status;
  readonly title: string;
}

function pointsOf(input: ReportInput, metric: Metric, unitOf: (value: number) => string): readonly TrialPoint[] {
  const noun = blockNoun(input);
  return confirmationOf(input).flatMap(({ trial, number }) => {
    const value = Object.hasOwn(trial.metrics, metric.name) ? trial.metrics[metric.name] : null;
    if (value === null || value === undefined) return [];
    const title = say('plot.trial', { place: placeOf(trial, number, noun), value: unitOf(value) });
    return [{ number, arm: trial.arm, position: trial.position, value, status: statusOf(trial), title }];
  });
}

function quantityText(metric: Metric): (value: number) => string {
  return (value) => {
    const { factor, suffix } = unitFor(metric.unit, Math.abs(value), metric.per, HTML.prose);
    return formatNumber(value * factor, 5) + suffix;
  };
}

function statusKeys(points: readonly { readonly status: Status }[]): readonly Key[] {
  const has = (status: Status): boolean => points.some((point) => point.status === status);
  return [
    ...(has('rejected') ? [{ kind: 'mark', look: REJECTED, filled: false, text: 'rejected' } as const] : []),
    ...(has('failed') ? [{ kind: 'mark', look: FAILED, filled: false, text: 'failed' } as const] : []),
    ...(has('left out')
      ? [
          {
            kind: 'mark',
            look: { color: 'var(--faint)', shape: 'circle' },
            filled: false,
            text: say('plot.left-out', {}),
          } as const,
        ]
      : []),
  ];
}

function armMarks(points: readonly TrialPoint[], look: ArmLook, dense: boolean, channels: object) {
  const own = points.filter((point) => point.arm === look.arm);
  const counted = own.filter((point) => point.status === 'counted');
  const tip = dense ? {} : { title: 'title' };
  return [
    dot(
      counted,
      dense
        ? { ...channels, ...denseDots(look.color, 1.25) }
        : { ...channels, ...tip, r: 3.2, symbol: look.shape, stroke: look.color, fill: look.color },
    ),
    dot(
      own.filter((point) => point.status === 'left out'),
      { ...channels, ...tip, r: dense ? 2 : 3.2, stroke: 'var(--faint)', fill: 'var(--page)' },
    ),
    ...[REJECTED, FAILED].map(({ color, shape }, index) =>
      dot(
        own.filter((point) => point.status === (index === 0 ? 'rejected' : 'failed')),
        { ...channels, ...tip, r: dense ? 2.5 : 4, symbol: shape, stroke: color, strokeWidth: 1.75 },
      ),
    ),
  ];
}

/** Values of one metric in the order in which the trials ran. Null where no trial has one. */
export function timeFigure(input: ReportInput, metric: Metric): Figure | null {
  const { analysis } = input;
  const points = pointsOf(input, metric, quantityText(metric));
  if (points.length === 0) return null;
  const looks = armLooks(analysis.arms, analysis.reference);
  const dense = points.length >= DENSE_FROM;
  const panels = dense || looks.length > 2;
  const last = points.at(-1)?.number ?? 1;
  const axis = valueAxis(
    metric.unit,
    metric.per,
    points.map(({ value }) => value),
    panels ? 3 : 6,
  );
  const channels = {
    ...(panels ? { fy: 'arm' } : {}),
    x: 'number',
    y: ({ value }: TrialPoint) => axis.at(value),
  };
  const left = points.filter(({ status }) => status !== 'counted').length;
  const trials = counted(points.length, 'trial');
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: panels ? looks.length * (looks.length > 2 ? 90 : 130) + 66 : 250,
      marginTop: 26,
      marginBottom: 42,
      marginLeft: 62,
      marginRight: panels ? 140 : 16,
      x: { domain: [0.4, last + 0.6], label: 'trials in the order in which they ran', type: 'linear' },
      y: axis.scale,
      fy: { domain: looks.map(({ arm }) => arm), label: null, padding: 0.2 },
      marks: [
        axisX({ labelAnchor: 'left', labelArrow: 'none', tickFormat: wholeNumber }),
        gridY({ ticks: axis.ticks.ticks, stroke: 'var(--rule)', strokeOpacity: 1 }),
        axisY({ ...axis.ticks, labelArrow: 'none', labelAnchor: 'top', tickSize: 0 }),
        ...(panels ? [axisFy({ tickFormat: (arm: string) => shortName(arm, 18) })] : []),
        ...looks.flatMap((look) => armMarks(points, look, dense, channels)),
      ],
    },
    {
      name: plain(say('plot.trials-name', { metric: HTML.name(metric.name) })),
      description: plain(
        [say('plot.trials-left', { trials, left: String(left) }), ...meansText(input, metric)].join(' '),
      ),
    },
  );
  const cut = points.every(({ value }) => value > 0) && !axis.logarithmic;
  return {
    title: 'Trials over time',
    plot,
    keys: [
      ...looks.map(
        (look): Key => ({
          kind: 'mark',
          look: dense ? { ...look, shape: 'circle' } : look,
          filled: true,
          text: HTML.name(look.arm),
        }),
      ),
      ...statusKeys(points),
    ],
    caption: [
      say('plot.trials', { trials }),
      ...(cut ? [say('plot.trials-axis', {})] : []),
      ...(dense ? [say('plot.trials-dense', {})] : []),
    ].join(' '),
  };
}

/** A sentence, or none. */
function meansText({ analysis }: ReportInput, metric: Metric): readonly string[] {
  const quantity = quantityText(metric);
  const told = analysis.comparisons.flatMap(({ metric: name, effect, arm, reference }, index, all) => {
    if (name !== metric.name || effect === null) return [];
    const first = all.findIndex((one) => one.metric === metric.name && one.effect !== null) === index;
    const own = `${HTML.prose(arm)} ${quantity(effect.means.arm)}`;
    return first ? [`${HTML.prose(reference)} ${quantity(effect.means.reference)}`, own] : [own];
  });
  return told.length === 0 ? [] : [say('plot.trials-means', { means: told.join(', ') })];
}

/** Values by position in the block, one panel an arm: for designs of more than two arms. */
export function positionFigure(input: ReportInput, metric: Metric): Figure | null {
  const { analysis } = input;
  if (analysis.arms.length < 3) return null;
  const points = pointsOf(input, metric, quantityText(metric)).filter(({ status }) => status === 'counted');
  if (points.length === 0) return null;
  const looks = armLooks(analysis.arms, analysis.reference);
  const dense = points.length >= DENSE_FROM;
  const axis = valueAxis(
    metric.unit,
    metric.per,
    points.map(({ value }) => value),
  );
  const positions = analysis.arms.map((_, index) => index + 1);
  const panels = { trials: counted(points.length, 'trial'), arms: String(looks.length) };
  const characters = Math.max(4, Math.floor(740 / looks.length / 7.5));
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: 230,
      marginTop: 40,
      marginBottom: 42,
      marginLeft: 62,
      marginRight: 10,
      x: { type: 'point', domain: positions, label: `position in the block`, padding: 0.6 },
      y: axis.scale,
      fx: { domain: looks.map(({ arm }) => arm), label: null, padding: 0.12 },
      marks: [
        axisX({ labelAnchor: 'left', labelArrow: 'none', tickFormat: wholeNumber }),
        gridY({ ticks: axis.ticks.ticks, stroke: 'var(--rule)', strokeOpacity: 1 }),
        axisY({ ...axis.ticks, labelArrow: 'none', labelAnchor: 'top', tickSize: 0 }),
        axisFx({ tickFormat: (arm: string) => shortName(arm, characters) }),
        ...looks.flatMap((look) =>
          armMarks(points, look, dense, {
            fx: 'arm',
            x: 'position',
            y: ({ value }: TrialPoint) => axis.at(value),
          }),
        ),
      ],
    },
    {
      name: plain(say('plot.positions-name', { metric: HTML.name(metric.name) })),
      description: plain([say('plot.positions-panels', panels), ...meansText(input, metric)].join(' ')),
    },
  );
  return {
    title: 'Arms by position in the block',
    plot,
    keys: [],
    caption: say('plot.positions', {}),
  };
}
