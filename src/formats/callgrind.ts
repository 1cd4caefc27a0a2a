/**
 * Reads what callgrind writes: the instructions of each function. The format is that of the Valgrind manual, "Callgrind
 * Format Specification"; of it only what self cost needs: where in the source a cost arose, and who called whom, is skipped.
 */
import type { Reading } from './reading.ts';

export type CallgrindProfile =
  | {
      readonly ok: true;
      /** Counted in all parts of the file. */
      readonly instructions: number;
      /** Of functions themselves, without what they call; the largest first, none of 0. */
      readonly functions: readonly FunctionCost[];
    }
  /** A clause about the file, without a full stop. */
  | { readonly ok: false; readonly reason: string };

interface FunctionCost {
  /** Demangled, as callgrind writes it; `??? (libc.so.6)` is all code of a file that has no names. */
  readonly name: string;
  readonly instructions: number;
}

/** Instructions executed, as callgrind calls that event. */
const EVENT = 'Ir';
/** The costs of recursive calls are kept apart, as `name'2`; they are of one function. */
const RECURSION = /'[0-9]{1,9}$/;
/** A function without a name: in a file that has some, and in one that has none. */
const UNNAMED = /^(?:\?\?\?|0x[0-9a-f]+)$/;
const NUMBER = /^(?:[0-9]{1,16}|0x[0-9a-fA-F]{1,13})$/;
const KEY = /^([A-Za-z]{1,32})([=:])/;

/**
 * The profile in the text of a `callgrind.out` file. Parts and threads are added, and so are functions of one name,
 * whatever file they come from. Linear time; never throws.
 */
export function parseCallgrind(text: string): CallgrindProfile {
  const state = openState();
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    start = end + 1;
    number += 1;
    if (line === '' || line.startsWith('#')) continue;
    const fault = isCost(line) ? takeCost(state, line) : takeKey(state, line);
    if (fault !== null) return { ok: false, reason: `line ${number} ${fault}` };
  }
  if (!state.closed) return { ok: false, reason: 'it ends before its totals' };
  if (!Number.isSafeInteger(state.totals)) return { ok: false, reason: 'its totals are too large' };
  const costs = [...state.costs.values()].reduce((sum, instructions) => sum + instructions, 0);
  if (costs !== state.totals) {
    return { ok: false, reason: `its functions add up to ${costs} instructions, and its totals say ${state.totals}` };
  }
  const functions = [...state.costs]
    .filter(([, instructions]) => instructions > 0)
    .map(([name, instructions]) => ({ name, instructions }))
    .sort((a, b) => b.instructions - a.instructions || (a.name < b.name ? -1 : 1));
  return { ok: true, instructions: state.totals, functions };
}

interface State {
  readonly costs: Map<string, number>;
  readonly functions: Map<string, string>;
  readonly objects: Map<string, string>;
  /** Of the function that costs are of. */
  object: string;
  current: string | null;
  /** How many words of a line of costs say where. */
  positions: number;
  /** Of the instructions, among the events; null until the events are known. */
  column: number | null;
  /** The line before was one of calls: what follows is the cost of the call with all that it called. */
  calls: boolean;
  totals: number;
  /** The totals of all costs so far have come. */
  closed: boolean;
}

function openState(): State {
  return {
    costs: new Map(),
    functions: new Map(),
    objects: new Map(),
    object: '',
    current: null,
    positions: 1,
    column: null,
    calls: false,
    totals: 0,
    closed: false,
  };
}

/** Whether a line begins with a position: a number, absolute or relative, or `*`. */
function isCost(line: string): boolean {
  const code = line.charCodeAt(0);
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2a;
}

/** Takes a line in; what is wrong with it, else null. */
function takeCost(state: State, line: string): string | null {
  if (state.column === null) return 'has costs before the events are named';
  const cost = wordAt(line, state.positions + state.column);
  if (cost === null) return 'has a cost that is no number';
  state.closed = false;
  if (state.calls) state.calls = false;
  else if (state.current === null) return 'has costs of no function';
  else state.costs.set(state.current, (state.costs.get(state.current) ?? 0) + cost);
  return null;
}

function takeKey(state: State, line: string): string | null {
  const match = KEY.exec(line);
  if (match === null || state.calls) return 'is not of the format';
  const [whole, key = '', sign] = match;
  const value = line.slice(whole.length).trim();
  return sign === '=' ? takeName(state, key, value) : takeHeader(state, key, value);
}

/** Files (fl, fi, fe, cfi, cfl) and jumps say where, not how much. */
function takeName(state: State, key: string, value: string): string | null {
  if (key === 'calls') {
    state.calls = true;
    return null;
  }
  const ofFunction = key === 'fn' || key === 'cfn';
  if (!ofFunction && key !== 'ob' && key !== 'cob') return null;
  const name = resolve(ofFunction ? state.functions : state.objects, value);
  if (name === null) return 'has a number in the place of a name that was not given before';
  if (key === 'ob') state.object = name;
  if (key === 'fn') state.current = nameOf(name, state.object);
  return null;
}

function takeHeader(state: State, key: string, value: string): string | null {
  if (key === 'positions') state.positions = value.split(/\s+/).length;
  if (key === 'events') {
    const column = value.split(/\s+/).indexOf(EVENT);
    if (column < 0) return `names events without ${EVENT}, the instructions executed`;
    state.column = column;
  }
  if (key === 'totals') {
    const sum = state.column === null ? null : wordAt(value, state.column);
    if (sum === null) return 'has totals that are no numbers';
    state.totals += sum;
    state.closed = true;
  }
  return null;
}

/** Names are written once, as `(12) name`, and from then on as `(12)`. Null: no such name was written. */
function resolve(known: Map<string, string>, written: string): string | null {
  const match = /^\(([0-9]{1,16})\)/.exec(written);
  if (match === null) return written;
  const [whole, id = ''] = match;
  const name = written.slice(whole.length).trim();
  if (name === '') return known.get(id) ?? null;
  known.set(id, name);
  return name;
}

function nameOf(written: string, object: string): string {
  const name = written.replace(RECURSION, '');
  if (!UNNAMED.test(name)) return name;
  return `??? (${object === '' || object === '???' ? 'unknown file' : object.slice(object.lastIndexOf('/') + 1)})`;
}

/** The number at an index of a line; 0 where the line ends before it; null where there is something else. */
function wordAt(line: string, index: number): number | null {
  const word = line.split(/\s+/, index + 1)[index];
  if (word === undefined || word === '') return 0;
  const value = NUMBER.test(word) ? Number(word) : Number.NaN;
  return Number.isSafeInteger(value) ? value : null;
}

/** The same as results: the whole program as `total`, and each function under its name. */
export function readCallgrind(text: string): Reading {
  const profile = parseCallgrind(text);
  if (!profile.ok) return profile;
  const all = [{ name: 'total', instructions: profile.instructions }, ...profile.functions];
  const results = all.map(({ name, instructions }) => ({
    name,
    settings: {},
    failure: null,
    metrics: [{ name: 'instructions', unit: 'instructions', better: 'lower' as const, value: instructions }],
    absent: [],
  }));
  return { ok: true, results, warnings: [] };
}
