/** Rules about texts with placeholders, the parameters that they use, and words that are not written as text. */
import { confirmationArms } from './design-rules.ts';
import type { Draft, Reading } from './draft.ts';
import type { Fault, Path } from './fault.ts';
import { listed, nearest, suggestion } from './nearest.ts';
import { PLACEHOLDERS, paramOf, paramPlaceholder, pieces, placeholdersOf } from './placeholders.ts';
import { SOURCES } from './source-rules.ts';

interface Template {
  readonly path: Path;
  readonly value: string | number | boolean;
  /** The arms whose trials use it. */
  readonly arms: readonly string[];
  /** Parameters that it has besides those of workload and arms. */
  readonly params: readonly string[];
}

export function* templateRules(reading: Reading): Generator<Fault> {
  const { draft, document, troubled } = reading;
  const all = document.keysAt(['arms']);
  const templates = [
    ...templatesOf(['workload'], draft.workload, all),
    ...Object.entries(draft.arms ?? {}).flatMap(([name, arm]) => templatesOf(['arms', name], arm, [name])),
    ...Object.entries(draft.controls ?? {}).flatMap(([name, control]) => {
      const own = Object.keys(control?.params ?? {});
      return templatesOf(['controls', name], { command: control?.command }, confirmationArms(reading), own);
    }),
  ];
  for (const [path, params] of paramsWritten(draft)) {
    for (const [name, value] of Object.entries(params ?? {})) yield* wordFaults(reading, [...path, name], value);
  }
  for (const [path, word] of Object.entries(draft.arms ?? {}).flatMap(([name, arm]) => buildWords(name, arm))) {
    yield* wordFaults(reading, path, word);
  }
  const faults = templates.flatMap((template) => [
    ...placeholderFaults(reading, template),
    ...wordFaults(reading, template.path, template.value),
  ]);
  const isTroubled = troubled(['workload']) || troubled(['arms']);
  const misspelt = isTroubled ? null : misspeltParam(reading, templates);
  if (misspelt !== null && faults.every(({ within }) => within === misspelt.written)) yield* misspelt.faults;
  else yield* faults;
  // What a faulty text was meant to use is not known.
  if (faults.length > 0 || isTroubled) return;
  yield* unusedParams(draft, templates);
  if (!troubled(['controls'])) yield* unusedControlParams(draft, templates);
}

function templatesOf(
  path: Path,
  owner: Pick<NonNullable<Draft['workload']>, 'command' | 'cwd' | 'env'> | undefined,
  arms: readonly string[],
  params: readonly string[] = [],
): Template[] {
  const found: Template[] = [];
  const add = (place: Path, value: Template['value'] | undefined) => {
    if (value !== undefined) found.push({ path: [...path, ...place], value, arms, params });
  };
  const command = owner?.command;
  if (typeof command === 'string') add(['command'], command);
  else for (const [index, word] of command?.entries() ?? []) add(['command', index], word);
  add(['cwd'], owner?.cwd);
  for (const [name, value] of Object.entries(owner?.env ?? {})) add(['env', name], value);
  return found;
}

/** Placeholders of what is made around a trial: which key asks for it, and what to say where none does. */
const SURROUNDINGS = {
  'trial.cgroup': { key: 'memory_limit', message: 'no memory group is made: set a limit, `memory_limit: 96MB`' },
  'trial.device_stat': { key: 'device', message: 'no device is made: ask for one, `device: {size: 4GB}`' },
} as const;

function isOfSurroundings(name: string): name is keyof typeof SURROUNDINGS {
  return Object.hasOwn(SURROUNDINGS, name);
}

