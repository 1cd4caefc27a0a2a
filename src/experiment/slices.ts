/** Work in turns, as an experiment asks for it: what holds where it says nothing, and the metrics that are made of slices. */
import { SLICE_METRICS, type SliceMetric, type Slices, SYSTEM_METRICS } from './experiment.ts';
import { parseDuration, parseFraction, parseNanoseconds } from './quantities.ts';

/** Where `slices` leaves them out. */
export const SLICE_DEFAULTS = { length: '300us', session: '1s', prelude: '25%', answer_timeout: '60s' } as const;
/** Of `environment_padding`: each process of a session has a layout of its own. */
export const SLICE_PADDING = 4096;
/** Sessions of warm-up, and at least one of them: the first finds how long an operation takes. */
export const SLICE_WARMUP = 1;

/** Of a session, at most: it is one line of a journal, and strangers read it. */
export const MOST_QUADS = 10_000;
/** Of a slice, so that all that a warm-up does can be counted exactly. As in native/turns.h. */
export const MOST_OPERATIONS = 2 ** 40;

/** Whatever a file may say under `design: slices`. */
export type SlicesDocument =
  | boolean
  | {
      readonly length?: string | number | undefined;
      readonly session?: string | number | undefined;
      readonly operations?: number | undefined;
      readonly prelude?: string | number | undefined;
      readonly answer_timeout?: string | number | undefined;
    };

/** Whether processes work in turns. */
export function isSliced(slices: SlicesDocument | undefined): boolean {
  return slices !== undefined && slices !== false;
}

/** The document is known to be without faults; null where there are no slices. */
export function slicesOf(document: SlicesDocument | undefined): Slices | null {
  if (document === undefined || document === false) return null;
  const { operations, ...given } = document === true ? {} : document;
  const { length, session, prelude, answer_timeout } = { ...SLICE_DEFAULTS, ...given };
  return {
    slice_ns: known(parseNanoseconds(length ?? SLICE_DEFAULTS.length)),
    session_ns: known(parseNanoseconds(session ?? SLICE_DEFAULTS.session)),
    operations: operations ?? null,
    prelude: known(parseFraction(prelude ?? SLICE_DEFAULTS.prelude)),
    answer_timeout_ms: known(parseDuration(answer_timeout ?? SLICE_DEFAULTS.answer_timeout)),
  };
}

function known(value: number | null): number {
  if (value === null) throw new Error('slices with faults were settled');
  return value;
}

/** How `from` of a metric names what is made of slices. */
const SOURCES: Readonly<Record<SliceMetric, string>> = {
  wall: 'slice',
  cpu: 'slice.cpu',
  stalls: 'slice.stalls',
  stalled: 'slice.stalled',
  switches: 'slice.switches',
};

export const SLICE_SOURCES = SLICE_METRICS.map((name) => SOURCES[name]);

/** What a metric's `from` names of slices; null where it names something else. */
export function sliceOf(from: unknown): SliceMetric | null {
  return SLICE_METRICS.find((name) => SOURCES[name] === from) ?? null;
}

/** Those that may well be zero have no ratio. */
export const SLICE_UNITS: Readonly<
  Record<SliceMetric, { readonly unit: string; readonly kind: 'ratio' | 'difference' }>
> = {
  wall: { unit: 'ns', kind: 'ratio' },
  cpu: { unit: 'ns', kind: 'ratio' },
  stalls: { unit: 'slices', kind: 'difference' },
  stalled: { unit: '%', kind: 'difference' },
  switches: { unit: 'switches', kind: 'difference' },
};

/** The metrics of an experiment that names none; the first is primary. */
export function defaultMetrics(
  slices: SlicesDocument | undefined,
): readonly { readonly name: string; readonly from?: string }[] {
  if (!isSliced(slices)) return SYSTEM_METRICS.map((name) => ({ name }));
  return [
    { name: 'wall', from: SOURCES.wall },
    { name: 'cpu', from: SOURCES.cpu },
    { name: 'stalls', from: SOURCES.stalls },
    { name: 'max_rss' },
  ];
}
