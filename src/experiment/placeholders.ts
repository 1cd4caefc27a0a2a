/** Placeholders in commands, directories and variables: `{arm.dir}`, `{params.threads}`; `{{` and `}}` are braces. */
import type { Arm, Experiment, Param, Workload } from './experiment.ts';

export const PLACEHOLDERS = [
  'arm.dir',
  'arm.name',
  'arm.driver',
  'trial.dir',
  'trial.cgroup',
  'trial.device_stat',
  'experiment.dir',
] as const;
const PARAMS = 'params.';

interface Piece {
  readonly kind: 'text' | 'placeholder' | 'stray';
  /** Of a placeholder its name, else the text that it stands for. */
  readonly value: string;
  /** As it is written in the template. */
  readonly written: string;
}

/** The parts of a template in their order. A brace that opens or closes nothing is `stray`. */
export function pieces(template: string): Piece[] {
  return [...template.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g)].map(([written]) => {
    if (written === '{{' || written === '}}') return { kind: 'text', value: written.slice(1), written };
    if (written === '{' || written === '}') return { kind: 'stray', value: written, written };
    if (written.startsWith('{')) return { kind: 'placeholder', value: written.slice(1, -1), written };
    return { kind: 'text', value: written, written };
  });
}

/** The names of the placeholders in a template, in their order, repetitions included. */
export function placeholdersOf(template: string): string[] {
  return pieces(template).flatMap((piece) => (piece.kind === 'placeholder' ? [piece.value] : []));
}

/** The name of the parameter that a placeholder stands for; null for any other placeholder. */
export function paramOf(placeholder: string): string | null {
  return placeholder.startsWith(PARAMS) ? placeholder.slice(PARAMS.length) : null;
}

/** The placeholder that stands for a parameter. */
export function paramPlaceholder(name: string): string {
  return PARAMS + name;
}

/**
 * A template with its placeholders replaced. Templates of an experiment have been checked when it was read, so that a
 * placeholder without a value is a mistake in the program.
 */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  const expanded = pieces(template).map(({ kind, value, written }) => {
    if (kind === 'text') return value;
    const replacement = kind === 'placeholder' && Object.hasOwn(values, value) ? values[value] : undefined;
    if (replacement === undefined) throw new Error(`no value for ${written} in a template`);
    return replacement;
  });
  return expanded.join('');
}

/**
 * What the placeholders stand for in one trial; `dirs.arm` is null for an arm that has no directory. An arm that is
 * another's artefact has the other's name as well: nothing may tell the two apart.
 * @param winning parameters that win over those of workload and arm
 */
export function placeholderValues(
  { workload }: Pick<Experiment, 'workload'>,
  arm: Arm,
  dirs: {
    readonly arm: string | null;
    readonly trial: string;
    readonly experiment: string;
    /** The arm's compiled driver, where the workload has one. */
    readonly driver?: string | null;
    /** Of a workload with a limit of memory: the trial's control group. */
    readonly cgroup?: string | null;
    /** Of a workload with a device: the file of its counters. */
    readonly device_stat?: string | null;
  },
  winning: Readonly<Record<string, Param>> = {},
): Record<string, string> {
  const params: Readonly<Record<string, Param>> = {
    ...workload.params,
    ...arm.params,
    ...winning,
  };
  return {
    'arm.name': arm.source.kind === 'same' ? arm.source.of : arm.name,
    'trial.dir': dirs.trial,
    'experiment.dir': dirs.experiment,
    ...(dirs.arm === null ? {} : { 'arm.dir': dirs.arm }),
    ...(dirs.driver == null ? {} : { 'arm.driver': dirs.driver }),
    ...(dirs.cgroup == null ? {} : { 'trial.cgroup': dirs.cgroup }),
    ...(dirs.device_stat == null ? {} : { 'trial.device_stat': dirs.device_stat }),
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [paramPlaceholder(name), String(value)])),
  };
}

/** The placeholders of what Assay makes around each trial, standing for themselves where there is no trial yet. */
export function surroundingPlaceholders({
  memory_limit_bytes,
  device,
}: Pick<Workload, 'memory_limit_bytes' | 'device'>): {
  readonly cgroup: string | null;
  readonly device_stat: string | null;
} {
  return {
    cgroup: memory_limit_bytes === null ? null : '{trial.cgroup}',
    device_stat: device === null ? null : '{trial.device_stat}',
  };
}

/** A template that stands for exactly this text, but for the placeholders in `kept`. */
export function literalTemplate(text: string, kept: readonly string[]): string {
  return text.replaceAll(/\{([^{}]*)\}|[{}]/g, (written, name: string | undefined) => {
    if (name === undefined) return written + written;
    return kept.includes(name) ? written : `{{${name}}}`;
  });
}
