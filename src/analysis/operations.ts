/** Warnings about what values are divided by: another number than the driver did, or not the same in all trials. */
import type { Experiment } from '../experiment/experiment.ts';
import type { Journal, TrialRecord } from '../journal/records.ts';
import { otherOperations, otherOperationsText } from '../plan/operations.ts';
import { isOtherWork } from '../plan/phase-setting.ts';
import type { CountRange, Warning } from './analysis.ts';
import { rangeOf } from './stats/moments.ts';
import { listed } from './wording.ts';

const MOST_NAMED = 5;

/** Of all trials that did not fail, whatever their phase. Linear in their number. */
export function operationWarnings({ run, trials }: Journal): readonly Omit<Warning, 'metric'>[] {
  return [...otherNumbers(run.experiment, trials), ...unequalWork(run.experiment, trials)];
}

function otherNumbers(experiment: Experiment, trials: readonly TrialRecord[]) {
  const found = new Map<string, { readonly per: number; readonly divided: readonly string[]; declared: number[] }>();
  for (const trial of trials) {
    if (trial.failure !== null) continue;
    for (const { per, divided, declared } of otherOperations(experiment, trial)) {
      const key = JSON.stringify([per, divided]);
      const group = found.get(key);
      if (group === undefined) found.set(key, { per, divided, declared: [declared] });
      else group.declared.push(declared);
    }
  }
  return [...found.values()].map(({ declared, ...rest }) => ({
    code: 'other-operations',
    ...otherOperationsText(rest, rangeText(rangeOf(declared))),
  }));
}

/** Where the trials say themselves how many operations they did, nothing else tells that one did more than another. */
function unequalWork({ metrics, arms, sides }: Experiment, trials: readonly TrialRecord[]) {
  const apart = new Set(['counting', ...sides.filter(isOtherWork).map(({ name }) => name)]);
  const pointers = new Set(
    metrics.flatMap(({ per }) => (typeof per === 'object' && per !== null ? [per.pointer] : [])),
  );
  if (pointers.size === 0) return [];
  const alike = trials.filter(({ failure, phase }) => failure === null && !apart.has(phase));
  return [...pointers].flatMap((pointer) => {
    const byArm = arms.flatMap(({ name }) => {
      const own = alike.filter(({ arm }) => arm === name).map(({ operations }) => operations[pointer]);
      const known = own.filter((count) => count !== undefined);
      return known.length === 0 ? [] : [{ name, range: rangeOf(known) }];
    });
    const all = rangeOf(byArm.flatMap(({ range }) => [range.lowest, range.highest]));
    if (all.lowest === all.highest) return [];
    const told = byArm.map(({ name, range }) => `${name} ${rangeText(range)}`);
    return [
      {
        code: 'unequal-operations',
        message: `Not every trial did as many operations (${pointer}): ${listed(told, MOST_NAMED)}. Values per operation of more and of less work are compared.`,
        remedy: `Let all trials do the same work; a check of equality on ${pointer} fails a run in which they do not.`,
      },
    ];
  });
}

function rangeText({ lowest, highest }: CountRange): string {
  return lowest === highest ? String(lowest) : `${lowest} to ${highest}`;
}
