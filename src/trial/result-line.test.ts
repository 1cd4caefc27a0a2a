import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findResultLine } from './result-line.ts';

const LINE =
  '{"metrics":{"write_ns":12.5},"checks":{"verified":{"ok":true,"detail":"1000 keys"}},"facts":{"keys":1000}}';

describe('findResultLine', () => {
  it('reads the last line that is one JSON object', () => {
    const found = findResultLine(`{"metrics":{"write_ns":1}}\nloading\n${LINE}\n`);
    expect(found).toMatchObject({
      ok: true,
      line: {
        metrics: { write_ns: 12.5 },
        checks: { verified: { ok: true, detail: '1000 keys' } },
        facts: { keys: 1000 },
      },
    });
  });

  it.each(['', '\n', '\n\nbye\n', '\r\n', '\n[1]\n', '\n"text"\n', '\n{not json}\n'])(
    'is not put off by %j after it',
    (after) => {
      expect(findResultLine(LINE + after)).toMatchObject({ ok: true, line: { metrics: { write_ns: 12.5 } } });
    },
  );

  it('takes each part as optional, and ignores other keys', () => {
    const found = findResultLine('{"version":1,"checks":{"a":{"ok":false,"ms":3}}}');
    expect(found).toMatchObject({
      ok: true,
      line: { metrics: {}, checks: { a: { ok: false, detail: '' } }, facts: {} },
    });
    expect(found.ok && found.line.document).toEqual({ version: 1, checks: { a: { ok: false, ms: 3 } } });
  });

  it('reads counters, or why there are none', () => {
    const reading = { kind: 'hardware', events: { cycles: 5, stalls: 7 }, enabled_ns: 3, running_ns: 2 };
    const found = findResultLine(JSON.stringify({ metrics: {}, counters: reading }));
    expect(found.ok && found.line.counters).toEqual({ ...reading, events: { cycles: 5 } });
    const without = findResultLine('{"counters":{"kind":"software","unsupported":"not here"}}');
    expect(without.ok && without.line.counters).toEqual({ kind: 'software', unsupported: 'not here' });
    const silent = findResultLine('{"metrics":{}}');
    expect(silent.ok && silent.line.counters).toBeNull();
  });

  it('reads how many operations the driver did, where it says so', () => {
    const found = findResultLine('{"metrics":{},"operations":9007199254740991}');
    expect(found.ok && found.line.operations).toBe(2 ** 53 - 1);
    const silent = findResultLine('{"metrics":{}}');
    expect(silent.ok && silent.line.operations).toBeNull();
  });

  it.each(['', '\n\n', 'hello\n', '[{"metrics":{}}]', '3', 'null'])('says that there is none in %j', (stdout) => {
    expect(findResultLine(stdout)).toMatchObject({ ok: false, kind: 'absent' });
  });

  it.each([
    ['{"metrics":{"read_ns":"NaN"}}', /"\/metrics\/read_ns": expected a finite number, found "NaN"/],
    ['{"metrics":{"read_ns":null}}', /found null/],
    ['{"metrics":{"read_ns":1e999}}', /expected a finite number, found Infinity/],
    ['{"metrics":{"a/b":"1"}}', /"\/metrics\/a~1b"/],
    ['{"metrics":[1]}', /\/metrics/],
    ['{"operations":0}', /"\/operations": expected a whole number from 1 to 2\^53, found 0/],
    ['{"operations":-1}', /found -1/],
    ['{"operations":1.5}', /found 1.5/],
    ['{"operations":"7"}', /expected a whole number from 1 to 2\^53, found "7"/],
    ['{"operations":null}', /found null/],
    ['{"checks":{"verified":true}}', /\/checks\/verified/],
    ['{"checks":{"verified":{"ok":"false"}}}', /found "false"/],
    ['{"checks":{"verified":{"detail":"x"}}}', /found nothing/],
    ['{"checks":{"a\\u001b[2J":{"ok":true}}}', /visible characters/],
    ['{"checks":{"":{"ok":true}}}', /visible characters/],
    ['{"counters":{"kind":"off"}}', /"\/counters\/kind": expected "hardware" or "software", found "off"/],
    ['{"counters":{"kind":"hardware"}}', /"\/counters": expected events, enabled_ns and running_ns, or unsupported/],
    ['{"counters":{"kind":"hardware","events":{},"enabled_ns":1,"running_ns":2}}', /at most enabled_ns/],
    ['{"counters":{"kind":"hardware","events":{"cycles":-1},"enabled_ns":1,"running_ns":1}}', /\/events\/cycles/],
    ['{"metrics":{"read_ns":NaN}}', /not JSON \(which has no NaN/],
    ['{"metrics":{"read_ns":1}', /not JSON/],
    [`{"metrics":{"a":1},"facts":{"x":"${'y'.repeat(1 << 20)}"}}`, /longer than/],
    [`{"facts":{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`, /levels deep/],
    ['{"metrics":{"__proto__":{"x":1}}}', /__proto__/],
    ['{"checks":{"__proto__":{"ok":false}}}', /__proto__/],
  ])('says what is wrong with %.60s', (stdout, reason) => {
    const found = findResultLine(stdout);
    expect(found).toMatchObject({ ok: false, kind: 'malformed', reason: expect.stringMatching(reason) });
    expect(!found.ok && found.reason.length).toBeLessThan(300);
  });

  it('does not fall back on an earlier line when the result line is broken', () => {
    const found = findResultLine('{"metrics":{"done":0.5}}\n{"metrics":{"done":nan}}\n');
    expect(found).toMatchObject({ ok: false, kind: 'malformed' });
  });

  it('knows whether a broken line reports checks', () => {
    expect(findResultLine('{"checks":{"v":{"ok":1}}}')).toMatchObject({ reports_checks: true });
    expect(findResultLine('{"metrics":3}')).toMatchObject({ reports_checks: false });
  });

  it('is not changed by keys that name parts of an object', () => {
    const found = findResultLine('{"__proto__":{"metrics":{"x":1}},"metrics":{"constructor":1,"toString":2}}');
    expect(found).toMatchObject({ ok: true, line: { metrics: { constructor: 1, toString: 2 } } });
    expect(found.ok && Object.keys(found.line.metrics)).toEqual(['constructor', 'toString']);
  });

  it('reads back any line that keeps the protocol, and never throws on anything else', () => {
    const name = fc.string({ unit: fc.constantFrom(...'abz_/~é.1 '), minLength: 1, maxLength: 10 });
    const line = fc.record({
      metrics: fc.dictionary(name, fc.double({ noNaN: true, noDefaultInfinity: true })),
      checks: fc.dictionary(name, fc.record({ ok: fc.boolean(), detail: fc.string() })),
      facts: fc.dictionary(name, fc.jsonValue({ maxDepth: 3 })),
    });
    fc.assert(
      fc.property(line, fc.string(), (value, noise) => {
        const text = JSON.stringify(value);
        const found = findResultLine(`${noise}\n${text}\n`);
        const { metrics, checks } = JSON.parse(text);
        expect(found).toMatchObject({ ok: true });
        expect(found.ok && { ...found.line.metrics }).toEqual(metrics);
        expect(found.ok && { ...found.line.checks }).toEqual(checks);
      }),
    );
    const soup = fc.string({
      unit: fc.constantFrom(...'{}[]":,\n\r 1e"', '"metrics"', '"checks"', '"ok"', 'true', '__proto__'),
      maxLength: 60,
    });
    fc.assert(fc.property(soup, (stdout) => void findResultLine(stdout)));
    fc.assert(fc.property(fc.string(), (stdout) => void findResultLine(stdout)));
  });

  it('gives up on output that is full of lines that are nearly JSON', () => {
    expect(findResultLine(`${LINE}\n${'{x}\n'.repeat(9_000)}`)).toMatchObject({ ok: true });
    expect(findResultLine('{x}\n'.repeat(1_000_000))).toMatchObject({ ok: false, kind: 'absent' });
    expect(findResultLine('\n'.repeat(4_000_000))).toMatchObject({ ok: false, kind: 'absent' });
  });
});
