/** How busy the machine was during each trial. */
import { axisX, axisY, dot, gridY, ruleX, ruleY } from '@observablehq/plot';
import type { RejectionFact } from '../../experiment/experiment.ts';
import type { TrialRecord } from '../../journal/records.ts';
import { factOf } from '../../plan/rejection.ts';
import type { ReportInput } from '../input.ts';
import { counted, formatNumber } from '../numbers.ts';
import { blockNoun } from '../row.ts';
import { say } from '../rules.ts';
import { denseDots, draw } from './drawing.ts';
import { DENSE_FROM, type Figure, PLOT_WIDTH } from './figure.ts';
import { dashes } from './symbols.ts';
import { plain } from './text.ts';
import { confirmationOf, placeOf, REJECTED, statusOf, wholeNumber } from './trial-points.ts';

interface Fact {
  readonly fact: RejectionFact;
  readonly title: string;
  readonly unit: string;
  readonly factor: number;
}

const FACTS: readonly Fact[] = [
  { fact: 'steal', title: 'Stolen time', unit: '% of a CPU', factor: 100 },
  { fact: 'other_cpu', title: 'Other use of CPUs', unit: 'CPUs', factor: 1 },
  { fact: 'frequency_hz', title: 'Frequency', unit: 'GHz', factor: 1e-9 },
  { fact: 'counter_share', title: 'Time that the counters ran', unit: '%', factor: 100 },
];

/** `0.5 CPUs`, `1 CPU`. */
function withUnit(value: number, unit: string): string {
  const text = formatNumber(value);
  return `${text} ${text === '1' ? unit.replace(/s$/, '') : unit}`;
}

function factAt(trial: TrialRecord | undefined, fact: RejectionFact): number | null {
  return trial === undefined ? null : factOf(trial, fact);
}

function noiseFigure(input: ReportInput, { fact, title, unit, factor }: Fact): Figure | null {
  const noun = blockNoun(input);
  const points = confirmationOf(input).flatMap(({ trial, number, index }) => {
    const value = factAt(input.journal.trials[index], fact);
    if (value === null) return [];
    const told = say('plot.trial', { place: placeOf(trial, number, noun), value: withUnit(value * factor, unit) });
    return [{ number, value: value * factor, status: statusOf(trial), title: plain(told) }];
  });
  type NoisePoint = (typeof points)[number];
  if (points.length === 0) return null;
  const dense = points.length >= DENSE_FROM;
  const last = points.at(-1)?.number ?? 1;
  const limits = input.journal.run.experiment.reject.rules.filter((rule) => rule.fact === fact);
  const values = points.map(({ value }) => value);
  const largest = values.reduce((most, value) => Math.max(most, value), 0);
  const smallest = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const marked = limits.map(({ limit }) => limit * factor);
  const fromZero = fact === 'steal' || fact === 'other_cpu';
  const top = Math.max(largest, ...marked);
  const low = fromZero ? 0 : Math.min(smallest, ...marked);
  const room = (top - low) * 0.08 || Math.abs(top) * 0.05 || 1;
  const rejected = points.filter(({ status }) => status === 'rejected');
  const width = Math.max(0.5, Math.min(4, (PLOT_WIDTH - 90) / last / 2));
  const tip = dense ? {} : { title: 'title' };
  const range = `${formatNumber(smallest)} to ${withUnit(largest, unit)}`;
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: 150,
      marginTop: 26,
      marginBottom: 42,
      marginLeft: 62,
      marginRight: 16,
      x: { domain: [0.4, last + 0.6], label: 'trials in the order in which they ran', type: 'linear' },
      y: {
        domain: [fromZero ? 0 : low - room, top + room],
        label: unit,
      },
      marks: [
        axisX({ labelAnchor: 'left', labelArrow: 'none', tickFormat: wholeNumber }),
        gridY({ ticks: 4, stroke: 'var(--rule)', strokeOpacity: 1 }),
        axisY({
          ...{ ticks: 4, tickFormat: (tick: number) => formatNumber(tick, 6) },
          ...{ labelArrow: 'none', labelAnchor: 'top', tickSize: 0 },
        }),
        fromZero
          ? ruleX(points, { ...tip, x: 'number', y1: 0, y2: 'value', stroke: 'var(--noise)', strokeWidth: width })
          : dot(points, {
              ...tip,
              x: 'number',
              y: 'value',
              ...(dense ? denseDots('var(--noise)', 1.25) : { r: 3, fill: 'var(--noise)' }),
            }),
        ...(fromZero ? [ruleY([0], { stroke: 'var(--zero)' })] : []),
        ruleY(marked, { stroke: 'var(--limit)', strokeDasharray: dashes('dashed'), strokeWidth: 1.25 }),
        dot(rejected, {
          ...tip,
          x: 'number',
          y: ({ value }: NoisePoint) => value,
          symbol: 'times',
          r: dense ? 2.5 : 4,
          stroke: 'var(--rejected)',
          strokeWidth: 1.75,
        }),
      ],
    },
    {
      name: say('plot.noise-name', { fact: title }),
      description: say('plot.noise-range', {
        ...{ trials: counted(points.length, 'trial'), range },
        rejected: counted(rejected.length, 'rejected trial'),
      }),
    },
  );
  return {
    title,
    plot,
    keys: [
      ...(rejected.length > 0
        ? [{ kind: 'mark', look: REJECTED, filled: false, text: 'rejected trial' } as const]
        : []),
      ...(marked.length > 0
        ? [{ kind: 'line', color: 'var(--limit)', stroke: 'dashed', text: 'limit of a rule of rejection' } as const]
        : []),
    ],
    caption: say('plot.noise', { range }),
  };
}

/** How busy the machine was during each trial of the confirmation; what it does not tell is left out. */
export function noiseOf(input: ReportInput): {
  readonly figures: readonly Figure[];
  /** Of what was the same in every trial, which needs no plot. */
  readonly constant: readonly string[];
} {
  const trials = confirmationOf(input);
  const facts = FACTS.map((one) => {
    const values = trials.flatMap(({ index }) => factAt(input.journal.trials[index], one.fact) ?? []);
    return { one, values, isConstant: values.every((value) => value === values[0]) };
  }).filter(({ values }) => values.length > 0);
  return {
    figures: facts.flatMap(({ one, isConstant }) => (isConstant ? [] : (noiseFigure(input, one) ?? []))),
    constant: facts.flatMap(({ one: { title, unit, factor }, values, isConstant }) => {
      if (!isConstant) return [];
      const words = { fact: title, value: withUnit((values[0] ?? 0) * factor, unit) };
      return [say('plot.noise-constant', { ...words, trials: counted(values.length, 'trial') })];
    }),
  };
}
