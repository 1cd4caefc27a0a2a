/** Whether values are divided by the operations that the driver says it did: a number in an experiment may be another. */
import type { Experiment } from '../experiment/experiment.ts';
import { DECLARED_OPERATIONS } from '../experiment/operations.ts';
import type { TrialRecord } from '../journal/records.ts';

/** What was divided by another number. */
export interface OtherOperations {
  readonly per: number;
  readonly declared: number;
  /** Names of metrics; of a counted trial `instructions`. */
  readonly divided: readonly string[];
}

/** By each number that the experiment has for `per`; nothing where the driver declares no operations. */
export function otherOperations(
  { metrics, counting }: Pick<Experiment, 'metrics' | 'counting'>,
  trial: TrialRecord,
): readonly OtherOperations[] {
  const declared = trial.operations[DECLARED_OPERATIONS];
  if (declared === undefined) return [];
  const { metrics: values, counted } = trial;
  const found = new Map<number, string[]>();
  const divide = (name: string, per: Experiment['metrics'][number]['per'] | undefined) => {
    if (typeof per !== 'number' || per === declared) return;
    found.set(per, [...(found.get(per) ?? []), name]);
  };
  for (const { name, per } of metrics) {
    if (Object.hasOwn(values, name) && values[name] !== null) divide(name, per);
  }
  if (counted !== null) divide('instructions', counting?.per);
  return [...found].map(([per, divided]) => ({ per, declared, divided }));
}

/** For a message; `declared` in words, since trials may differ. */
export function otherOperationsText(
  { per, divided }: Pick<OtherOperations, 'per' | 'divided'>,
  declared: string,
): { readonly message: string; readonly remedy: string } {
  const [first = '', ...rest] = divided;
  const named = rest.length === 0 ? `${first} is` : `${divided.join(', ')} are`;
  return {
    message: `NOT PER OPERATION: ${named} divided by ${per}, but the driver says that a trial did ${declared} operations.`,
    remedy: `Write per: ${DECLARED_OPERATIONS} in the experiment; where something else is meant, let per say where the result line has that.`,
  };
}
