import { describe, expect, it } from 'vitest';
import { messageOf, reasonsOf, soundReading, toolOutput, valuesOf } from '../../test/reading.ts';
import { readGnuTime } from './gnu-time.ts';

const GOOD = toolOutput('gnu_time/good.txt');
const TWO = toolOutput('gnu_time/two-runs.txt');
const results = (text: string) => soundReading(readGnuTime(text)).results;
const only = (text: string) => {
  const [first, ...others] = results(text);
  if (first === undefined || others.length > 0) throw new Error('not one result');
  return first;
};

describe('output of GNU time -v', () => {
  it('has each command as a result, with sizes in bytes and times in ns', () => {
    const [loop, write] = results(TWO);
    expect(loop === undefined ? null : [loop.name, loop.failure, valuesOf(loop)]).toEqual([
      'sh -c i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 0.3',
      null,
      {
        user_time: 530e6,
        elapsed: 3100e6,
        max_rss: 1780 * 1024,
        major_faults: 0,
        minor_faults: 158,
        voluntary_switches: 5,
        involuntary_switches: 223,
        read_from_device: 0,
        written_to_device: 0,
      },
    ]);
    expect(write === undefined ? null : valuesOf(write)['written_to_device']).toBe(560 * 512);
  });

  it('has no time that was rounded to 0', () => {
    expect(reasonsOf(only(GOOD))).toEqual({
      user_time: 'it is printed as 0.00, rounded down',
      system_time: 'it is printed as 0.00, rounded down',
      elapsed: 'it is printed as 0:00.00, rounded down',
    });
  });

  it.each([
    ['0:01.07', 1.07e9],
    ['12:34.56', 754.56e9],
    ['1:02:03', 3723e9],
    ['100:00:00', 360000e9],
  ])('takes %s for a time', (printed, ns) => {
    expect(valuesOf(only(GOOD.replace('0:00.00', printed)))['elapsed']).toBe(ns);
  });

  it.each(['', '1.07', '0:1.07', '1:2:3:4', '0:00.0x'])('takes %j for no time', (printed) => {
    expect(reasonsOf(only(GOOD.replace('0:00.00', printed)))['elapsed']).toBe('it is no number');
  });

  it.each([
    // The exit status is printed as 0.
    ['signal', 'it was ended by signal 9'],
    ['exit-status', 'its exit status is 3'],
    ['not-found', 'its exit status is 127'],
  ])('tells the failure of %s', (name, failure) => {
    expect(only(toolOutput(`gnu_time/${name}.txt`)).failure).toBe(failure);
  });

  it('does not mind what the command wrote, and takes no failure from there', () => {
    const text = `Command terminated by signal 9\nnot so\n${GOOD}`;
    expect(only(text).failure).toBeNull();
  });

  it('leaves out an account that was cut', () => {
    const cut = TWO.slice(0, TWO.lastIndexOf('\tExit status'));
    expect(only(cut).name).toMatch(/^sh -c i=0/);
    expect(messageOf(readGnuTime(cut), 'unreadable-line')).toBe('an account ends before the exit status');
    expect(readGnuTime(GOOD.trimEnd())).toEqual({ ok: false, reason: 'it ends before the exit status' });
  });

  it('says of what is not there that it is not printed', () => {
    expect(reasonsOf(only(GOOD.replace(/\tMaximum.*\n/, '')))['max_rss']).toBe('it is not printed');
  });

  it.each([
    ['', 'it has no account of GNU time -v'],
    ['real\t0m0.1s\nuser\t0m0.1s\n', 'it has no account of GNU time -v'],
    ['\tconstructor: 1\n\tExit status: 0\n', 'it has no account of GNU time -v'],
  ])('is not %j', (text, reason) => expect(readGnuTime(text)).toEqual({ ok: false, reason }));
});
