/** Rules about what is counted. */
import { COUNTERS_VARIABLE, counterMode, counterOf, isCountedBy } from './counters.ts';
import { rulesIn } from './design-rules.ts';
import type { Draft, Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { isSliced } from './slices.ts';

export function* counterRules({ draft, document }: Reading): Generator<Fault> {
  yield* variableRules(draft);
  // A word that the schema refused may be meant for any.
  if (draft.counters === undefined && document.has(['counters'])) return;
  const counters = counterMode(draft.counters, document.has(['workload', 'driver']), isSliced(draft.design?.slices));
  for (const [index, metric] of (draft.metrics ?? []).entries()) {
    const counter = counterOf(metric?.from);
    if (counter === null || (counters !== 'off' && isCountedBy(counters, counter))) continue;
    const kind = isCountedBy('hardware', counter) ? 'hardware' : 'software';
    const message = `\`${counter}\` is counted with \`counters: ${kind}\`, and here they are \`${counters}\``;
    yield { path: ['metrics', index, 'from'], at: 'value', message };
  }
  const [base, rules] = rulesIn(draft);
  for (const [index, rule] of rules.entries()) {
    if (rule?.fact !== 'counter_share' || counters !== 'off') continue;
    const message = 'nothing is counted here: say `counters: hardware`, or take the rule away';
    yield { path: [...base, index, 'fact'], at: 'value', message };
  }
}

/** What is counted must not differ between the arms, nor from what the experiment says. */
function* variableRules(draft: Draft): Generator<Fault> {
  const fault = (path: Path, message: string): Fault => ({ path, at: 'value', message });
  for (const [name, arm] of Object.entries(draft.arms ?? {})) {
    if (arm?.env?.[COUNTERS_VARIABLE] === undefined) continue;
    yield fault(['arms', name, 'env', COUNTERS_VARIABLE], 'what is counted is the same in all arms: say `counters`');
  }
  const passed = draft.workload?.pass_env?.indexOf(COUNTERS_VARIABLE) ?? -1;
  if (passed >= 0) yield fault(['workload', 'pass_env', passed], 'the experiment says what is counted: `counters`');
  const said = draft.workload?.env?.[COUNTERS_VARIABLE];
  if (said === undefined) return;
  const counters = counterMode(draft.counters, draft.workload?.driver !== undefined, isSliced(draft.design?.slices));
  if (said !== counters) {
    const path = ['workload', 'env', COUNTERS_VARIABLE];
    yield fault(path, `this is what \`counters\` says, and that is \`${counters}\``);
  }
}
