/** Whether what the journal says of the arms' origin and machine code agrees with itself. The artefacts are not there to be looked at. */
import type { Experiment } from '../../experiment/experiment.ts';
import type { CodeComparison, Journal, PreparedArm, PreparedRecord } from '../../journal/records.ts';
import { buildsOfArm } from '../../plan/builds.ts';
import { codeContrasts } from '../../plan/code-contrasts.ts';
import type { Manifest } from '../manifest.ts';
import { type Answer, failed, notPossible } from './answer.ts';
import { binariesIn, diffsFault, keptFault, objectsFault } from './arm-evidence.ts';

const WORD =
  'the versions of Assay and of what it computes with, when it ran, what its launcher says that it could not do, the facts of the machine and the earlier runs and the calibration that it names are the word of the run';
const WORD_ON_ARMS =
  'So are digests, provenance and what was found in machine code, which nobody can verify without the artefacts';
const WORD_ON_IMPORTS =
  'where, when, with what and by whom the results were measured is the word of whoever imported them, and so is an order of the sides that the files do not show';
/** A program that only the trial itself makes has no digest before it. */
const IN_TRIAL = '{trial.dir}';

/** Never verified: failed, or what must be taken on trust. */
export function originAnswer(journal: Journal, manifest: Manifest): Answer {
  const { run, prepared } = journal;
  if (run.imported !== null) return notPossible('origin', WORD_ON_IMPORTS);
  if (prepared === null) return notPossible('origin', `${WORD}; no arm was prepared`);
  const binaries = binariesIn(journal, manifest);
  if (typeof binaries === 'string') return failed('origin', binaries);
  const fault =
    armsFault(run.experiment, prepared.arms) ??
    attributionFault(run.experiment, prepared, manifest) ??
    objectsFault(run.experiment, prepared) ??
    diffsFault(run.experiment, prepared) ??
    keptFault(prepared, manifest);
  if (fault !== null) return failed('origin', fault);
  const agrees = [
    'The record of arms agrees with the experiment',
    ...(prepared.attribution.length === 0 ? [] : ['the comparisons of machine code with the digests']),
    ...((prepared.kept ?? []).length === 0 ? [] : ['arms/ with the digests of what was kept']),
    ...(binaries === 0
      ? []
      : [`${binaries === 1 ? 'a binary' : `${binaries} binaries`} with the digests of what was executed`]),
  ];
  return notPossible('origin', `${WORD}. ${WORD_ON_ARMS}. ${agrees.join('; ')}`);
}

function armsFault(experiment: Experiment, prepared: readonly PreparedArm[]): string | null {
  const due = experiment.arms.flatMap(({ name }) =>
    Array.from({ length: buildsOfArm(experiment, name) }, (_, build) => keyOf(name, build)),
  );
  const keys = prepared.map(({ arm, build }) => keyOf(arm, build));
  const unknown = keys.find((key) => !due.includes(key));
  if (unknown !== undefined) return `${unknown} was prepared, which the experiment does not have`;
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice !== undefined) return `${twice} was prepared twice`;
  const missing = due.find((key) => !keys.includes(key));
  if (missing !== undefined) return `${missing} was not prepared`;
  for (const { name, source } of experiment.arms) {
    const own = prepared.filter(({ arm }) => arm === name);
    const bare = own.find(({ files, command }) => files.length === 0 && !command[0]?.includes(IN_TRIAL));
    if (bare !== undefined) return `no file of ${name} was digested, not even the program that it starts`;
    if (source.kind === 'command') continue;
    if (own.some(({ provenance }) => Object.keys(provenance).length === 0)) {
      return `${name} has no provenance, though the experiment says where it is from`;
    }
    if (source.kind !== 'same') continue;
    const digests = (arm: string) =>
      JSON.stringify(prepared.filter((one) => one.arm === arm && one.build === 0).map(({ files }) => files));
    if (digests(name) !== digests(source.of)) return `${name} is the same as ${source.of}, but their digests differ`;
  }
  return null;
}

function keyOf(arm: string, build: number): string {
  return build === 0 ? `arm ${arm}` : `build ${build} of arm ${arm}`;
}

function attributionFault(
  experiment: Experiment,
  { arms, attribution }: PreparedRecord,
  manifest: Manifest,
): string | null {
  if (experiment.attribution === null) {
    return attribution.length === 0 ? null : 'machine code was compared, which the experiment does not ask for';
  }
  const contrasts = codeContrasts(experiment);
  for (const comparison of attribution) {
    const { arm, reference } = comparison;
    if (!contrasts.some((one) => one.arm === arm && one.reference === reference)) {
      return `machine code of ${arm} was compared with ${reference}, which the experiment does not compare`;
    }
    const fault = comparisonFault(comparison, arms, manifest);
    if (fault !== null) return `the comparison of machine code of ${arm} with ${reference}: ${fault}`;
  }
  const silent = contrasts.find(
    ({ arm, reference }) =>
      !attribution.some((one) => one.arm === arm && one.reference === reference) &&
      !arms.some((one) => one.arm === arm && one.warnings.some(({ code }) => code === 'machine-code-not-compared')),
  );
  if (silent === undefined) return null;
  return `machine code of ${silent.arm} and ${silent.reference} was not compared, and nothing says why`;
}

function comparisonFault(comparison: CodeComparison, arms: readonly PreparedArm[], manifest: Manifest): string | null {
  const { arm, reference, arm_path, reference_path, same_file, same_text, same_data, functions } = comparison;
  const digestOf = (name: string, path: string) =>
    arms.find((one) => one.arm === name && one.build === 0)?.files.find((file) => file.path === path)?.sha256;
  const [left, right] = [digestOf(reference, reference_path), digestOf(arm, arm_path)];
  if (left === undefined || right === undefined) {
    return `${left === undefined ? reference_path : arm_path} is none of the files that were digested`;
  }
  if (same_file !== (left === right)) {
    return `the files are said to be ${same_file ? 'the same' : 'two'}, their digests ${same_file ? 'differ' : 'are the same'}`;
  }
  if (same_file && (same_text === false || !same_data)) return 'one file differs from itself';
  if (same_text === true && functions !== null) return 'functions are counted though all code is the same';
  const unequal = comparison.differing.length + comparison.rest;
  if (functions !== null && functions.differ + functions.only_in_arm + functions.only_in_reference !== unequal) {
    return `${unequal} functions are listed as differing, which are not as many as were counted`;
  }
  const packed = (path: string) =>
    path.startsWith('arms/') &&
    (manifest.files.some((file) => file.path === path) || manifest.absent.some(({ what }) => what === path));
  const absent = comparison.disassemblies.find((path) => !packed(path));
  return absent === undefined ? null : `${absent} is not in the bundle`;
}
