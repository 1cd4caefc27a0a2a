/** What each check found: one value in all trials says more than that nothing failed. */
import type { ReportInput } from './input.ts';
import { counted } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

const LONGEST = 120;

/** One line a check, in the order in which they were first made. */
export function checkLines({ journal }: ReportInput, escaping: Escaping): readonly string[] {
  const found = new Map<string, { trials: number; details: Set<string> }>();
  for (const { name, ok, detail } of journal.trials.flatMap(({ checks }) => checks)) {
    const one = found.get(name) ?? { trials: 0, details: new Set<string>() };
    found.set(name, one);
    if (!ok) continue;
    one.trials += 1;
    one.details.add(detail);
  }
  return [...found].map(([name, { trials, details }]) => {
    const words = { check: escaping.name(name), trials: counted(trials, 'trial') };
    const [only = ''] = details;
    if (details.size > 1) return say('checks.various', { ...words, values: String(details.size) });
    return only === ''
      ? say('checks.passed', words)
      : say('checks.same', { ...words, detail: escaping.prose(cut(only)) });
  });
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST).join('')}…`;
}
