/** Rules about the design, the machine and rejection. */
import type { Draft, Reading } from './draft.ts';
import { exactlyOne } from './exactly-one.ts';
import type { RejectionFact } from './experiment.ts';
import type { Fault, Path } from './fault.ts';
import { listed, suggestion } from './nearest.ts';

type DraftRule = NonNullable<Extract<Draft['reject'], readonly unknown[]>[number]>;

/** No CPU is this slow: a smaller number is meant in MHz or GHz. */
const LEAST_HZ = 1e6;

export function* designRules(reading: Reading): Generator<Fault> {
  const { draft, document } = reading;
  const arms = confirmationArms(reading);
  for (const phase of ['screening', 'confirmation'] as const) {
    for (const unit of ['pairs', 'sessions'] as const) {
      yield* evenRule(['design', phase, unit], draft.design?.[phase]?.[unit], arms.length);
    }
  }
  const known = document.keysAt(['arms']);
  yield* armListRules(['design', 'confirmation', 'arms'], draft.design?.confirmation?.arms ?? [], known);
  yield* buildsRule(reading, arms);
  if (draft.design?.order === 'mirrored' && arms.length === 2) {
    const message = 'two arms run in balanced pairs, of which half are the other way round: leave this out';
    yield { path: ['design', 'order'], at: 'value', message };
  }
  yield* sequentialRules(reading, arms);
}

/** Looks come at equal counts of both orders, of pairs that are the unit of the interval. */
function* sequentialRules({ draft, document }: Reading, arms: readonly string[]): Generator<Fault> {
  const { sequential, builds } = draft.design ?? {};
  if (sequential === undefined) return;
  const path: Path = ['design', 'sequential'];
  for (const end of ['min', 'max'] as const) yield* evenRule([...path, end], sequential[end], 2);
  const { min, max } = sequential;
  if (min !== undefined && max !== undefined && max < min) {
    yield { path: [...path, 'max'], at: 'value', message: `this is less than the ${min} pairs of the first look` };
  }
  for (const unit of ['pairs', 'sessions']) {
    const fixed: Path = ['design', 'confirmation', unit];
    if (!document.has(fixed)) continue;
    yield {
      path: fixed,
      at: 'key',
      message: `a run has a fixed number of ${unit} or is sequential: leave one of the two out`,
    };
  }
  if (arms.length > 2) {
    const message = 'a sequential run compares two arms: name them in `confirmation: {arms: [before, after]}`';
    yield { path, at: 'key', message };
  }
  if ((builds ?? 1) > 1) {
    const message =
      'of several builds the build is the unit, and their number is fixed: leave `builds` or `sequential` out';
    yield { path, at: 'key', message };
  }
}

/** The arms of the confirmation, in the order of the file: those that it names and that there are, else all. */
export function confirmationArms({ draft, document }: Reading): readonly string[] {
  const known = document.keysAt(['arms']);
  const chosen = draft.design?.confirmation?.arms;
  return chosen === undefined ? known : known.filter((arm) => chosen.includes(arm));
}

function* buildsRule({ draft, document }: Reading, arms: readonly string[]): Generator<Fault> {
  if ((draft.design?.builds ?? 1) === 1 || document.has(['workload', 'driver'])) return;
  const isBuilt = (arm: string) => document.has(['arms', arm, 'git']) || document.has(['arms', arm, 'of']);
  const others = arms.filter((arm) => document.has(['arms', arm]) && !isBuilt(arm));
  if (others.length === 0) return;
  const message = `${listed(others)} cannot be built again: several builds need \`git\` arms, or a driver that Assay compiles`;
  yield { path: ['design', 'builds'], at: 'value', message };
}

/** Of two arms, each runs first equally often. */
export function* evenRule(path: Path, pairs: number | undefined, arms: number): Generator<Fault> {
  if (pairs === undefined || arms !== 2 || pairs % 2 === 0) return;
  const advice = pairs === 1 ? 'use 2' : `use ${pairs - 1} or ${pairs + 1}`;
  const what = path.at(-1) === 'sessions' ? 'sessions' : 'pairs';
  yield { path, at: 'value', message: `${what} run AB as often as BA, so their number is even: ${advice}` };
}

/** A list of different arms of the file. */
export function* armListRules(
  path: Path,
  arms: readonly (string | undefined)[],
  known: readonly string[],
): Generator<Fault> {
  for (const [index, arm] of arms.entries()) {
    if (arm === undefined) continue;
    const at = { path: [...path, index], at: 'value' } as const;
    if (!known.includes(arm)) yield { ...at, message: `no arm is named \`${arm}\`: ${suggestion(arm, known)}` };
    else if (arms.indexOf(arm) < index) yield { ...at, message: `\`${arm}\` stands here twice` };
  }
}

export function* machineRules({ draft }: Reading): Generator<Fault> {
  const { cpu, orchestrator_cpu } = draft.machine ?? {};
  if (cpu !== undefined && cpu === orchestrator_cpu) {
    const message = 'this is the CPU of the trials: Assay would disturb them';
    yield { path: ['machine', 'orchestrator_cpu'], at: 'value', message };
  }
}

export function* rejectRules(reading: Reading): Generator<Fault> {
  const [base, rules] = rulesIn(reading.draft);
  for (const [index, rule] of rules.entries()) {
    if (rule === undefined) continue;
    const path: Path = [...base, index];
    yield* exactlyOne(reading, path, ['above', 'below']);
    for (const side of ['above', 'below'] as const) {
      const message = limitFault(rule.fact, rule[side]);
      if (message !== null) yield { path: [...path, side], at: 'value', message };
    }
  }
}

/** A limit in the wrong unit would reject nothing, or everything, without a word. */
function limitFault(fact: RejectionFact | undefined, limit: number | string | undefined): string | null {
  if (fact === 'frequency_hz') {
    if (typeof limit === 'string') return 'a frequency is a number of Hz, not a percentage';
    return limit !== undefined && limit < LEAST_HZ ? 'a frequency is a number of Hz, such as 2.5e9' : null;
  }
  if (fact === 'steal' && typeof limit === 'number' && limit >= 1) {
    return `${limit} is ${100 * limit} % of a CPU: did you mean \`${limit}%\`?`;
  }
  if (fact === 'counter_share' && typeof limit === 'number' && limit > 1) {
    return `a share is at most 1: did you mean \`${limit}%\`?`;
  }
  return null;
}

/** The rules, and where they stand: a list of rules will do for the map. */
export function rulesIn(draft: Draft): readonly [Path, readonly (DraftRule | undefined)[]] {
  const { reject } = draft;
  return isList(reject) ? [['reject'], reject] : [['reject', 'rules'], reject?.rules ?? []];
}

function isList<Item>(value: readonly Item[] | object | undefined): value is readonly Item[] {
  return Array.isArray(value);
}
