import type { Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';

/** A command is a list of words, or with `shell: true` one text. */
export function* shellRule(
  { draft, troubled }: Reading,
  path: Path,
  command: string | readonly unknown[] | undefined,
): Generator<Fault> {
  if (command === undefined || troubled(['workload', 'shell'])) return;
  const shell = draft.workload?.shell === true;
  if (typeof command === 'string' && !shell) {
    const message =
      'expected a list of words, `[program, argument, …]`, not one text: only with `shell: true` in `workload` is a text given to a shell';
    yield { path, at: 'value', message };
  }
  if (typeof command !== 'string' && shell) {
    yield { path, at: 'value', message: 'with `shell: true` a command is one text, not a list of words' };
  }
  if (typeof command === 'string' && command.trim() === '')
    yield { path, at: 'value', message: 'the command is empty' };
  if (typeof command === 'string') return;
  if (command[0] === '') yield { path: [...path, 0], at: 'value', message: 'the name of the program is empty' };
}
