/** Rules about where an arm comes from, and how it is built. */
import type { Draft, Reading } from './draft.ts';
import { exactlyOne } from './exactly-one.ts';
import type { Fault, Path } from './fault.ts';
import { listed, suggestion } from './nearest.ts';
import { PLACEHOLDERS, paramOf, pieces } from './placeholders.ts';

/** The keys that say where an arm comes from; an arm of one of them has a directory. */
export const SOURCES = ['npm', 'git', 'of'] as const;

/** What belongs to a `git` arm only. */
const GIT_KEYS = ['patch', 'build', 'build_env', 'build_timeout'] as const;

/** What a driver is compiled against. */
const LIBRARY_KEYS = ['artifacts', 'prefix', 'pkg-config'] as const;

type DraftArm = NonNullable<NonNullable<Draft['arms']>[string]>;

export function* sourceRules(reading: Reading, name: string, arm: DraftArm): Generator<Fault> {
  const { document } = reading;
  const path: Path = ['arms', name];
  const has = (key: string) => document.has([...path, key]);
  const fault = (key: string, message: string): Fault => ({ path: [...path, key], at: 'key', message });

  const sources = SOURCES.filter(has);
  if (sources.length > 1) yield fault(sources[1] ?? '', `only one of ${listed(sources)} can be here`);
  if (has('scripts') && !has('npm')) {
    yield fault('scripts', '`scripts` says whether an `npm` package may run its scripts, and this arm is none');
  }
  for (const key of GIT_KEYS) {
    if (!has(key) || has('git') || (key === 'patch' && has('of'))) continue;
    yield fault(
      key,
      has('of')
        ? `\`of\` builds as the other arm does, so that there is no \`${key}\` here`
        : `\`${key}\` belongs to a \`git\` arm, and this arm is none`,
    );
  }
  const libraries = LIBRARY_KEYS.filter(has);
  const driver = document.has(['workload', 'driver']);
  if (libraries.length > 1) yield fault(libraries[1] ?? '', `only one of ${listed(libraries)} can be here`);
  if (libraries.length > 0 && !driver) {
    const message = `\`${libraries[0]}\` is what a driver is compiled against, and there is none: \`workload: {driver: rocksdb}\``;
    yield fault(libraries[0] ?? '', message);
  }
  if (driver && libraries.length === 0 && !has('of')) {
    const message = `the driver of the workload needs a library in every arm: give \`${name}\` \`artifacts\`, a \`prefix\` or \`pkg-config\``;
    yield { path, at: 'key', message };
  }
  if (arm.git !== undefined) yield* exactlyOne(reading, [...path, 'git'], ['rev', 'merge-base']);
  if (arm.of !== undefined) yield* ofRule(reading, name, arm.of);
  for (const [index, command] of arm.build?.entries() ?? []) {
    const at: Path = [...path, 'build', index];
    if (typeof command === 'string') yield* noPlaceholders(at, command);
    else {
      for (const [word, value] of command?.entries() ?? []) yield* noPlaceholders([...at, word], value);
      if (command?.[0] === '') yield { path: [...at, 0], at: 'value', message: 'the name of the program is empty' };
    }
  }
  for (const [variable, value] of Object.entries(arm.build_env ?? {})) {
    yield* noPlaceholders([...path, 'build_env', variable], value);
  }
}

function* ofRule({ document }: Reading, name: string, of: string): Generator<Fault> {
  const at = { path: ['arms', name, 'of'], at: 'value' } as const;
  const others = document.keysAt(['arms']).filter((other) => other !== name);
  if (of === name) yield { ...at, message: 'an arm cannot be prepared again of itself: name another one' };
  else if (!others.includes(of)) yield { ...at, message: `no arm is named \`${of}\`: ${suggestion(of, others)}` };
  else if (!document.has(['arms', of, 'git'])) {
    yield { ...at, message: `\`${of}\` is no \`git\` arm: only the source of one can be prepared again` };
  } else if (document.has(['arms', of, 'patch']) && document.has(['arms', name, 'patch'])) {
    const message = `\`${of}\` has a patch itself, and two are not applied one on top of the other: which of them fails, or undoes the other, could not be told. Put both into one file and give this arm \`git\``;
    yield { path: ['arms', name, 'patch'], at: 'key', message };
  }
}

/** A build does not depend on trials; braces of a shell's own are left alone. */
function* noPlaceholders(path: Path, value: unknown): Generator<Fault> {
  if (typeof value !== 'string') return;
  const found = pieces(value).find(
    (piece) =>
      piece.kind === 'placeholder' &&
      (PLACEHOLDERS.some((known) => known === piece.value) || paramOf(piece.value) !== null),
  );
  if (found === undefined) return;
  const message = `a build has no placeholders: it runs in the directory of the source, before any trial`;
  yield { path, at: 'value', message, within: found.written };
}
