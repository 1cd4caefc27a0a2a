/** Rules about the design, the machine and rejection. */
import type { Draft, Reading } from './draft.ts';
import { exactlyOne } from './exactly-one.ts';
import type { RejectionFact } from './experiment.ts';
import type { Fault, Path } from './fault.ts';

type DraftRule = NonNullable<Extract<Draft['reject'], readonly unknown[]>[number]>;

/** No CPU is this slow: a smaller number is meant in MHz or GHz. */
const LEAST_HZ = 1e6;

export function* designRules({ draft, document }: Reading): Generator<Fault> {
  if (document.keysAt(['arms']).length !== 2) return;
  for (const phase of ['screening', 'confirmation'] as const) {
    const pairs = draft.design?.[phase]?.pairs;
    if (pairs === undefined || pairs % 2 === 0) continue;
    const advice = pairs === 1 ? 'use 2' : `use ${pairs - 1} or ${pairs + 1}`;
    const message = `pairs run AB as often as BA, so their number is even: ${advice}`;
    yield { path: ['design', phase, 'pairs'], at: 'value', message };
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
