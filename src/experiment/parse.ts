import type { Located } from '../failures.ts';
import { armRules } from './arm-rules.ts';
import { calibrationRules } from './calibration-rules.ts';
import { counterRules } from './counter-rules.ts';
import { countingRules } from './counting-rules.ts';
import { designRules, machineRules, rejectRules } from './design-rules.ts';
import { readDocument } from './document.ts';
import type { Reading } from './draft.ts';
import type { Experiment } from './experiment.ts';
import type { Fault } from './fault.ts';
import { checkRules, decisionRules, metricRules } from './measurement-rules.ts';
import { normalise } from './normalise.ts';
import { experimentSchema } from './schema.ts';
import { applySchema } from './schema-faults.ts';
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
  // A byte order mark would shift the columns of the first line.
  const { document, syntax, faults } = readDocument(text.replace(/^\uFEFF/, ''));
  if (document === null) return refuse([...syntax, ...faults]);
  const schema = applySchema(document);
  if (syntax.length > 0) {
    const there = schema.faults.filter(({ kind }) => kind !== 'missing').map(document.locate);
    return refuse([...syntax, ...before(syntax, [...faults, ...elsewhere(faults, there)])]);
  }
  const broken = RULES.flatMap((rule) => [...rule(schema.reading)]);
  const errors = [...faults, ...elsewhere(faults, [...schema.faults, ...broken].map(document.locate))];
  if (errors.length > 0) return refuse(errors);
  const order = {
    arms: document.keysAt(['arms']),
    controls: document.keysAt(['controls']),
    comparisons: document.keysAt(['comparisons']),
  };
  return { ok: true, experiment: normalise(experimentSchema.parse(document.value), order) };
}

/** After an error in the syntax the data may be anything; what stands on the lines before it is as it was meant. */
function before(syntax: readonly Located[], errors: readonly Located[]): Located[] {
  const firstLine = Math.min(...syntax.map(({ line }) => line));
  return errors.filter(({ line }) => line < firstLine);
}

/** An alias that could not be followed is nothing, which the schema refuses once more. */
function elsewhere(said: readonly Located[], errors: readonly Located[]): Located[] {
  const places = new Set(said.map(placeOf));
  return errors.filter((error) => !places.has(placeOf(error)));
}

function refuse(errors: readonly Located[]): ReadExperiment {
  const unique = new Map(errors.map((error) => [`${placeOf(error)} ${error.message}`, error]));
  return { ok: false, errors: [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column) };
}

function placeOf({ line, column }: Located): string {
  return `${line}:${column}`;
}
