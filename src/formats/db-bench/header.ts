/** What db_bench says before its first result: the build, the data, and what it warns of. */
import { decimalOf } from '../decimal.ts';
import { excerptOf } from '../lines.ts';

/** Of one execution of db_bench. Null is what it did not print, or what was printed elsewhere. */
export interface DbBenchHeader {
  readonly version: string | null;
  readonly seed: string | null;
  readonly keyBytes: number | null;
  readonly valueBytes: number | null;
  readonly entries: number | null;
  readonly compression: string | null;
  /** The options that matter here, where whoever ran it printed the command line, as benchmark.sh does; by their names. */
  readonly options: ReadonlyMap<string, string> | null;
  /** In the words of db_bench, without `WARNING: `. */
  readonly warnings: readonly string[];
}

export type OpenHeader = { -readonly [key in keyof DbBenchHeader]: DbBenchHeader[key] } & { warnings: string[] };

export function openHeader(): OpenHeader {
  return {
    version: null,
    seed: null,
    keyBytes: null,
    valueBytes: null,
    entries: null,
    compression: null,
    options: null,
    warnings: [],
  };
}

type Fact = Exclude<keyof DbBenchHeader, 'warnings' | 'options'>;

const FACTS: readonly { readonly fact: Fact; readonly pattern: RegExp; readonly number: boolean }[] = [
  { fact: 'version', pattern: /^RocksDB: {1,12}version ([0-9A-Za-z.+-]{1,40})/, number: false },
  { fact: 'seed', pattern: /^Set seed to ([0-9]{1,20}) because/, number: false },
  { fact: 'keyBytes', pattern: /^Keys: {1,12}([0-9]{1,12}) bytes each/, number: true },
  { fact: 'valueBytes', pattern: /^Values: {1,12}([0-9]{1,12}) (?:avg )?bytes each/, number: true },
  { fact: 'entries', pattern: /^Entries: {1,12}([0-9]{1,20})$/, number: true },
  { fact: 'compression', pattern: /^Compression: ([0-9A-Za-z_-]{1,40})$/, number: false },
];

const OPTIONS: ReadonlySet<string> = new Set(['threads', 'seed', 'num', 'reads', 'duration', 'use_existing_db']);
const MOST_OPTIONS = 1000;
const WARNING = 'WARNING: ';
const MOST_WARNINGS = 20;

/**
 * The header that a line is of: `header`, or a new one where the line says again what that has said already, as the outputs of several
 * executions in one file do. Null: it is of none.
 */
export function takeHeaderLine(header: OpenHeader, line: string): OpenHeader | null {
  if (line.startsWith(WARNING)) {
    if (header.warnings.length < MOST_WARNINGS) header.warnings.push(excerptOf(line.slice(WARNING.length)));
    return header;
  }
  const options = optionsIn(line);
  if (options !== null) {
    const target = header.options === null ? header : openHeader();
    target.options = options;
    return target;
  }
  for (const { fact, pattern, number } of FACTS) {
    const value = pattern.exec(line)?.[1];
    if (value === undefined) continue;
    const target = header[fact] === null ? header : openHeader();
    Object.assign(target, { [fact]: number ? decimalOf(value) : value });
    return target;
  }
  return null;
}

/** Of a command line; null where the line is none. */
function optionsIn(line: string): ReadonlyMap<string, string> | null {
  if (!line.includes('db_bench ') || !line.includes('--benchmarks=')) return null;
  const options = new Map<string, string>();
  for (const word of line.split(' ', MOST_OPTIONS)) {
    const [, name = '', value = ''] = /^--?([a-z_]{1,40})=([0-9A-Za-z.]{1,40})$/.exec(word) ?? [];
    if (OPTIONS.has(name)) options.set(name, value);
  }
  return options;
}
