/** The environment of a subject: nothing of the user's but PATH and what the experiment names. */
import { join } from 'node:path';
import type { Arm, Experiment } from '../experiment/experiment.ts';
import { expand } from '../experiment/placeholders.ts';

/** Variables of a trial. HOME and TMPDIR are empty directories of the trial; an arm's own variables win. */
export function subjectEnvironment(
  experiment: Experiment,
  arm: Arm,
  values: Readonly<Record<string, string>>,
  place: string,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const { workload } = experiment;
  const passed = ['PATH', ...workload.pass_env].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const named = Object.entries({ ...workload.env, ...arm.env }).map(
    ([name, template]) => [name, expand(template, values)] as const,
  );
  return {
    LC_ALL: 'C',
    TZ: 'UTC',
    HOME: join(place, 'home'),
    TMPDIR: join(place, 'tmp'),
    ...Object.fromEntries(passed),
    ...Object.fromEntries(named),
  };
}
