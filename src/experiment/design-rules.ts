/** Rules about the design, the machine and rejection. */
import type { Reading } from './draft.ts';
import { exactlyOne } from './exactly-one.ts';
import type { Fault, Path } from './fault.ts';

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
  const { reject } = reading.draft;
  const base: Path = isList(reject) ? ['reject'] : ['reject', 'rules'];
  const rules = isList(reject) ? reject : (reject?.rules ?? []);
  for (const [index, rule] of rules.entries()) {
    if (rule === undefined) continue;
    const path: Path = [...base, index];
    yield* exactlyOne(reading, path, ['above', 'below']);
    for (const side of ['above', 'below'] as const) {
      if (rule.fact === 'frequency_hz' && typeof rule[side] === 'string') {
        yield { path: [...path, side], at: 'value', message: 'a frequency is a number of Hz, not a percentage' };
      }
    }
  }
}

function isList<Item>(value: readonly Item[] | object | undefined): value is readonly Item[] {
  return Array.isArray(value);
}
