/** Reads the JSON of hyperfine (--export-json): each run of a command as a result under the command's name. */
import { Findings } from './findings.ts';
import { finiteOf, type JsonObject, listOf, objectOf, parseStrangersJson, textOf } from './json.ts';
import { excerptOf } from './lines.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';
import { resultNameOf } from './result-name.ts';

const ELAPSED = { name: 'elapsed', unit: 'ns', better: 'lower', scale: 1e9 } as const;
const MEMORY = { name: 'memory', unit: 'bytes', better: 'lower' } as const;
/** Below this, hyperfine itself warns, the time of the shell that it subtracts is no smaller. */
const SHORT_SECONDS = 0.005;

interface Command {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly times: readonly unknown[];
  /** Of each run, its code, or null where there was none: a signal. Null: hyperfine did not write them. */
  readonly codes: readonly unknown[] | null;
  readonly memory: readonly unknown[] | null;
}

/** Linear time; never throws. Means over runs, such as user and system time, are of no single run and are left out. */
export function readHyperfine(text: string): Reading {
  const json = parseStrangersJson(text);
  if (!json.ok) return json;
  const entries = listOf(objectOf(json.value)?.['results']);
  if (entries === null) return { ok: false, reason: 'it is no export of hyperfine, which has a list results' };
  const commands: Command[] = [];
  for (const [at, entry] of entries.entries()) {
    const command = commandOf(objectOf(entry) ?? {});
    if (typeof command === 'string') return { ok: false, reason: `result ${at + 1} ${command}` };
    commands.push(command);
  }
  if (commands.every(({ times }) => times.length === 0)) return { ok: false, reason: 'it has no run of a command' };
  const names = namesOf(commands);
  const results = commands.flatMap((command, at) => runsOf(command, names[at] ?? command.name));
  return { ok: true, results, warnings: warningsOf(commands) };
}

/** A clause where it is none. */
function commandOf(entry: JsonObject): Command | string {
  const name = resultNameOf(textOf(entry['command']));
  if (name === null) return 'has no command, as those of hyperfine have';
  const times = listOf(entry['times']);
  if (times === null) return 'has no times of single runs';
  const parameters: Record<string, string> = {};
  for (const [key, value] of Object.entries(objectOf(entry['parameters']) ?? {})) {
    parameters[excerptOf(key)] = excerptOf(textOf(value) ?? String(finiteOf(value)));
  }
  const codes = listOf(entry['exit_codes']);
  const memory = listOf(entry['memory_usage_byte']);
  return { name, parameters, times, codes, memory };
}

/** Commands that were given one name are told apart by their parameters, or else by their number. */
function namesOf(commands: readonly Command[]): string[] {
  const withParameters = ({ name, parameters }: Command): string => {
    const values = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
    return values.length === 0 ? name : `${name} (${values.join(', ')})`;
  };
  const plain = countsOf(commands.map(({ name }) => name));
  const first = commands.map((command) => (plain.get(command.name) === 1 ? command.name : withParameters(command)));
  const counts = countsOf(first);
  return first.map((name, at) => (counts.get(name) === 1 ? name : `${name} #${at + 1}`));
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function runsOf({ times, codes, memory, parameters }: Command, name: string): ToolResult[] {
  return times.map((time, at) => {
    const findings = new Findings();
    const seconds = finiteOf(time);
    if (seconds === 0) findings.lack(ELAPSED.name, 'nothing is left of it after the time of the shell was subtracted');
    else findings.take(ELAPSED, seconds, 'it is no number');
    if (memory !== null) findings.takePositive(MEMORY, finiteOf(memory[at]), 'it is no number');
    const { metrics, absent } = findings;
    return { name, settings: parameters, failure: codes === null ? null : failureOf(codes[at]), metrics, absent };
  });
}

function failureOf(code: unknown): string | null {
  if (code === undefined) return 'its exit code is missing';
  const number = finiteOf(code);
  if (number === null) return 'it was ended by a signal';
  return number === 0 ? null : `its exit code is ${number}`;
}

function warningsOf(commands: readonly Command[]): ReadingWarning[] {
  const short = commands.filter(({ times }) => times.some((time) => (finiteOf(time) ?? 1) < SHORT_SECONDS));
  if (short.length === 0) return [];
  return [
    {
      code: 'short-measurement',
      message: `runs of less than 5 ms: ${short.length === 1 ? excerptOf(short[0]?.name ?? '') : `of ${short.length} commands`}`,
      remedy:
        'Make the command do more, or use --shell=none: the time of the shell that hyperfine subtracts is no more exact.',
    },
  ];
}
