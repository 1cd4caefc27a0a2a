/** The steps of one place as a table in the form of benchmark.sh's summaries: a block of a header and its rows for each test. */
import type { StepRecord } from './step-record.ts';

const TEXTS = ['test', 'date', 'version'] as const;

/** The columns of the records, in the order in which they are first met; `ops_sec` opens every header. */
export function benchmarkTable(records: readonly StepRecord[]): string {
  const tests = [...new Set(records.map(({ test }) => test))];
  return tests
    .map((test) => {
      const rows = records.filter((record) => record.test === test);
      const names = ['ops_sec', ...new Set(rows.flatMap(({ columns }) => Object.keys(columns)))];
      const header = [...new Set(names), ...TEXTS];
      const lines = rows.map((record) => header.map((name) => cellOf(record, name)).join('\t'));
      return `${header.join('\t')}\n${lines.join('\n')}\n`;
    })
    .join('\n');
}

function cellOf({ columns, test, started, version }: StepRecord, name: string): string {
  if (name === 'test') return test;
  if (name === 'date') return started;
  if (name === 'version') return version ?? 'NA';
  const value = columns[name];
  return value === undefined ? 'NA' : String(value);
}
