/** Rules about work in turns: what does not go together with it, and what needs it. */
import { COUNTERS_VARIABLE, counterOf } from './counters.ts';
import { confirmationArms } from './design-rules.ts';
import type { Draft, Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { systemMetric } from './measurement-rules.ts';
import { parseFraction, parseNanoseconds } from './quantities.ts';
import { isSliced, MOST_QUADS, SLICE_DEFAULTS, sliceOf } from './slices.ts';
import { toolSourceOf } from './tool-source.ts';

/** Slices of a session, at least: of each arm a few. */
const LEAST_SLICES = 8;

export function* sliceRules(reading: Reading): Generator<Fault> {
  const { draft, document } = reading;
  // A word that the schema refused may be meant for slices, and may not.
  if (draft.design?.slices === undefined && document.has(['design', 'slices'])) return;
  yield* screeningRule(reading);
  yield* countRules(draft, isSliced(draft.design?.slices));
  yield* metricRules(draft, isSliced(draft.design?.slices));
  if (!isSliced(draft.design?.slices)) return;
  yield* lengthRules(draft);
  yield* armRules(reading);
  yield* counterRules(reading);
}

/** A screening of nothing is a mistake. */
function* screeningRule({ draft, document, troubled }: Reading): Generator<Fault> {
  const path: Path = ['design', 'screening'];
  const { screening, slices } = draft.design ?? {};
  if (screening === undefined || troubled(path) || document.has([...path, 'pairs'])) return;
  if (document.has([...path, 'sessions'])) return;
  const unit = isSliced(slices) ? 'sessions' : 'pairs';
  yield { path, at: 'key', message: `\`${unit}\` is missing: expected a whole number from 0 to 10000` };
}

/** What is counted in pairs elsewhere is counted in sessions here. */
function* countRules(draft: Draft, sliced: boolean): Generator<Fault> {
  const places: readonly (readonly [Path, { readonly pairs?: unknown; readonly sessions?: unknown } | undefined])[] = [
    [['design', 'screening'], draft.design?.screening],
    [['design', 'confirmation'], draft.design?.confirmation],
    ...Object.entries(draft.controls ?? {}).map(([name, control]) => [['controls', name], control] as const),
  ];
  for (const [path, said] of places) {
    if (sliced && said?.pairs !== undefined) {
      const message = `with \`slices\` a pair is a session: say \`sessions: ${said.pairs}\``;
      yield { path: [...path, 'pairs'], at: 'key', message };
    }
    if (!sliced && said?.sessions !== undefined) {
      const message = `\`sessions\` need \`slices\` in the design: say \`pairs: ${said.sessions}\`, or \`design: {slices: true}\``;
      yield { path: [...path, 'sessions'], at: 'key', message };
    }
  }
}

function* metricRules(draft: Draft, sliced: boolean): Generator<Fault> {
  for (const [index, metric] of draft.metrics?.entries() ?? []) {
    if (metric === undefined) continue;
    const path: Path = ['metrics', index];
    const isSlice = sliceOf(metric.from) !== null;
    const isCount = counterOf(metric.from) !== null;
    if (isSlice && !sliced) {
      const message = `there are no slices in this experiment: say \`design: {slices: true}\``;
      yield { path: [...path, 'from'], at: 'value', message };
    }
    if (sliced && toolSourceOf(metric.from) !== null) {
      const message =
        'the output of another tool tells of a whole process, set-up and preludes with it: with `slices` a metric is `from: slice`, or a pointer into the result line';
      yield { path: [...path, 'from'], at: 'value', message };
    }
    if ((isSlice || (sliced && isCount)) && metric.per !== undefined) {
      const message = 'what slices tell is of one operation, or of the session, already: take `per` away';
      yield { path: [...path, 'per'], at: 'key', message };
    }
    if (sliced && metric.name !== undefined && systemMetric(metric) === 'wall') {
      const message =
        'the process of an arm waits while the other works: the wall time of an operation is `from: slice`';
      yield { path: metric.from === undefined ? [...path, 'name'] : [...path, 'from'], at: 'value', message };
    }
  }
}

function* lengthRules({ design }: Draft): Generator<Fault> {
  const slices = design?.slices;
  if (typeof slices === 'object') {
    const slice = parseNanoseconds(slices.length ?? SLICE_DEFAULTS.length) ?? 0;
    const session = parseNanoseconds(slices.session ?? SLICE_DEFAULTS.session) ?? Number.POSITIVE_INFINITY;
    if (slice * LEAST_SLICES > session) {
      const key = slices.length === undefined ? 'session' : 'length';
      const message = `a session has at least ${LEAST_SLICES} slices: give it more time, or make a slice shorter`;
      yield { path: ['design', 'slices', key], at: 'value', message };
    }
    if (session / slice > 4 * MOST_QUADS && Number.isFinite(session)) {
      const key = slices.session === undefined ? 'length' : 'session';
      const message = `a session has at most ${4 * MOST_QUADS} slices: give it less time, and run more of them`;
      yield { path: ['design', 'slices', key], at: 'value', message };
    }
    const prelude = parseFraction(slices.prelude ?? 0) ?? 0;
    if (prelude > 10) {
      const meant = typeof slices.prelude === 'number' ? `: did you mean \`${prelude}%\`?` : '';
      const message = `a prelude of ${100 * prelude} % is ${prelude} times as long as what is measured${meant}`;
      yield { path: ['design', 'slices', 'prelude'], at: 'value', message };
    }
  }
  if (design?.warmup === 0) {
    const message = 'the warm-up finds how long an operation takes: with `slices` it is one session at least';
    yield { path: ['design', 'warmup'], at: 'value', message };
  }
  if (design?.max_gap !== undefined) {
    const message = 'both halves of a session run at the same time: there is no gap, and `max_gap` has no meaning';
    yield { path: ['design', 'max_gap'], at: 'key', message };
  }
}

function* armRules(reading: Reading): Generator<Fault> {
  const { draft, document } = reading;
  const arms = confirmationArms(reading);
  if (arms.length > 2) {
    const message = `a session has two arms, and the confirmation has ${arms.length}: name two, \`confirmation: {arms: [${arms.slice(0, 2).join(', ')}]}\`, and the others in \`comparisons\` of two`;
    yield { path: ['design', 'slices'], at: 'key', message };
  }
  for (const [name, comparison] of Object.entries(draft.comparisons ?? {})) {
    const members = comparison?.arms?.length ?? 0;
    if (members <= 2) continue;
    const message = `a session has two arms, and this comparison has ${members}: make one of each two`;
    yield { path: ['comparisons', name, 'arms'], at: 'value', message };
  }
  if (document.has(['workload', 'shell']) && draft.workload?.shell === true) {
    const message =
      'with `slices` the program itself is told `--serve`, and a shell would keep that: give the command as a list';
    yield { path: ['workload', 'shell'], at: 'value', message };
  }
}

/** Around a process there would be its set-up and its preludes: only the driver knows what is timed. */
function* counterRules({ draft, document, troubled }: Reading): Generator<Fault> {
  const { counters, workload } = draft;
  if (counters === undefined || counters === 'off') return;
  if (document.has(['workload', 'driver']) || troubled(['workload', 'env'])) return;
  if (workload?.env !== undefined && Object.hasOwn(workload.env, COUNTERS_VARIABLE)) return;
  const message = `in slices the driver itself counts, and answers with what it did (docs/slices.md): tell it so, \`workload: {env: {${COUNTERS_VARIABLE}: ${counters}}}\`, or take \`counters\` away`;
  yield { path: ['counters'], at: 'value', message };
}
