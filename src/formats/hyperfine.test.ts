import { describe, expect, it } from 'vitest';
import { messageOf, reasonsOf, soundReading, toolOutput, valuesOf } from '../../test/reading.ts';
import { readHyperfine } from './hyperfine.ts';

const sample = (name: string) => readHyperfine(toolOutput(`hyperfine/${name}.json`));
const runs = (name: string) => soundReading(sample(name)).results;
const text = (entry: object) => JSON.stringify({ results: [{ command: 'a', times: [1], ...entry }] });

describe('an export of hyperfine', () => {
  it('has each run as a result under its command', () => {
    expect(runs('good').map((result) => [result.name, result.failure, valuesOf(result)])).toEqual([
      ['true', null, { elapsed: 2979084 }],
      ['true', null, { elapsed: 3106041 }],
      ['true', null, { elapsed: 1056470 }],
      ['sleep 0.02', null, { elapsed: 22357445 }],
      ['sleep 0.02', null, { elapsed: 23255330 }],
      ['sleep 0.02', null, { elapsed: 29375582 }],
    ]);
  });

  it('has failures where exit codes are not 0, and parameters as settings', () => {
    expect(runs('exit-codes').map(({ name, failure, settings }) => [name, failure, settings])).toEqual([
      ['exit 1', 'its exit code is 1', { n: '1' }],
      ['exit 1', 'its exit code is 1', { n: '1' }],
      ['exit 2', 'its exit code is 2', { n: '2' }],
      ['exit 2', 'its exit code is 2', { n: '2' }],
    ]);
    const ended = text({ times: [1, 1], exit_codes: [null] });
    expect(soundReading(readHyperfine(ended)).results.map(({ failure }) => failure)).toEqual([
      'it was ended by a signal',
      'its exit code is missing',
    ]);
  });

  it('tells commands of one name apart', () => {
    expect([...new Set(runs('one-name').map(({ name }) => name))]).toEqual(['named (n=1)', 'named (n=2)']);
    const long = (end: string) => ({ command: 'x'.repeat(300) + end, times: [1] });
    const names = soundReading(readHyperfine(JSON.stringify({ results: [long('a'), long('b')] }))).results;
    expect(names.map(({ name }) => name.slice(-2))).toEqual(['xa', 'xb']);
    const twice = JSON.stringify({ results: [1, 2].map((time) => ({ command: 'a', times: [time] })) });
    expect(soundReading(readHyperfine(twice)).results.map(({ name }) => name)).toEqual(['a #1', 'a #2']);
  });

  it('has no time of 0, and warns of those that are short', () => {
    const [first] = runs('short');
    expect(first === undefined ? null : [valuesOf(first), reasonsOf(first)]).toEqual([
      {},
      { elapsed: 'nothing is left of it after the time of the shell was subtracted' },
    ]);
    expect(messageOf(sample('short'), 'short-measurement')).toBe('runs of less than 5 ms: true');
    expect(messageOf(sample('one-name'), 'short-measurement')).toBe('runs of less than 5 ms: named');
  });

  it('has the memory of each run where hyperfine wrote it', () => {
    const [first] = soundReading(readHyperfine(text({ memory_usage_byte: [4096] }))).results;
    expect(first === undefined ? null : valuesOf(first)).toEqual({ elapsed: 1e9, memory: 4096 });
  });

  it.each([
    ['{"results": [', 'it is no JSON, or was cut'],
    ['[]', 'it is no export of hyperfine, which has a list results'],
    ['{"results": []}', 'it has no run of a command'],
    ['{"results": [{"times": [1]}]}', 'result 1 has no command, as those of hyperfine have'],
    [text({ times: undefined }), 'result 1 has no times of single runs'],
  ])('is not %j', (whole, reason) => expect(readHyperfine(whole)).toEqual({ ok: false, reason }));
});
