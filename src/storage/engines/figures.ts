/** The figures of an engine: what they are made of in one trial, and which way is better. */
import type { Step } from './measures.ts';

type Metrics = Readonly<Record<string, number | null>>;

/** What a figure is about: an engine may be good at the one and bad at the other. */
export const ASPECTS = ['write', 'read', 'space'] as const;
type Aspect = (typeof ASPECTS)[number];

export interface FigureKind {
  readonly key: string;
  /** In a table. */
  readonly title: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly aspect: Aspect;
  /** Whether strengths and weaknesses are told by it; the others explain. */
  readonly main: boolean;
  /** Made of bytes or reads that are counted at a device, or accounted to a process: no numbers of one kind. */
  readonly accounted: boolean;
  /** Of one trial; null where it lacks what the figure is made of. */
  readonly of: (metrics: Metrics) => number | null;
  /** Of one trial, the smallest step in which the figure moves; left out where it is continuous. */
  readonly quantum?: (metrics: Metrics) => number | null;
  /** Rounded to within this share of the value; left out where it is not. */
  readonly coarse?: number;
}

/** A ratio that is there where both parts are and the lower one is positive. */
function ratio(above: string, below: string, factor = 1): FigureKind['of'] {
  return (metrics) => {
    const [upper, lower] = [metrics[above] ?? null, metrics[below] ?? null];
    return upper === null || lower === null || lower <= 0 ? null : (factor * upper) / lower;
  };
}

function scaled(name: string, factor: number): FigureKind['of'] {
  return (metrics) => {
    const value = metrics[name] ?? null;
    return value === null ? null : value * factor;
  };
}

/** A step of what is counted, such as one read, as a step of the ratio. */
function stepOf(size: number, below: string): NonNullable<FigureKind['quantum']> {
  return (metrics) => {
    const lower = metrics[below] ?? null;
    return lower === null || lower <= 0 ? null : size / lower;
  };
}

/** Latencies are the middles of buckets that are at most so wide, as a share of their value (drivers/engines/histogram.h). */
const BUCKET = 1 / 64;

/** In which devices and file systems count bytes. */
const SECTOR = 512;

/** As `ratio`, where one part is the sum of two. */
function together(
  parts: readonly [string, string],
  single: string,
  how: 'above' | 'below',
  factor: number,
): FigureKind['of'] {
  return (metrics) => {
    const [one, two, alone] = [...parts, single].map((name) => metrics[name] ?? null);
    if (one == null || two == null || alone == null) return null;
    const [upper, lower] = how === 'above' ? [one + two, alone] : [alone, one + two];
    return lower <= 0 ? null : (factor * upper) / lower;
  };
}

function settledRate(step: Step): FigureKind['of'] {
  return together([`${step}_ns`, `${step}_settle_ns`], `${step}_operations`, 'below', 1e9);
}

function rate(step: Step, title: string, aspect: Aspect): FigureKind {
  const of = ratio(`${step}_operations`, `${step}_ns`, 1e9);
  return {
    ...{ key: `${step}_rate`, title, unit: 'operations/s', better: 'higher', aspect, main: true, accounted: false },
    of,
  };
}

function written(step: 'load' | 'overwrite', what: string): readonly FigureKind[] {
  const write = { aspect: 'write', better: 'lower' } as const;
  return [
    {
      ...{ key: `${step}_settled_rate`, title: `${what} settled`, unit: 'operations/s', main: true },
      ...{ aspect: 'write', better: 'higher', accounted: false, of: settledRate(step) },
    },
    {
      ...{ key: `${step}_wamp`, title: `${what} wamp`, unit: 'x', main: true, ...write, accounted: true },
      of: ratio(`${step}_written_bytes`, `${step}_user_bytes`),
      quantum: stepOf(SECTOR, `${step}_user_bytes`),
    },
    {
      ...{
        key: `${step}_space`,
        title: `space after ${what}`,
        unit: 'x',
        main: true,
        aspect: 'space',
        better: 'lower',
        accounted: false,
      },
      // Overwrites add no record.
      of: ratio(`${step}_space_bytes`, 'load_user_bytes'),
      quantum: stepOf(SECTOR, 'load_user_bytes'),
    },
    {
      ...{ key: `${step}_settle`, title: `${what} settles`, unit: 's', main: false, ...write, accounted: false },
      of: scaled(`${step}_settle_ns`, 1e-9),
    },
  ];
}

function reads(step: 'point' | 'range'): readonly FigureKind[] {
  const read = { aspect: 'read', better: 'lower', main: true, accounted: true } as const;
  const operations = `${step}_operations`;
  return [
    {
      ...{ key: `${step}_reads`, title: `${step} reads`, unit: 'reads', ...read },
      of: ratio(`${step}_reads`, operations),
      quantum: stepOf(1, operations),
    },
    {
      ...{ key: `${step}_kb`, title: `${step} kB`, unit: 'kB', ...read },
      of: ratio(`${step}_read_bytes`, operations, 1e-3),
      quantum: stepOf(SECTOR * 1e-3, operations),
    },
    {
      ...{ key: `${step}_written`, title: `written in ${step}`, unit: 'x', ...read, main: false },
      of: ratio(`${step}_written_bytes`, 'load_user_bytes'),
      quantum: stepOf(SECTOR, 'load_user_bytes'),
    },
  ];
}

function costs(step: Step, what: string, aspect: Aspect): readonly FigureKind[] {
  const cost = { unit: 'us', better: 'lower', aspect, main: false, accounted: false } as const;
  const [ns, operations] = [`${step}_cpu_ns`, `${step}_operations`];
  return [
    { key: `${step}_cpu`, title: `${what} CPU`, ...cost, of: ratio(ns, operations, 1e-3) },
    ...(aspect === 'write'
      ? [
          {
            ...{ key: `${step}_settled_cpu`, title: `${what} CPU settled`, ...cost },
            of: together([ns, `${step}_settle_cpu_ns`], operations, 'above', 1e-3),
          },
        ]
      : []),
    ...['p50', 'p99'].map((at) => ({
      ...{ key: `${step}_${at}`, title: `${what} ${at}`, ...cost, of: scaled(`${step}_${at}_ns`, 1e-3) },
      coarse: BUCKET,
    })),
  ];
}

export const FIGURES: readonly FigureKind[] = [
  rate('load', 'insert', 'write'),
  ...written('load', 'insert'),
  rate('point', 'point', 'read'),
  rate('range', 'range', 'read'),
  rate('overwrite', 'overwrite', 'write'),
  ...written('overwrite', 'overwrite'),
  ...reads('point'),
  ...reads('range'),
  ...costs('load', 'insert', 'write'),
  ...costs('point', 'point', 'read'),
  ...costs('range', 'range', 'read'),
  ...costs('overwrite', 'overwrite', 'write'),
  {
    ...{ key: 'peak_memory', title: 'peak memory', unit: 'MiB', better: 'lower', aspect: 'space', main: false },
    accounted: false,
    of: scaled('peak_resident_bytes', 2 ** -20),
  },
  {
    ...{ key: 'peak_limited', title: 'peak in the limit', unit: 'MiB', better: 'lower', aspect: 'space', main: false },
    accounted: false,
    of: scaled('peak_cgroup_bytes', 2 ** -20),
  },
];
