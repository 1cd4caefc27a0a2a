/** Rules about arms and what they run. */
import type { Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { suggestion } from './nearest.ts';
import { shellRule } from './shell-rule.ts';
import { sourceRules } from './source-rules.ts';

const MOST_ARMS = 26;

export function* armRules(reading: Reading): Generator<Fault> {
  const { draft, document, hasUnknownKey } = reading;
  const names = document.keysAt(['arms']);
  const chosen = draft.design?.confirmation?.arms;
  if (document.has(['arms']) && draft.arms !== undefined) {
    if (names.length < 2) {
      const found = names.length === 0 ? 'there is none' : `\`${names[0]}\` is the only one`;
      yield { path: ['arms'], at: 'key', message: `expected at least two arms to compare, and ${found}` };
    }
    if (names.length > MOST_ARMS) {
      yield { path: ['arms'], at: 'key', message: `expected at most ${MOST_ARMS} arms, not ${names.length}` };
    }
  }
  if (draft.reference !== undefined && names.length > 0 && !names.includes(draft.reference)) {
    const message = `no arm is named \`${draft.reference}\`: ${suggestion(draft.reference, names)}`;
    yield { path: ['reference'], at: 'value', message };
  } else if (draft.reference !== undefined && chosen !== undefined && !chosen.includes(draft.reference)) {
    const message = `\`${draft.reference}\` is not among the arms of the confirmation, where it would be the reference`;
    yield { path: ['reference'], at: 'value', message };
  }

  const shared = document.has(['workload', 'command']);
  if (shared) yield* shellRule(reading, ['workload', 'command'], draft.workload?.command);
  for (const [name, arm] of Object.entries(draft.arms ?? {})) {
    if (arm === undefined) continue;
    const path: Path = ['arms', name];
    const hasCommand = document.has([...path, 'command']);
    if (hasCommand) {
      yield* shellRule(reading, [...path, 'command'], arm.command);
      if (shared) {
        const message = `the workload has a \`command\`, which is what a trial runs: this one would never run, so take one of the two away`;
        yield { path: [...path, 'command'], at: 'key', message };
      }
    } else if (!shared && !hasUnknownKey(path)) {
      const message = `arm \`${name}\` has nothing to run: give it a \`command\`, or give \`workload\` one for all arms`;
      yield { path, at: 'key', message };
    }
    yield* sourceRules(reading, name, arm);
  }

  const passed = draft.workload?.pass_env ?? [];
  const set = draft.workload?.env ?? {};
  for (const [index, name] of passed.entries()) {
    if (name === undefined) continue;
    const path: Path = ['workload', 'pass_env', index];
    if (Object.hasOwn(set, name)) {
      yield { path, at: 'value', message: `\`${name}\` has a value in \`env\`: it cannot be passed on as well` };
    }
    if (passed.indexOf(name) < index) yield { path, at: 'value', message: `\`${name}\` stands here twice` };
  }
}
