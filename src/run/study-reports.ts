/** The files that stand beside the runs of a study of engines. Each follows from these, and can be made again. */
import { join } from 'node:path';
import { writeFileAtomically } from '../io/atomic-file.ts';
import { assayVersion } from '../io/version.ts';
import { enginesReport } from '../report/engines-formats.ts';
import type { EngineFindings } from '../storage/engines/analysis.ts';

const TEXTS = [
  ['engines.json', 'json'],
  ['engines.csv', 'csv'],
  ['engines.md', 'markdown'],
] as const;
const LOOK = { color: false, width: 120 };

/** The page last: loading its plots takes longer than all else. */
export async function writeStudyReports(directory: string, findings: EngineFindings): Promise<void> {
  const input = { assay: assayVersion(), findings };
  for (const [name, format] of TEXTS) {
    await writeFileAtomically(join(directory, name), enginesReport(format, input, LOOK));
  }
  const { enginesPage } = await import('../report/html/engines-page.ts');
  await writeFileAtomically(join(directory, 'engines.html'), enginesPage(input));
}
