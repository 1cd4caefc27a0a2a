import { expect, test } from 'vitest';
import { parseDuration, parseFraction, parseNanoseconds, parseSize } from './quantities.ts';

test.each([
  ['10m', 600_000],
  ['10 min', 600_000],
  ['1.5h', 5_400_000],
  ['30s', 30_000],
  ['500ms', 500],
  [0.25, 250],
  ['10', null],
  ['-1s', null],
  ['1 d', null],
  ['s', null],
  ['', null],
])('%j as a time is %j ms', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

test.each([
  ['600us', 600_000],
  ['0.5 us', 500],
  ['1.5ms', 1_500_000],
  ['1 min', 60_000_000_000],
  [0.25, 250_000_000],
  ['1h', null],
  ['600', null],
  ['600 ns', null],
])('%j as a short time is %j ns', (text, ns) => expect(parseNanoseconds(text)).toBe(ns));

test.each([
  ['16 MiB', 16_777_216],
  ['1kB', 1000],
  ['1.5 GB', 1_500_000_000],
  ['2 GiB', 2_147_483_648],
  ['3 B', 3],
  [4096, 4096],
  ['16', null],
  ['1 mb', null],
])('%j as a size is %j bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes));

test.each([
  ['1%', 0.01],
  ['1.1 %', 0.011],
  ['0.07%', 0.0007],
  ['29%', 0.29],
  [0.05, 0.05],
  ['0.05', null],
  ['%', null],
])('%j as a fraction is %j', (text, fraction) => expect(parseFraction(text)).toBe(fraction));
