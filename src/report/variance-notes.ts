/** Warnings of a study of variance, and the files that it did not read. */
import { counted } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import type { VarianceInput } from './variance-input.ts';

/** @param mostIgnored so many files are named, the others counted */
export function notedOf(
  { variance, imported }: VarianceInput,
  { name, prose }: Escaping,
  mostIgnored: number,
): readonly { readonly title: string; readonly items: readonly string[] }[] {
  const warnings = variance.warnings.map(
    ({ code, message, remedy }) => `${code}: ${prose(message)}. What would help: ${prose(remedy)}`,
  );
  const more = imported.ignored.length - mostIgnored;
  const ignored = [
    ...imported.ignored.slice(0, mostIgnored).map(({ path, reason }) => `${name(path)} ${prose(reason)}`),
    ...(more > 0 ? [`and ${counted(more, 'file')} more: see --json`] : []),
  ];
  return [
    { title: 'Warnings', items: warnings },
    { title: 'Ignored files', items: ignored },
  ].filter(({ items }) => items.length > 0);
}
