/** Controls and comparisons, from the document to what runs: and the arms that they need and the file does not name. */
import { rebuildAmong, rebuiltName, sameName } from './again.ts';
import type { CounterMode } from './counters.ts';
import type { Argv, Arm, Design, SideDesign, UnchangedMetric } from './experiment.ts';
import type { ExperimentDocument } from './schema.ts';

const DEFAULT_BLOCKS = 16;

export interface Sides {
  /** Of controls, behind those of the file. */
  readonly arms: readonly Arm[];
  readonly sides: readonly SideDesign[];
  readonly unchanged: readonly UnchangedMetric[];
}

/** Names of controls and comparisons as they stand in the file. */
export interface SideOrder {
  readonly arms: readonly string[];
  readonly controls: readonly string[];
  readonly comparisons: readonly string[];
}

/**
 * @param arms those of the file
 * @param argv a command as words
 */
export function sidesOf(
  document: ExperimentDocument,
  order: SideOrder,
  arms: readonly Arm[],
  design: Design,
  counters: CounterMode,
  argv: (command: ControlDocument['command']) => Argv | null,
): Sides {
  const added: Arm[] = [];
  const named = (name: string) => [...arms, ...added].find((arm) => arm.name === name);
  const add = (arm: Arm): string => {
    if (named(arm.name) === undefined) added.push(arm);
    return arm.name;
  };
  const confirmed = referenceFirst(design.arms, document.reference);
  const sides: SideDesign[] = [];
  const unchanged: UnchangedMetric[] = [];
  for (const name of order.controls) {
    const control = document.controls?.[name];
    if (control === undefined) continue;
    const { same, rebuild, metric, sessions, pairs = DEFAULT_BLOCKS } = control;
    const general = { ...PLAIN, name, blocks: sessions ?? pairs, counters };
    if (same !== undefined) {
      const other = add(sameAs(known(named(same))));
      sides.push({ ...general, control: { kind: 'same' }, arms: [same, other] });
    } else if (rebuild !== undefined) {
      const other = rebuildAmong(document.arms, order.arms, rebuild);
      const rebuilt = other ?? add(builtAgain(known(named(rebuild)), [...arms, ...added]));
      sides.push({ ...general, control: { kind: 'rebuild' }, arms: [rebuild, rebuilt] });
    } else if (metric !== undefined) {
      unchanged.push({ name, metric });
    } else if (control.counters !== undefined) {
      sides.push({ ...general, control: { kind: 'uncounted' }, arms: confirmed, counters: 'off' });
    } else {
      const { command, params = {}, metrics = null } = control;
      const work = { command: argv(command), params, metrics };
      sides.push({ ...general, control: { kind: 'unchanged' }, arms: confirmed, ...work });
    }
  }
  for (const name of order.comparisons) {
    const comparison = document.comparisons?.[name];
    if (comparison === undefined) continue;
    const { blocks = DEFAULT_BLOCKS, against = {} } = comparison;
    const [first, second, ...others] = comparison.arms;
    const members = [known(first), known(second), ...others] as const;
    const own = { name, blocks, against, counters: comparison.counters ?? counters };
    sides.push({ ...PLAIN, ...own, control: null, arms: members });
  }
  return { arms: added, sides, unchanged };
}

/** What the confirmation compares, in the form in which a control compares it. */
function referenceFirst(arms: SideDesign['arms'], reference: string = arms[0]): SideDesign['arms'] {
  const [second, ...others] = arms.filter((arm) => arm !== reference);
  return [reference, known(second), ...others];
}

type ControlDocument = NonNullable<ExperimentDocument['controls']>[string];

const PLAIN = { against: {}, command: null, params: {}, metrics: null };

function sameAs(arm: Arm): Arm {
  return { ...arm, name: sameName(arm.name), source: { kind: 'same', of: arm.name } };
}

/** One more copy of a source than there are already. */
function builtAgain(arm: Arm, arms: readonly Arm[]): Arm {
  const { source } = arm;
  if (source.kind !== 'git') throw new Error('only the source of a git arm can be built again');
  const of = source.again?.of ?? arm.name;
  const copies = arms.flatMap((other) =>
    other.source.kind === 'git' && other.source.again?.of === of ? [other.source.again.copy] : [],
  );
  return {
    ...arm,
    name: rebuiltName(arm.name),
    source: { ...source, again: { of, copy: 1 + Math.max(0, ...copies) } },
  };
}

/** The document has been checked: a value that is missing here is a mistake in the program. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a document with faults was normalised');
  return value;
}
