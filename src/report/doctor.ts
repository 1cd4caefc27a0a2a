/** What `assay doctor` found, as text for people and as JSON. */
import type { BusyProcess, MachineFacts } from '../host/machine.ts';
import type { JudgedFact, NoiseProbe } from '../host/readiness.ts';
import { type Color, painter } from './color.ts';
import { DOCTOR_VERSION, type DoctorDocument, doctorSchema } from './doctor-schema.ts';
import { counted } from './numbers.ts';
import { displayWidth, escapeLine, padEnd, wrap } from './plain-text.ts';

/** All that the doctor saw. */
interface DoctorFindings {
  readonly checks: readonly JudgedFact[];
  readonly ready: boolean;
  readonly facts: MachineFacts;
  readonly busy: readonly BusyProcess[] | null;
  readonly probe: NoiseProbe | null;
}

const WIDEST = 110;
const COLORS: Readonly<Record<JudgedFact['status'], Color>> = { ok: 'green', warn: 'yellow', bad: 'red' };

/** A table in groups, what would help below each fact that is not ok, and whether the machine is ready as the last line. */
export function doctorText(
  findings: DoctorFindings,
  options: { readonly color: boolean; readonly width: number },
): string {
  const paint = painter(options.color);
  const width = Math.min(options.width, WIDEST);
  const { checks } = findings;
  const names = Math.max(...checks.map(({ name }) => displayWidth(name)));
  const indent = 2 + 'warn'.length + 2 + names + 2;
  const lines: string[] = [];
  checks.forEach(({ group, status, name, found, remedy }, index) => {
    if (checks[index - 1]?.group !== group) lines.push(...(index === 0 ? [] : ['']), paint('bold', group));
    const [first = '', ...others] = wrap(escapeLine(found), width - indent);
    lines.push(`  ${paint(COLORS[status], status.padEnd('warn'.length))}  ${padEnd(name, names)}  ${first}`);
    lines.push(...others.map((line) => ' '.repeat(indent) + line));
    // What helps several in a row is said once, below the last.
    if (remedy === null || remedy === checks[index + 1]?.remedy) return;
    const helps = wrap(`What would help: ${escapeLine(remedy)}`, width, ' '.repeat(indent));
    lines.push(...helps.map((line) => paint('dim', line)));
  });
  lines.push('', paint(findings.ready ? COLORS.ok : COLORS.bad, verdictText(findings)));
  return `${lines.join('\n')}\n`;
}

function verdictText({ checks, ready }: DoctorFindings): string {
  const count = (status: JudgedFact['status']) => checks.filter((check) => check.status === status).length;
  const warnings = counted(count('warn'), 'warning');
  if (!ready) return `Not ready to measure: ${count('bad')} bad, ${warnings}.`;
  return count('warn') === 0 ? 'Ready to measure.' : `Ready to measure, with ${warnings}.`;
}

/** The same in the format of schemas/doctor.schema.json. */
export function doctorDocument(findings: DoctorFindings, assay: string): DoctorDocument {
  const { ready, checks, facts, busy, probe } = findings;
  return doctorSchema.parse({ version: DOCTOR_VERSION, assay, ready, checks, facts, busy, probe });
}
