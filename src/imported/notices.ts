/** What a reader of an import must know: of how it was measured nothing is known but what the files say. */
import type { ReadingWarning, ToolResult } from '../formats/reading.ts';
import { toolOf } from '../formats/tools.ts';
import type { Imported, Notice } from '../journal/records.ts';
import { groupsBy } from '../storage/groups.ts';
import { cutShown, quoteStart } from '../trial/quote.ts';
import { shownWarning } from '../trial/tool-output.ts';
import { MOST_METRICS, type SidesOfResult } from './metrics.ts';
import { namesOf, type ReadSide, THE_RESULT } from './repetitions.ts';
import type { ImportRequest } from './request.ts';
import { type FoundMetric, fullName } from './values.ts';

const MOST_NAMED = 5;
const MOST_READER_WARNINGS = 20;
const LONGEST_SETTING = 60;

export interface Found {
  readonly sides: readonly ReadSide[];
  /** Those that all sides have. */
  readonly results: readonly SidesOfResult[];
  readonly unit: Imported['unit'];
  readonly order: Imported['order'];
  readonly turns: readonly (readonly string[])[] | null;
  readonly said: readonly { readonly file: string; readonly warnings: readonly ReadingWarning[] }[];
  readonly otherUnits: readonly FoundMetric[];
  readonly leftOut: readonly FoundMetric[];
  readonly files: readonly { readonly sha256: string }[];
}

export function importWarnings(request: ImportRequest, found: Found): readonly Notice[] {
  const warnings = [
    orderNotice(found),
    oneOrder(found),
    sameFile(request, found),
    sharedProcess(request, found),
    unpaired(request, found),
    failed(request, found),
    missing(found),
    otherUnits(found),
    leftOut(found),
    settings(request, found),
  ];
  return [...warnings.filter((warning) => warning !== null), ...saidByReaders(request, found)];
}

function orderNotice({ order }: Found): Notice | null {
  if (order !== 'unknown') return null;
  return {
    code: 'order-not-controlled',
    message:
      'The order of the sides was not under control, as far as the files show: what drifted on the machine between them is in every change, and no interval covers it. An interval holds only for what did not change between the sides.',
    remedy:
      'Measure the sides in turns (A B B A …) and say so with --interleaved, or let Assay run them: assay compare, or an experiment.',
  };
}

/** In turns, but always the same first. */
function oneOrder({ turns }: Found): Notice | null {
  const [first] = turns ?? [];
  if (turns === null || first === undefined || turns.some((order) => order.join('\0') !== first.join('\0')))
    return null;
  return {
    code: 'one-order',
    message: `${first[0]} ran first every time: what running later does by itself is in every change.`,
    remedy: 'Let each side run first in half of the pairs (A B B A …).',
  };
}

/** A file of two sides, or a copy of it: both are one measurement. */
function sameFile({ sides }: ImportRequest, { files }: Found): Notice | null {
  const digests = sides.map((side) => new Set(side.files.map((at) => files[at]?.sha256)));
  const pairs = sides.flatMap(({ arm, result }, at) =>
    sides.slice(0, at).flatMap((other, before) => {
      const shared = [...(digests[at] ?? [])].some((digest) => digests[before]?.has(digest));
      return shared && result === null ? [`${other.arm} and ${arm}`] : [];
    }),
  );
  if (pairs.length === 0) return null;
  return {
    code: 'same-file',
    message: `The same file is on two sides: ${listed(pairs)}. What it holds is compared with itself.`,
    remedy: 'Give each side the files that were measured for it.',
  };
}

function sharedProcess({ tool }: ImportRequest, { unit }: Found): Notice | null {
  if (unit !== 'shared') return null;
  return {
    code: 'shared-process',
    message: `The repetitions of a side share one process of ${toolOf(tool).title}: their spread leaves out what differs between processes, such as the layout of memory.`,
    remedy: 'Start the tool several times, and give a file for each process.',
  };
}

function unpaired({ sides, files }: ImportRequest, { results, unit }: Found): Notice | null {
  const told = new Map<string, string[]>();
  for (const { result, repetitions } of results) {
    const pairs = Math.min(...repetitions.map(({ length }) => length));
    for (const [side, own] of repetitions.entries()) {
      const rest = own.slice(pairs);
      if (rest.length === 0) continue;
      const from = [...new Set(rest.map(({ file }) => quoteStart(files[file]?.name ?? '')))];
      const which = rest.length === 1 ? `repetition ${pairs + 1}` : `repetitions ${pairs + 1} to ${own.length}`;
      const what = `${unit === 'file' ? listed(from) : `${which} (${listed(from)})`} of ${sides[side]?.arm ?? ''}`;
      const of = told.get(what) ?? [];
      of.push(result);
      told.set(what, of);
    }
  }
  if (told.size === 0) return null;
  const each = [...told].map(([what, [first = '', ...more]]) => {
    if (more.length > 0) return `${what}, in ${more.length + 1} results`;
    return first === THE_RESULT ? what : `${what}, in ${quoteStart(first)}`;
  });
  return {
    code: 'unpaired',
    message: `Without a partner, and in no number: ${listed(each, '; ')}.`,
    remedy: 'Measure all sides equally often.',
  };
}

