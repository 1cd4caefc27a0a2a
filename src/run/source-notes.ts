/** What of its sources a run would miss at once, or not have in it. */
import { checkLocalSource } from '../arms/git/find.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';

export interface SourceNote {
  /** Null: of all arms of that revision. */
  readonly arm: string | null;
  readonly message: string;
  readonly remedy: string;
}

/**
 * Repositories on this machine, or revisions of them, that are not there, and changes in their work trees that are not committed. They are
 * only read, and no other place is asked. Each is told once, of the first arm that it is missing for.
 * @param directory of the experiment, absolute
 */
export async function sourceNotes(
  { arms }: Experiment,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly SourceNote[]> {
  const notes = new Map<string, SourceNote>();
  const note = (one: SourceNote) => notes.set(one.message, notes.get(one.message) ?? one);
  for (const { name, source } of arms) {
    if (source.kind !== 'git') continue;
    try {
      const warnings = await checkLocalSource(name, source, directory, env);
      for (const { message, remedy } of warnings) note({ arm: null, message, remedy });
    } catch (error) {
      if (!(error instanceof AssayError) || error.failure.kind !== 'arm') throw error;
      const { message, remedy } = error.failure;
      note({ arm: name, message, remedy });
    }
  }
  return [...notes.values()];
}