function* placeholderFaults({ document }: Reading, template: Template): Generator<Fault> {
  if (typeof template.value !== 'string') return;
  const place = { path: template.path, at: 'value' } as const;
  const distinct = new Map(pieces(template.value).map((piece) => [piece.written, piece]));
  for (const { kind, value, written } of distinct.values()) {
    if (kind === 'text') continue;
    if (kind === 'stray') {
      yield { ...place, message: `a brace of the text is written twice, \`${value}${value}\``, within: written };
      continue;
    }
    const param = paramOf(value);
    if (value === 'arm.dir') {
      const without = template.arms.filter((arm) => !SOURCES.some((key) => document.has(['arms', arm, key])));
      if (without.length > 0) {
        const message = `only an \`npm\` or \`git\` arm has a directory, and ${listed(without)} ${without.length === 1 ? 'is none' : 'are none'}`;
        yield { ...place, message, within: written };
      }
    } else if (value === 'arm.driver') {
      if (!document.has(['workload', 'driver'])) {
        yield { ...place, message: 'no driver is compiled: name one, `workload: {driver: rocksdb}`', within: written };
      }
    } else if (isOfSurroundings(value)) {
      const { key, message } = SURROUNDINGS[value];
      if (!document.has(['workload', key])) yield { ...place, message, within: written };
    } else if (param !== null) {
      const without = template.params.includes(param)
        ? []
        : template.arms.filter((arm) => !paramsOf(document, arm).includes(param));
      if (without.length > 0) {
        const known = template.arms.flatMap((arm) => paramsOf(document, arm));
        const message = known.includes(param)
          ? `no parameter \`${param}\` in ${listed(without)}: give it a value there, or in \`workload\` for all arms`
          : `no parameter is named \`${param}\`: ${suggestion(param, [...new Set(known)])}`;
        yield { ...place, message, within: written };
      }
    } else if (!PLACEHOLDERS.some((name) => name === value)) {
      const params = template.arms.flatMap((arm) => paramsOf(document, arm)).map(paramPlaceholder);
      const there = PLACEHOLDERS.filter(
        (name) => !isOfSurroundings(name) || document.has(['workload', SURROUNDINGS[name].key]),
      );
      const names = [...new Set([...there, ...params])].map((name) => `{${name}}`);
      const message = `unknown placeholder \`${written}\`: ${suggestion(written, names)}${nearest(written, names) === null ? '; braces of the text are written twice, `{{` and `}}`' : ''}`;
      yield { ...place, message, within: written };
    }
  }
}

function paramsOf(document: Reading['document'], arm: string): string[] {
  return [...document.keysAt(['workload', 'params']), ...document.keysAt(['arms', arm, 'params'])];
}

/** `0.10` is a number and would reach the program as `0.1`: better ask than change what a person wrote. */
export function* wordFaults({ document }: Reading, path: Path, value: Template['value'] | undefined): Generator<Fault> {
  if (typeof value === 'string' || value === undefined) return;
  const written = document.writtenAt(path);
  if (written === null || written === String(value)) return;
  const message = `\`${written}\` is read as the ${typeof value} ${value}: put it in quotes to keep it as it is`;
  yield { path, at: 'value', message };
}

/** The words and values of a build, each with its path. They are no templates. */
function buildWords(name: string, arm: NonNullable<Draft['arms']>[string]): [Path, Template['value'] | undefined][] {
  const words = (arm?.build ?? []).flatMap((command, index) =>
    typeof command === 'string' || command === undefined
      ? []
      : command.map((word, at): [Path, typeof word] => [['arms', name, 'build', index, at], word]),
  );
  const values = Object.entries(arm?.build_env ?? {});
  return [...words, ...values.map(([key, value]): [Path, typeof value] => [['arms', name, 'build_env', key], value])];
}

type WrittenParams = NonNullable<Draft['workload']>['params'];

/** The maps of parameters, each with its path: the workload's, then the arms' in their order. */
function paramsWritten(draft: Draft): [Path, WrittenParams][] {
  return [
    [['workload', 'params'], draft.workload?.params],
    ...Object.entries(draft.arms ?? {}).map(([name, arm]): [Path, WrittenParams] => [
      ['arms', name, 'params'],
      arm?.params,
    ]),
    ...Object.entries(draft.controls ?? {}).map(([name, control]): [Path, WrittenParams] => [
      ['controls', name, 'params'],
      control?.params,
    ]),
  ];
}