/** What failed in a result that does not decide; where it decides, the run is invalid. */
function failed({ sides }: ImportRequest, { results }: Found): Notice | null {
  const told = results.flatMap(({ result, repetitions }) =>
    repetitions.flatMap((own, side) => {
      const count = own.filter((one) => one.results.some(({ failure }) => failure !== null)).length;
      const what = result === THE_RESULT ? 'of' : `of ${quoteStart(result)} in`;
      return count === 0 ? [] : [`${count} of ${own.length} ${what} ${sides[side]?.arm ?? ''}`];
    }),
  );
  if (told.length === 0) return null;
  return {
    code: 'failed-results',
    message: `Repetitions failed, and have no numbers: ${listed(told)}.`,
    remedy: 'See why: where one side fails more often, what is left of it misleads.',
  };
}

/** Results that not all sides have. */
function missing({ sides }: Found): Notice | null {
  const names = sides.map((side) => new Set(namesOf(side)));
  const all = new Set(names.flatMap((own) => [...own]));
  const told = [...all].filter((name) => !names.every((own) => own.has(name))).map((name) => quoteStart(name));
  if (told.length === 0) return null;
  return {
    code: 'results-left-out',
    message: `Not on all sides, and left out: ${listed(told)}.`,
    remedy: 'Compare results that were measured on all sides.',
  };
}

function otherUnits({ otherUnits: metrics }: Found): Notice | null {
  if (metrics.length === 0) return null;
  return {
    code: 'other-units',
    message: `Not in one unit on all sides, and left out: ${listed(metrics.map((one) => quoteStart(fullName(one))))}.`,
    remedy: 'Measure all sides with the same version of the tool and the same options.',
  };
}

function leftOut({ leftOut: metrics }: Found): Notice | null {
  if (metrics.length === 0) return null;
  return {
    code: 'metrics-left-out',
    message: `There are more than ${MOST_METRICS} metrics: those that decide were taken, and ${metrics.length} others left out.`,
    remedy: 'Name those that count with --metric RESULT.METRIC.',
  };
}

/** What differs in how the sides were measured: settings that a side has one value of, and another side another. */
function settings({ sides }: ImportRequest, { results }: Found): Notice | null {
  const told = results.flatMap(({ result, repetitions }) => {
    const own = repetitions.map((side) => constantSettings(side.flatMap((one) => one.results)));
    const keys = [...(own[0]?.keys() ?? [])].filter((key) => own.every((side) => side.has(key)));
    return keys.flatMap((key) => {
      const values = own.map((side) => side.get(key) ?? '');
      if (new Set(values).size === 1) return [];
      const each = values.map((value, side) => `${quoteStart(value, LONGEST_SETTING)} in ${sides[side]?.arm ?? ''}`);
      const of = result === THE_RESULT ? '' : ` of ${quoteStart(result)}`;
      return [`${cutShown(key, LONGEST_SETTING)}${of} is ${each.join(', ')}`];
    });
  });
  if (told.length === 0) return null;
  return {
    code: 'settings-differ',
    message: `The sides were not measured with the same settings: ${listed(told, '; ')}.`,
    remedy: 'Where that is what you compare, all is well; else measure them alike.',
  };
}

/** Of a side, settings with the same value in every repetition; when it ran is none. */
function constantSettings(results: readonly ToolResult[]): ReadonlyMap<string, string> {
  const found = new Map(Object.entries(results[0]?.settings ?? {}));
  found.delete('date');
  for (const { settings: own } of results) {
    for (const [key, value] of found) if (!Object.hasOwn(own, key) || own[key] !== value) found.delete(key);
  }
  return found;
}

/** Each sentence once, with the files that it is of; where it differs in its figures alone, the first. */
function saidByReaders({ tool }: ImportRequest, { said }: Found): readonly Notice[] {
  const kinds = new Map<string, { readonly warning: Notice; readonly files: string[] }>();
  for (const { file, warnings } of said) {
    for (const warning of warnings.slice(0, MOST_READER_WARNINGS)) {
      const shown = shownWarning(tool, warning);
      const known = kinds.get(`${shown.code} ${shown.message}`) ?? { warning: shown, files: [] };
      if (!known.files.includes(file)) known.files.push(file);
      kinds.set(`${shown.code} ${shown.message}`, known);
    }
  }
  const alike = groupsBy([...kinds.values()], ({ warning }) => `${warning.code} ${warning.remedy}`);
  const told = [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const inOne = others.filter(({ files }) => files.some((name) => first.files.includes(name)));
    const more = others.filter((one) => !inOne.includes(one)).flatMap(({ files }) => files);
    return [{ ...first, more: [...new Set(more)] }, ...inOne.map((one) => ({ ...one, more: [] }))];
  });
  return told.slice(0, MOST_READER_WARNINGS).map(({ warning, files, more }) => {
    const rest = more.length === 0 ? '' : `; much the same in ${quoted(more)}`;
    return { ...warning, message: `${warning.message} (${quoted(files)}${rest})` };
  });
}

function quoted(files: readonly string[]): string {
  return listed(files.map((name) => quoteStart(name)));
}

function listed(items: readonly string[], between = ', '): string {
  const rest = items.length - MOST_NAMED;
  return rest > 0 ? `${items.slice(0, MOST_NAMED).join(between)} and ${rest} more` : items.join(between);
}
