/** Which object files of the arms' static libraries differ, for the reports that people read. */
import type { ObjectComparison } from '../journal/records.ts';
import type { ReportInput } from './input.ts';
import type { CodeStatement } from './machine-code.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

const MOST_NAMED = 10;

function statementOf(compared: ObjectComparison, several: boolean, escaping: Escaping): CodeStatement {
  const { same, differ, only_in_arm, only_in_reference, unequal, as_bytes } = compared;
  const [arm, reference] = [escaping.name(compared.arm), escaping.name(compared.reference)];
  const subject = `${arm} and ${reference}${several ? `, ${escaping.name(compared.arm_path)}` : ''}`;
  const objects = String(same + differ);
  const where = { both: '', arm: ` (only in ${arm})`, reference: ` (only in ${reference})` };
  const named = unequal.slice(0, MOST_NAMED).map((one) => `${escaping.name(one.name)}${where[one.where]}`);
  const more = unequal.length + compared.rest - named.length;
  const names = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const counts = { in_arm: String(only_in_arm), in_reference: String(only_in_reference) };
  const only = only_in_arm + only_in_reference === 0 ? '' : say('code.only', { ...counts, arm, reference });
  return {
    ...{ arm, reference, rows: [], notes: [] },
    sentences: [
      unequal.length === 0
        ? say('code.objects-same', { subject, objects })
        : say('code.objects-differ', { subject, objects, differ: String(differ), only, names }),
      ...(as_bytes > 0 ? [say('code.objects-bytes', { files: String(as_bytes) })] : []),
    ],
  };
}

/** A statement for each two libraries whose object files were compared. */
export function objectStatements({ journal }: ReportInput, escaping: Escaping): readonly CodeStatement[] {
  const all = journal.prepared?.objects ?? [];
  const several = ({ arm, reference }: ObjectComparison) =>
    all.filter((other) => other.arm === arm && other.reference === reference).length > 1;
  return all.map((compared) => statementOf(compared, several(compared), escaping));
}