/**
 * One parameter that nothing uses, and one placeholder without a parameter, so alike that one is the other misspelt: which of
 * them only the writer knows, and proposals for each would spread the mistake.
 */
function misspeltParam(
  { draft, document }: Reading,
  templates: readonly Template[],
): { readonly faults: readonly Fault[]; readonly written: string } | null {
  const used = templates.flatMap((template) => {
    const names = typeof template.value === 'string' ? placeholdersOf(template.value).map(paramOf) : [];
    return names.flatMap((name) => (name === null ? [] : [{ name, template }]));
  });
  const given = paramsWritten(draft).flatMap(([path, params]) =>
    path[0] === 'controls' ? [] : Object.keys(params ?? {}).map((name) => ({ name, path: [...path, name] })),
  );
  const unused = given.filter(({ name }) => used.every((one) => one.name !== name));
  const unknown = used.filter(
    ({ name, template }) =>
      !template.params.includes(name) && template.arms.every((arm) => !paramsOf(document, arm).includes(name)),
  );
  const [param, ...otherParams] = new Set(unused.map(({ name }) => name));
  const [placeholder, ...otherPlaceholders] = new Set(unknown.map(({ name }) => name));
  const template = unknown[0]?.template;
  if (param === undefined || placeholder === undefined || template === undefined) return null;
  if (otherParams.length > 0 || otherPlaceholders.length > 0 || nearest(param, [placeholder]) === null) return null;
  const written = `{${paramPlaceholder(placeholder)}}`;
  const where = ['command', 'cwd', 'env'].find((key) => template.path.includes(key)) ?? 'command';
  const message = `no placeholder uses \`${param}\`; the \`${where}\` has \`${written}\`: is that what was meant?`;
  return { faults: unused.map(({ path }): Fault => ({ path, at: 'key', message })), written };
}

function* unusedParams(draft: Draft, templates: readonly Template[]): Generator<Fault> {
  const usedBy = (arms: readonly string[] | null) =>
    new Set(
      templates
        .filter((template) => arms === null || arms.every((arm) => template.arms.includes(arm)))
        .flatMap(({ value }) => (typeof value === 'string' ? placeholdersOf(value) : [])),
    );
  for (const [path, params] of paramsWritten(draft)) {
    if (path[0] === 'controls') continue;
    const used = usedBy(path[0] === 'arms' ? [String(path[1])] : null);
    for (const name of Object.keys(params ?? {})) {
      if (used.has(paramPlaceholder(name))) continue;
      const message = `nothing uses this parameter: write \`{${paramPlaceholder(name)}}\` where its value belongs`;
      yield { path: [...path, name], at: 'key', message };
    }
  }
}

/** A control's parameters are those of what it runs: of its own command, else of that of the others. */
function* unusedControlParams(draft: Draft, templates: readonly Template[]): Generator<Fault> {
  for (const [name, control] of Object.entries(draft.controls ?? {})) {
    const own = control?.command !== undefined;
    const run = templates.filter(({ path }) => {
      if (path[0] === 'controls') return path[1] === name;
      return !own || !path.includes('command');
    });
    const used = run.flatMap(({ value }) => (typeof value === 'string' ? placeholdersOf(value) : []));
    const known = [...new Set(used.flatMap((placeholder) => paramOf(placeholder) ?? []))];
    for (const param of Object.keys(control?.params ?? {})) {
      if (known.includes(param)) continue;
      const message = `nothing that this control runs uses a parameter \`${param}\`: ${suggestion(param, known)}`;
      yield { path: ['controls', name, 'params', param], at: 'key', message };
    }
  }
}
