/** What a run would miss at once. */
import { checkLocalSource } from '../arms/git/find.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError, type Failure } from '../failures.ts';

type ArmFailure = Extract<Failure, { kind: 'arm' }>;

/**
 * Repositories on this machine, or revisions of them, that are not there. They are only read, and no other place is asked. Each is
 * told once, of the first arm that it is missing for.
 * @param directory of the experiment, absolute
 */
export async function missingSources(
  { arms }: Experiment,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly ArmFailure[]> {
  const missing = new Map<string, ArmFailure>();
  for (const { name, source } of arms) {
    if (source.kind !== 'git') continue;
    await checkLocalSource(name, source, directory, env).catch((error: unknown) => {
      if (!(error instanceof AssayError) || error.failure.kind !== 'arm') throw error;
      const { failure } = error;
      if (!missing.has(failure.message)) missing.set(failure.message, failure);
    });
  }
  return [...missing.values()];
}
