/** Arms that are made of others: the source of another built again, its artefact itself. Names and matches, for rules and defaults. */
import { canonicalJson } from './canonical.ts';

/** What is looked at of an arm, as written. */
interface WrittenArm {
  readonly of?: unknown;
  readonly patch?: unknown;
  readonly [key: string]: unknown;
}

/** Where a trial starts and what it runs: a rebuild of an arm has all of it alike. */
const ALIKE = ['command', 'env', 'params', 'artifacts', 'prefix', 'pkg-config'] as const;
const LIBRARIES: readonly string[] = ['artifacts', 'prefix', 'pkg-config'];

/** The name of the second side of an A/A. */
export function sameName(arm: string): string {
  return `${arm}-again`;
}

/** The name of an arm that is built again for a control. */
export function rebuiltName(arm: string): string {
  return `${arm}-rebuilt`;
}

/** The arm of the file that is `arm` built again and nothing else; null where there is none. */
export function rebuildAmong(
  arms: Readonly<Record<string, WrittenArm | undefined>>,
  order: readonly string[],
  arm: string,
): string | null {
  const original = arms[arm];
  const found = order.find((name) => {
    const other = arms[name];
    return (
      other?.of === arm &&
      other.patch === undefined &&
      ALIKE.every((key) => canonicalJson(ownOr(other, original, key)) === canonicalJson(original?.[key]))
    );
  });
  return found ?? null;
}

/** An arm that names no library has that of the arm which it is made of. */
function ownOr(arm: WrittenArm, original: WrittenArm | undefined, key: string): unknown {
  const named = LIBRARIES.some((library) => arm[library] !== undefined);
  return LIBRARIES.includes(key) && !named ? original?.[key] : arm[key];
}
