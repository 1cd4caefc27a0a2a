/** One session slice by slice: the time of an operation of both arms, and the slices that stalled. */
import { dot, ruleY } from '@observablehq/plot';
import { type ArmCourse, type CourseSlice, sessionCourse } from '../../analysis/session-course.ts';
import type { SessionPlace } from '../../analysis/slice-analysis.ts';
import type { Metric } from '../../experiment/experiment.ts';
import type { TrialRecord } from '../../journal/records.ts';
import type { ReportInput } from '../input.ts';
import { formatNumber, grouped } from '../numbers.ts';
import type { ResultRow } from '../row.ts';
import { say } from '../rules.ts';
import { unitFor } from '../units.ts';
import { valueAxis, valuesOverCount } from './axes.ts';
import { denseDots, draw } from './drawing.ts';
import { DENSE_FROM, type Figure, PLOT_WIDTH } from './figure.ts';
import { armLooks, type Key } from './symbols.ts';
import { HTML, plain } from './text.ts';

interface ArmSlices extends ArmCourse {
  readonly arm: string;
  readonly color: string;
}

/** The sessions of a metric that are worth a closer look: the median one, and of a primary metric the one furthest from it. */
export function sliceFigures(input: ReportInput, row: ResultRow, metric: Metric): readonly Figure[] {
  const { slices, primary } = row.comparison;
  if (slices === null) return [];
  const { median_session: median, extreme_session: extreme } = slices;
  const both = primary && (extreme.block !== median.block || extreme.attempt !== median.attempt);
  return [
    sliceFigure(input, row, metric, { place: median, which: 'median' }),
    ...(both ? [sliceFigure(input, row, metric, { place: extreme, which: 'extreme' })] : []),
  ].filter((figure) => figure !== null);
}

interface Chosen {
  readonly place: SessionPlace;
  readonly which: 'median' | 'extreme';
}

function sliceFigure(input: ReportInput, row: ResultRow, metric: Metric, { place, which }: Chosen): Figure | null {
  const halves = halvesOf(input, place);
  const session = halves[0]?.session ?? null;
  const isTime = metric.from.kind === 'slice' && (metric.from.name === 'wall' || metric.from.name === 'cpu');
  const course =
    session === null || !isTime ? null : sessionCourse(session, metric.from.name === 'cpu' ? 'cpu' : 'wall');
  if (course === null) return null;
  const looks = armLooks(input.analysis.arms, input.analysis.reference);
  const arms = looks.flatMap(({ arm, color }): ArmSlices[] => {
    const half = halves.find((one) => one.arm === arm);
    return half === undefined ? [] : [{ ...course.subjects[half.position === 1 ? 0 : 1], arm, color }];
  });
  const axis = valueAxis(metric.unit, metric.per, [...course.range, ...arms.map(({ typical_ns }) => typical_ns)]);
  const atEdge = ({ ns }: CourseSlice) => axis.ends[ns > course.range[1] ? 1 : 0];
  const radius = course.slices < DENSE_FROM ? 2.2 : 1.25;
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: 250,
      ...{ marginTop: 26, marginBottom: 42, marginLeft: 62, marginRight: 16 },
      x: { domain: [0.4, course.slices + 0.6], label: 'slices in the order in which they ran', type: 'linear' },
      y: axis.scale,
      marks: [
        ...valuesOverCount(axis),
        ...arms.map(({ within, color }) =>
          dot(within, { x: 'number', y: ({ ns }: CourseSlice) => axis.at(ns), ...denseDots(color, radius) }),
        ),
        ...arms.map(({ beyond, color }) => dot(beyond, { x: 'number', y: atEdge, ...denseDots(color, 1.75) })),
        ...arms.map(({ typical_ns, color }) => ruleY([axis.at(typical_ns)], { stroke: color, strokeWidth: 1.5 })),
        ...arms.map(({ stalls, color }) =>
          dot(stalls, {
            ...{ x: 'number', y: axis.ends[1], symbol: 'triangle', r: 4.5 },
            ...{ stroke: 'var(--page)', strokeWidth: 0.75, fill: color },
          }),
        ),
      ],
    },
    {
      name: plain(say('plot.slices-name', { session: String(place.block), metric: row.metric })),
      description: plain(arms.map((arm) => told(arm, metric)).join(' ')),
    },
  );
  const words = { session: String(place.block), attempt: attemptText(place) };
  const beyond = arms.reduce((sum, one) => sum + one.beyond.length, 0);
  return {
    title: `Session ${place.block}, slice by slice`,
    plot,
    keys: keysOf(arms),
    caption: [
      say(which === 'median' ? 'plot.slices-median' : 'plot.slices-extreme', words),
      ...arms.map((arm) => told(arm, metric)),
      ...(arms.some(({ stalls }) => stalls.length > 0) ? [say('plot.slices-stalls', {})] : []),
      ...(beyond > 0 ? [say('plot.slices-beyond', { slices: grouped(beyond) })] : []),
      ...(course.every > 1 ? [say('plot.slices-thinned', { every: String(course.every) })] : []),
    ].join(' '),
  };
}

/** By position: who started first. */
function halvesOf(input: ReportInput, { block, attempt }: SessionPlace): readonly TrialRecord[] {
  return input.journal.trials.filter(
    (trial) => trial.phase === 'confirmation' && trial.block === block && trial.attempt === attempt,
  );
}

function attemptText({ attempt }: SessionPlace): string {
  return attempt > 1 ? `, attempt ${attempt}` : '';
}

/** How many slices an arm had and how many of them stalled. */
function told({ arm, count, typical_ns, longest_ns }: ArmSlices, metric: Metric): string {
  const times = (ns: number) => {
    const { factor, suffix } = unitFor(metric.unit, ns, metric.per, HTML.prose);
    return `${formatNumber(ns * factor, 4)}${suffix}`;
  };
  const words = {
    ...{ arm: HTML.name(arm), slices: grouped(count.slices), stalls: grouped(count.stalls) },
    ...{ typical: times(typical_ns), longest: times(longest_ns) },
  };
  return say('plot.slices-arm', words);
}

function keysOf(arms: readonly ArmSlices[]): readonly Key[] {
  const stalled = arms.filter(({ stalls }) => stalls.length > 0);
  return [
    ...arms.map(
      ({ arm, color }): Key => ({
        ...{ kind: 'mark', look: { color, shape: 'circle' }, filled: true },
        text: `a slice of ${HTML.name(arm)}`,
      }),
    ),
    ...arms.map(
      ({ arm, color }): Key => ({
        ...{ kind: 'line', color, stroke: 'solid' },
        text: `median of ${HTML.name(arm)}`,
      }),
    ),
    ...stalled.map(
      ({ arm, color }): Key => ({
        ...{ kind: 'mark', look: { color, shape: 'triangle' }, filled: true },
        text: `a stall of ${HTML.name(arm)}`,
      }),
    ),
  ];
}
