import type { Located } from '../failures.ts';
import { armRules } from './arm-rules.ts';
import { calibrationRules } from './calibration-rules.ts';
import { readChecked } from './checked-document.ts';
import { counterRules } from './counter-rules.ts';
import { countingRules } from './counting-rules.ts';
import { designRules, machineRules, rejectRules } from './design-rules.ts';
import type { Reading } from './draft.ts';
import type { Experiment } from './experiment.ts';
import { EXPERIMENT_FORM, readingWithout } from './experiment-form.ts';
import type { Fault } from './fault.ts';
import { checkRules, decisionRules, metricRules } from './measurement-rules.ts';
import { normalise } from './normalise.ts';
import { experimentSchema } from './schema.ts';
import { sideRules } from './side-rules.ts';
import { sliceRules } from './slice-rules.ts';
import { templateRules } from './template-rules.ts';

export type ReadExperiment =
  | { readonly ok: true; readonly experiment: Experiment }
  /** All that is wrong, in the order of the text. */
  | { readonly ok: false; readonly errors: readonly Located[] };

const RULES: readonly ((reading: Reading) => Iterable<Fault>)[] = [
  armRules,
  templateRules,
  metricRules,
  checkRules,
  designRules,
  machineRules,
  rejectRules,
  counterRules,
  decisionRules,
  countingRules,
  sideRules,
  sliceRules,
  calibrationRules,
];

/**
 * Reads an experiment file: YAML or JSON, checked by the schema and by the rules that look at several places at once.
 * Never throws, whatever the text; time and memory are bounded.
 */
export function readExperiment(text: string): ReadExperiment {
  const read = readChecked(text, EXPERIMENT_FORM, (document, refused) => {
    const reading = readingWithout(document, refused);
    return RULES.flatMap((rule) => [...rule(reading)]);
  });
  if (!read.ok) return read;
  const { document } = read;
  const order = {
    arms: document.keysAt(['arms']),
    controls: document.keysAt(['controls']),
    comparisons: document.keysAt(['comparisons']),
  };
  return { ok: true, experiment: normalise(experimentSchema.parse(document.value), order) };
}
