import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { calibrationFound, rateFound } from '../../test/calibration-found.ts';
import { expectGolden } from '../../test/golden.ts';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { analyse } from '../analysis/analyse.ts';
import { calibrationWarnings } from '../analysis/calibration-warnings.ts';
import type { Calibration } from '../journal/calibration.ts';
import { calibrationDocument, calibrationText } from './calibration.ts';
import { calibrationDocumentSchema } from './calibration-schema.ts';
import { FORMATS } from './formats.ts';

const findings = (calibration: Calibration) => ({
  ...{ calibration, warnings: calibrationWarnings(calibration) },
  ...{ directory: 'cal', kept: { path: '/data/x.json', earlier_known: null } },
});
const text = (calibration: Calibration, quiet = false) =>
  calibrationText(findings(calibration), { color: false, width: 100, quiet });

test('schemas/calibration.schema.json is made from the code', () => {
  const schema = z.toJSONSchema(calibrationDocumentSchema, { target: 'draft-2020-12' });
  expectGolden('schemas/calibration.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
});

const KNOWN = {
  ...{ arm: 'after', unix_ms: Date.UTC(2024, 0, 2, 1), cost: 0.01, change: 0.0096, sd: 0.013 },
  ...{ found: rateFound(38, 40), covered: rateFound(39, 40), predicted: 0.912 },
};

test('the judgement, then the figures', () => {
  expect(
    text(calibrationFound({ sessions: true }, { known: KNOWN })),
  ).toBe(`write is nominal as far as 40 runs can tell: 2 of 40 A/A runs exclude zero, where 5 % should; the
  rate is 0.611 % to 16.9 % (95 % interval).

write path
2024-01-02 00:00:00 UTC, 40 A/A runs of 16 sessions, 1.5 s a session

write
  zero excluded          2 of 40, 0.611 % to 16.9 % (95 % interval); nominal 5 %
  false verdicts         1 of 40, 0.0633 % to 13.2 % (95 % interval)
  spread of a session    1.21 % (600 degrees of freedom)
  half the interval      0.64 % (median of the runs of 16 sessions)
  known cost             after +0.96 % on average, said to be +1 %
    spread of a session  1.31 %
    found                38 of 40, 83.1 % to 99.4 % (95 % interval)
    predicted            91.2 %
    in the interval      39 of 40, 86.8 % to 99.9 % (95 % interval); nominal 95 %

Trials in cal; kept for later runs in /data/x.json.
`);
});

test('what is not nominal is said at once, with what would help', () => {
  const calibration = calibrationFound({}, { excluded_zero: rateFound(9, 40) });
  expect(text(calibration, true)).toBe(
    'write excludes zero more often than it should: 9 of 40 A/A runs exclude zero, a rate of at least\n  10.8 %, above 5 %.\n',
  );
  expect(text(calibration)).toMatch(/calibration-excludes-zero \(write\).*\n.*\n *What would help: /);
  expect(calibrationDocument(findings(calibration))).toMatchObject({
    judgements: [{ metric: 'write', nominal: false }],
    warnings: [{ code: 'calibration-excludes-zero' }],
  });
});

test('what became of a known cost on record is said', () => {
  const told = (kept: boolean) => {
    const earlier_known = { unix_ms: Date.UTC(2024, 0, 1), kept };
    const own = { ...findings(calibrationFound()), kept: { path: '/data/x.json', earlier_known } };
    expect(calibrationDocument(own)).toMatchObject({ kept: '/data/x.json', earlier_known });
    return calibrationText(own, { color: false, width: 100, quiet: false }).replace(/\s+/g, ' ');
  };
  const date = 'the known cost that was measured on 2024-01-01 00:00:00 UTC';
  expect(told(true)).toContain(`; kept for later runs in /data/x.json, beside ${date}. `);
  expect(told(false)).toContain(`; kept for later runs in /data/x.json, in place of ${date}, which another version`);
});

test('runs without any effect are not called nominal', () => {
  const none = calibrationFound(
    {},
    { excluded_zero: rateFound(0, 0), false_verdicts: rateFound(0, 0), sd: null, df: 0 },
  );
  expect(text(none)).toMatch(/^write: no A\/A run has an effect, and nothing can be said\.$/m);
});

describe('in the reports of runs', () => {
  const values = { write: { a: [100, 102, 99, 101], b: [110, 111, 112, 109] } };
  const told = (options: Partial<JournalOptions>) => {
    const journal = journalOf({ values, ...options });
    const input = {
      ...{ journal, analysis: analyse(journal), directory: null },
      options: { color: false, quiet: false, width: 120 },
    };
    const flat = (report: string) => report.replace(/\s+/g, ' ');
    return {
      text: flat(FORMATS.text(input)),
      markdown: flat(FORMATS.markdown(input)),
      json: JSON.parse(FORMATS.json(input)),
    };
  };

  test('a run says when it was calibrated and what that found', () => {
    const calibration = calibrationFound();
    const { text, markdown, json } = told({ calibration });
    const sentence =
      'calibrated on 2024-01-02 00:00:00 UTC (write path): 2 of 40 A/A runs of 16 pairs excluded zero, a rate of 0.611 % to 16.9 % where 5 % is nominal; spread of a pair 1.21 %.';
    expect(text).toContain(`write: ${sentence}`);
    expect(markdown).toContain(sentence);
    expect(json.calibration).toEqual(calibration);
  });

  test('and that a sequence excludes zero at rates of its own', () => {
    const values = { write: { a: [100, 102, 99, 101], b: [110, 111, 112, 109] } };
    const [fixed, sequence] = [{ values }, { values, sequential: { min: 2, max: 4 } }] as const;
    const said = (options: JournalOptions, sequential: boolean | null) =>
      /Those A\/A runs were judged [^.]*\./.exec(
        told({ ...options, calibration: calibrationFound({ sequential }) }).text,
      )?.[0];
    expect(said(sequence, false)).toBe(
      'Those A/A runs were judged once, after a fixed number, this run by a sequence: how often it would exclude zero is not known from them.',
    );
    expect(said(fixed, true)).toMatch(/judged by a sequence, this run once, after a fixed number: /);
    expect(said(fixed, null)).toMatch(/judged by a rule that is not on record, this run once/);
    expect(said(fixed, false)).toBeUndefined();
    expect(said(sequence, true)).toBeUndefined();
  });

  test('and nothing where it was not, or where the metric does not decide', () => {
    const { text, json } = told({});
    expect(text).not.toContain('calibrat');
    expect(json).not.toHaveProperty('calibration');
    const calibration = calibrationFound({}, { metric: 'other' });
    expect(told({ calibration }).text).not.toContain('calibrated on');
  });

  test('a calibration says that it is one', () => {
    const same = told({ calibrates: { runs: 2, against: 'same', cost: null } });
    expect(same.text).toContain('This is a calibration: 2 runs of 2 pairs, each of a against itself.');
    const known = told({ calibrates: { runs: 2, against: 'known', cost: 0.01 } });
    expect(known.markdown).toMatch(/each of .*a.* against .*b.*, whose cost is known/);
  });
});
