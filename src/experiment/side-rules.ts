/** Rules about controls, and about comparisons beside the confirmation. */
import { rebuildAmong, rebuiltName, sameName } from './again.ts';
import { COUNTER_EVENTS, counterMode, counterOf } from './counters.ts';
import { armListRules, confirmationArms, evenRule } from './design-rules.ts';
import type { Draft, Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { listed, suggestion } from './nearest.ts';
import { shellRule } from './shell-rule.ts';
import { defaultMetrics, isSliced } from './slices.ts';

/** Phases of every experiment: no other may have their names. */
const RESERVED = ['warmup', 'screening', 'confirmation', 'counting'];
const MOST_SIDES = 50;
/** Folders of trials are called by phase, block, position and arm: a name must not look like several of these. */
const LIKE_A_PLACE = /-[0-9]{4,}-[0-9]+(?:-|$)/;

type DraftControl = NonNullable<NonNullable<Draft['controls']>[string]>;
type DraftComparison = NonNullable<NonNullable<Draft['comparisons']>[string]>;

export function* sideRules(reading: Reading): Generator<Fault> {
  yield* nameRules(reading);
  for (const [name, control] of Object.entries(reading.draft.controls ?? {})) {
    if (control !== undefined) yield* controlRules(reading, ['controls', name], control);
  }
  for (const [name, comparison] of Object.entries(reading.draft.comparisons ?? {})) {
    if (comparison !== undefined) yield* comparisonRules(reading, ['comparisons', name], comparison);
  }
  yield* unusedArms(reading);
}

function* nameRules({ document }: Reading): Generator<Fault> {
  const controls = document.keysAt(['controls']);
  for (const section of ['controls', 'comparisons'] as const) {
    const names = document.keysAt([section]);
    if (names.length > MOST_SIDES) {
      yield { path: [section], at: 'key', message: `expected at most ${MOST_SIDES} ${section}, not ${names.length}` };
    }
    for (const name of names) {
      const fault = (message: string): Fault => ({ path: [section, name], at: 'key', message });
      if (RESERVED.includes(name)) {
        yield fault(`\`${name}\` is a part of every run: give this another name`);
      } else if (section === 'comparisons' && controls.includes(name)) {
        yield fault(`a control is named \`${name}\` too: give one of them another name`);
      } else if (LIKE_A_PLACE.test(name)) {
        yield fault('folders of trials have such endings: take the numbers out of the name');
      }
    }
  }
}

const KINDS = ['same', 'rebuild', 'counters', 'metric', 'params', 'command'] as const;

function* controlRules(reading: Reading, path: Path, control: DraftControl): Generator<Fault> {
  const { document, hasUnknownKey, draft } = reading;
  const has = (key: string) => document.has([...path, key]);
  const fault = (key: string, message: string, at: Fault['at'] = 'value'): Fault => ({
    path: [...path, key],
    at,
    message,
  });
  const found = KINDS.filter(has);
  const [first] = found;
  const second = found.find((kind) => kind !== first && !(first === 'params' && kind === 'command'));
  if (second !== undefined)
    yield fault(second, `only one of ${listed(found)} can be here: a control has one reason`, 'key');
  if (first === undefined && !has('metrics') && !hasUnknownKey(path)) {
    yield { path, at: 'value', message: `expected one of ${listed(KINDS, 'or')}` };
  }
  const isOther = has('params') || has('command');
  if (has('metrics') && !isOther && !hasUnknownKey(path)) {
    yield fault(
      'metrics',
      '`metrics` belongs to a control with `params` or a `command`: all others read all metrics',
      'key',
    );
  }
  if (has('metric') && has('pairs')) {
    yield fault(
      'pairs',
      'a `metric` of the confirmation has no trials of its own, so that there are no `pairs`',
      'key',
    );
  }
  const arms = has('same') || has('rebuild') ? 2 : confirmationArms(reading).length;
  yield* evenRule([...path, 'pairs'], control.pairs, arms);
  yield* evenRule([...path, 'sessions'], control.sessions, arms);

  yield* namedArm(reading, [...path, 'same'], control.same);
  yield* namedArm(reading, [...path, 'rebuild'], control.rebuild);
  yield* implicitArm(reading, path, control);
  if (control.counters !== undefined) {
    yield* uncountedRule(reading, [...path, 'counters']);
    if (document.has(['design', 'sequential'])) {
      yield fault(
        'counters',
        'this compares two effects of fixed numbers of pairs: leave it or `sequential` out',
        'key',
      );
    }
  }
  const names = metricNames(reading);
  if (names !== null) {
    for (const [index, name] of control.metrics?.entries() ?? []) {
      yield* metricRule([...path, 'metrics', index], name, names);
      if (name !== undefined && (control.metrics?.indexOf(name) ?? index) < index) {
        yield { path: [...path, 'metrics', index], at: 'value', message: `\`${name}\` stands here twice` };
      }
    }
    yield* metricRule([...path, 'metric'], control.metric, names);
  }
  if (control.metric !== undefined && primaryNames(draft).includes(control.metric)) {
    const message = `\`${control.metric}\` is what the change is judged by (primary): a control is a metric that it cannot touch`;
    yield fault('metric', message);
  }
  if (control.command !== undefined) yield* shellRule(reading, [...path, 'command'], control.command);
}

function* comparisonRules(reading: Reading, path: Path, comparison: DraftComparison): Generator<Fault> {
  const arms = comparison.arms ?? [];
  const known = reading.document.keysAt(['arms']);
  yield* armListRules([...path, 'arms'], arms, known);
  yield* evenRule([...path, 'blocks'], comparison.blocks, arms.length);
  if (comparison.counters !== undefined) yield* offRule(reading, [...path, 'counters']);
  if (arms.length < 2) return;
  const names = [...new Set(arms.filter((arm) => arm !== undefined))];
  for (const [arm, reference] of Object.entries(comparison.against ?? {})) {
    const at: Path = [...path, 'against', arm];
    if (!names.includes(arm)) {
      yield { path: at, at: 'key', message: `\`${arm}\` is no arm of this comparison: ${suggestion(arm, names)}` };
    } else if (arm === names[0]) {
      const message = `\`${arm}\` stands first and is the reference: it is compared with nothing`;
      yield { path: at, at: 'key', message };
    }
    if (reference === undefined) continue;
    if (reference === arm) yield { path: at, at: 'value', message: 'an arm is not compared with itself' };
    else if (!names.includes(reference)) {
      const message = `\`${reference}\` is no arm of this comparison: ${suggestion(reference, names)}`;
      yield { path: at, at: 'value', message };
    }
  }
}

function* namedArm({ document }: Reading, path: Path, arm: string | undefined): Generator<Fault> {
  const known = document.keysAt(['arms']);
  if (arm === undefined || known.includes(arm)) return;
  yield { path, at: 'value', message: `no arm is named \`${arm}\`: ${suggestion(arm, known)}` };
}

/** The second side of a control is an arm of the file, or one that gets a name of its own. */
function* implicitArm({ document, draft }: Reading, path: Path, { same, rebuild }: DraftControl): Generator<Fault> {
  const known = document.keysAt(['arms']);
  const taken = (key: string, name: string, what: string): Fault => ({
    path: [...path, key],
    at: 'value',
    message: `${what} is called \`${name}\` in this control, and an arm of the file has that name: give that another one`,
  });
  if (same !== undefined && known.includes(sameName(same))) yield taken('same', sameName(same), 'its second side');
  if (rebuild === undefined || !known.includes(rebuild)) return;
  if (!document.has(['arms', rebuild, 'git']) && !document.has(['arms', rebuild, 'of'])) {
    const message = `\`${rebuild}\` is no \`git\` arm: there is no source of it that could be built again`;
    yield { path: [...path, 'rebuild'], at: 'value', message };
  } else if (rebuildAmong(draft.arms ?? {}, known, rebuild) === null && known.includes(rebuiltName(rebuild))) {
    yield taken('rebuild', rebuiltName(rebuild), 'what is built again');
  }
}

function* offRule({ draft, document }: Reading, path: Path): Generator<Fault> {
  if (draft.counters === undefined && document.has(['counters'])) return;
  if (counterMode(draft.counters, document.has(['workload', 'driver']), isSliced(draft.design?.slices)) !== 'off')
    return;
  yield {
    path,
    at: 'value',
    message: 'nothing is counted in this experiment anyway: take this away, or say `counters`',
  };
}

function* uncountedRule(reading: Reading, path: Path): Generator<Fault> {
  yield* offRule(reading, path);
  const { metrics } = reading.draft;
  if (metrics === undefined || reading.troubled(['metrics'])) return;
  const marked = metrics.filter((metric) => metric?.primary === true);
  const primary = marked.length > 0 ? marked : metrics.slice(0, 1);
  if (primary.some((metric) => counterOf(metric?.from) === null)) return;
  const message = 'without counters none of the primary metrics is there: all of them are counted';
  yield { path, at: 'value', message };
}

function* metricRule(path: Path, name: string | undefined, names: readonly string[]): Generator<Fault> {
  if (name === undefined || names.includes(name)) return;
  yield { path, at: 'value', message: `no metric is named \`${name}\`: ${suggestion(name, names)}` };
}

/** Metrics of the file, and those that counters bring along; null where not all are known. */
function metricNames({ draft, document, troubled }: Reading): readonly string[] | null {
  if (troubled(['metrics']) || troubled(['counters'])) return null;
  const named = draft.metrics ?? defaultMetrics(draft.design?.slices);
  const counters = counterMode(draft.counters, document.has(['workload', 'driver']), isSliced(draft.design?.slices));
  const counted = counters === 'off' ? [] : COUNTER_EVENTS[counters].map(({ name }) => name);
  const own = named.map((metric) => counterOf(metric?.from));
  return [
    ...named.flatMap((metric) => metric?.name ?? []),
    ...counted.filter((name) => !own.includes(name) && !named.some((metric) => metric?.name === name)),
  ];
}

function primaryNames(draft: Draft): readonly string[] {
  const metrics =
    draft.metrics ?? defaultMetrics(draft.design?.slices).map(({ name }) => ({ name, primary: undefined }));
  const marked = metrics.filter((metric) => metric?.primary === true);
  return (marked.length > 0 ? marked : metrics.slice(0, 1)).flatMap((metric) => metric?.name ?? []);
}

/** Where the confirmation names its arms, all others have their place in a control or a comparison. */
function* unusedArms(reading: Reading): Generator<Fault> {
  const { draft, document, troubled } = reading;
  const known = document.keysAt(['arms']);
  const chosen = draft.design?.confirmation?.arms;
  if (chosen === undefined || [['design'], ['controls'], ['comparisons'], ['arms']].some(troubled)) return;
  const controls = Object.values(draft.controls ?? {});
  const used = new Set<string | undefined>([
    ...chosen,
    ...Object.values(draft.comparisons ?? {}).flatMap((comparison) => comparison?.arms ?? []),
    ...controls.flatMap((control) => [control?.same, control?.rebuild]),
    ...controls.map((control) => rebuildAmong(draft.arms ?? {}, known, control?.rebuild ?? '') ?? undefined),
  ]);
  for (const arm of known) {
    if (used.has(arm)) continue;
    const message = `\`${arm}\` never runs: it is not among the arms of the confirmation, and in no control or comparison`;
    yield { path: ['arms', arm], at: 'key', message };
  }
}
