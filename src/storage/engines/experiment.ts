/** One size of a study as an experiment, whose arms are the engines: what runs it, resumes it and packs it is there already. */
import type { Experiment } from '../../experiment/experiment.ts';
import { literalTemplate } from '../../experiment/placeholders.ts';
import { CHECKS, METRICS } from './measures.ts';
import type { EngineStudy, StudiedEngine, StudySize } from './study.ts';

/** An engine with the program that drives it. */
export interface ReadyEngine {
  readonly engine: StudiedEngine;
  /** Absolute, or relative to the study. */
  readonly program: string;
  /** Whether it is asked to log writes ahead. */
  readonly log: boolean;
}

/**
 * The text of the experiment, which is JSON and so YAML, too.
 * @param seed of keys, values and orders
 */
export function experimentText(
  study: EngineStudy,
  size: StudySize,
  engines: readonly ReadyEngine[],
  seed: number,
): string {
  const { memory_limit_bytes, load } = size;
  const document = {
    title: `${study.title}: ${size.name}`,
    ...(study.question === null ? {} : { question: study.question }),
    arms: Object.fromEntries(
      engines.map((ready) => [ready.engine.name, { command: commandOf(study, size, ready, seed) }]),
    ),
    workload: {
      timeout: `${study.timeout_ms}ms`,
      ...(memory_limit_bytes === null ? {} : { memory_limit: memory_limit_bytes }),
      ...(study.device === null ? {} : { device: { size: study.device.size_bytes } }),
    },
    metrics: METRICS,
    checks: CHECKS,
    design: {
      confirmation: { pairs: study.repetitions },
      // Of two engines each pair is turned round anyway.
      ...(engines.length > 2 ? { order: study.order } : {}),
      seed,
    },
    decision: { level: study.level },
  };
  const about = `# Made by \`assay engines\`: the size ${size.name} of a study, loaded in ${load === 'random' ? 'random order' : 'sequence'}.\n`;
  return `${about}${JSON.stringify(document, null, 2)}\n`;
}

function commandOf(
  study: EngineStudy,
  size: StudySize,
  { engine, program, log }: ReadyEngine,
  seed: number,
): readonly string[] {
  const options = {
    dir: '{trial.dir}/db',
    ...sizeOptions(size, seed),
    ...(engine.variant === null ? {} : { variant: engine.variant }),
    log: log ? 'on' : 'off',
    ...(study.device === null ? {} : { 'device-stat': '{trial.device_stat}' }),
    ...(size.memory_limit_bytes === null ? {} : { cgroup: '{trial.cgroup}' }),
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return [literalTemplate(program, []), 'study', ...words];
}

/** What all engines are given alike. */
function sizeOptions(size: StudySize, seed: number): Readonly<Record<string, string | number>> {
  return {
    keys: size.keys,
    'value-bytes': size.value_bytes,
    'cache-bytes': size.cache_bytes,
    points: size.points,
    ranges: size.ranges,
    'range-length': size.range_length,
    overwrites: size.overwrites,
    seed,
    order: size.load,
  };
}

/**
 * Whether a run was made of this size of the study, as far as its journal shows: a report must not tell other sizes, engines or levels than
 * those that were measured. Texts are not looked at, since the journal has placeholders in some.
 */
export function isRunOf(study: EngineStudy, size: StudySize, seed: number, experiment: Experiment): boolean {
  const { arms, workload, decision } = experiment;
  const names = study.engines.map(({ name }) => name);
  const wanted = Object.entries(sizeOptions(size, seed));
  return (
    arms.length === names.length &&
    arms.every(({ name, command }, at) => {
      const words: readonly string[] = command ?? [];
      const isGiven = ([option, value]: readonly [string, unknown]) =>
        words[words.indexOf(`--${option}`) + 1] === String(value);
      return name === names[at] && wanted.every(isGiven);
    }) &&
    workload.memory_limit_bytes === size.memory_limit_bytes &&
    workload.device?.size_bytes === study.device?.size_bytes &&
    decision.level === study.level
  );
}
