import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectGolden } from '../../test/golden.ts';
import { journalOf } from '../../test/journal-builder.ts';
import type { JudgedFact, NoiseProbe } from '../host/readiness.ts';
import { doctorDocument, doctorText } from './doctor.ts';
import { doctorSchema } from './doctor-schema.ts';

const { machine: facts } = journalOf({ values: { wall: { a: [1], b: [1] } } }).run;
const OK: JudgedFact = {
  id: 'cpu',
  group: 'Processor',
  name: 'CPU',
  status: 'ok',
  found: 'Xeon, 2 CPUs',
  remedy: null,
};
const HIDDEN = { group: 'Processor', status: 'warn', found: 'not known here', remedy: 'Ask who runs it.' } as const;
const GOVERNOR: JudgedFact = { ...HIDDEN, id: 'governor', name: 'frequency governor' };
const TURBO: JudgedFact = { ...HIDDEN, id: 'turbo', name: 'turbo' };
const QUOTA: JudgedFact = {
  ...{ id: 'cpu-quota', group: 'Shared', name: 'CPU quota', status: 'bad' },
  ...{ found: 'that of 1 CPU for 2 CPUs that may be used', remedy: 'Lift it, or allow as few CPUs as it pays for.' },
};
const PROBE: NoiseProbe = {
  ...{ method: 'launcher', cpu: 1, pairs: 20, loop_ns: 1e8, sd: 0.01, detectable: 0.0085, pairs_for_one_percent: 13 },
  noise: { steal: 0, other_cpu: 0.1, frequency_hz: null },
};

function text(checks: readonly JudgedFact[], { color = false, width = 70 } = {}): string {
  const ready = checks.every(({ status }) => status !== 'bad');
  return doctorText({ checks, ready, facts, busy: [], probe: null }, { color, width });
}

test('facts stand in groups, what helps below them and once for several, the verdict last', () => {
  expect(text([OK, GOVERNOR, TURBO, QUOTA])).toBe(`Processor
  ok    CPU                 Xeon, 2 CPUs
  warn  frequency governor  not known here
  warn  turbo               not known here
                            What would help: Ask who runs it.

Shared
  bad   CPU quota           that of 1 CPU for 2 CPUs that may be used
                            What would help: Lift it, or allow as few
                            CPUs as it pays for.

Not ready to measure: 1 bad, 2 warnings.
`);
});

test.each([
  ['Ready to measure.', [OK]],
  ['Ready to measure, with 1 warning.', [OK, TURBO]],
  ['Not ready to measure: 1 bad, 0 warnings.', [OK, QUOTA]],
] as const)('%s', (last, checks) => expect(text(checks).trimEnd().split('\n').at(-1)).toBe(last));

test('colours are of the status, and only where they are wanted', () => {
  expect(text([OK, TURBO, QUOTA])).not.toContain('\u001b');
  const colored = text([OK, TURBO, QUOTA], { color: true });
  expect(colored).toContain('\u001b[32mok  \u001b[0m');
  expect(colored).toContain('\u001b[33mwarn\u001b[0m');
  expect(colored).toContain('\u001b[31mbad \u001b[0m');
});

test('text of strangers steers no terminal and breaks no line', () => {
  const hostile = { ...OK, found: '1: \u001b[2J\r\nReady to measure. \u202e' };
  expect(text([hostile])).toContain('1: \\u{1b}[2J Ready to measure. \\u{202e}');
});

test('no line is longer than the terminal is wide', () => {
  const long = { ...QUOTA, found: 'a word '.repeat(60), remedy: 'Do this. '.repeat(60) };
  for (const line of text([OK, long], { width: 60 }).split('\n')) expect(line.length).toBeLessThanOrEqual(60);
});

test('schemas/doctor.schema.json is made from the code', () => {
  const schema = z.toJSONSchema(doctorSchema, { target: 'draft-2020-12' });
  expectGolden('schemas/doctor.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
});

test('the document has all of it, and reads back as it was', () => {
  const findings = { checks: [OK, QUOTA], ready: false, facts, busy: [{ name: 'cc1plus', cpu: 0.9 }], probe: PROBE };
  const document = doctorDocument(findings, '0.1.0');
  expect(document).toEqual({ version: 1, assay: '0.1.0', ...findings });
  expect(doctorSchema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
});
