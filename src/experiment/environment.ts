import type { Arm, Experiment } from './experiment.ts';
import { expand } from './placeholders.ts';

/**
 * The variables of an arm's trials that the experiment decides: PATH and what `pass_env` names from Assay's own, over them
 * those of the workload, over them those of the arm.
 * @param values what placeholders stand for
 * @param own Assay's own environment
 */
export function namedEnvironment(
  { workload }: Pick<Experiment, 'workload'>,
  arm: Arm,
  values: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = ['PATH', ...workload.pass_env].flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const named = Object.entries({ ...workload.env, ...arm.env }).map(
    ([name, template]) => [name, expand(template, values)] as const,
  );
  return Object.fromEntries([...passed, ...named]);
}
