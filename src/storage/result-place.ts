/** Where a file of results belongs, by its path: set-up, workload and number of client threads. */
import { RE2JS } from 're2js';

export interface Place {
  readonly setup: string;
  readonly workload: string;
  /** Null: the path does not say; the names of the tests may. */
  readonly threads: number | null;
}

export type Placing = { readonly ok: true; readonly place: Place } | { readonly ok: false; readonly reason: string };

/** How paths are read. What is null is left to the path. */
export interface PlaceRules {
  readonly layout: Layout | null;
  readonly workload: string | null;
  readonly threads: number | null;
  /** The name of the directory that is imported: the set-up of files that lie in it directly. */
  readonly root: string;
}

const FIELDS = ['setup', 'workload', 'threads'] as const;
type Field = (typeof FIELDS)[number];

export interface Layout {
  readonly pattern: RE2JS;
  readonly fields: readonly Field[];
}

const THREADS = /^(?:nt|dop)([1-9][0-9]{0,5})$/;
/** Workloads that benchmark scripts name directories after: cached by the engine, buffered and direct I/O. */
const WORKLOADS: ReadonlySet<string> = new Set(['byrx', 'iobuf', 'iodir']);
const LONGEST_LAYOUT = 500;

/**
 * A layout such as `{setup}/dop{threads}/{workload}/report.tsv`, which a path must match whole. Each field stands for a part of one name,
 * and `{any}` for what is of no interest. Null where it is none.
 */
export function compileLayout(text: string): Layout | null {
  const parts = text.split(/(\{[a-z]*\})/);
  const fields = parts.flatMap((part) => FIELDS.filter((field) => part === `{${field}}`));
  if (text.length > LONGEST_LAYOUT || new Set(fields).size < fields.length) return null;
  let source = '';
  for (const part of parts) {
    if (part === '{setup}' || part === '{workload}') source += '([^/]+)';
    else if (part === '{threads}') source += '([1-9][0-9]{0,5})';
    else if (part === '{any}') source += '[^/]*';
    else if (/[{}]/.test(part)) return null;
    else source += RE2JS.quote(part);
  }
  return { pattern: RE2JS.compile(source, RE2JS.DOTALL), fields };
}

/** Whether a file is one to be read: by the layout, or `sum.….txt` and `report.tsv` where there is none. */
export function isResultFile(path: string, layout: Layout | null): boolean {
  if (layout !== null) return layout.pattern.matcher(path).matches();
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'report.tsv' || /^sum\.(?:.+\.)?txt$/.test(name);
}

/** The place of a file that `isResultFile` took; a reason is a clause about the file. */
export function placeOf(path: string, rules: PlaceRules): Placing {
  const found = rules.layout === null ? byHabit(path, rules.root) : byLayout(path, rules.layout);
  const setup = found.setup === '' ? rules.root : found.setup;
  const workload = rules.workload ?? found.workload;
  if (workload === '') {
    return {
      ok: false,
      reason: 'its path names no workload: say which with --workload, or name its place with --layout',
    };
  }
  const counts = rules.threads === null ? [...new Set(found.threads)] : [rules.threads];
  if (counts.length > 1) return { ok: false, reason: `its path names ${counts.join(' and ')} threads` };
  return { ok: true, place: { setup, workload, threads: counts[0] ?? null } };
}

interface Found {
  readonly setup: string;
  readonly workload: string;
  readonly threads: readonly number[];
}

function byLayout(path: string, layout: Layout): Found {
  const matcher = layout.pattern.matcher(path);
  const matched = matcher.matches();
  const of = (field: Field): string => {
    const at = layout.fields.indexOf(field);
    return matched && at >= 0 ? (matcher.group(at + 1) ?? '') : '';
  };
  const threads = of('threads');
  return { setup: of('setup'), workload: of('workload'), threads: threads === '' ? [] : [Number(threads)] };
}

/**
 * As the scripts of benchmark.sh's users lie: `m5.2xl.ht0.nt4/sum.byrx.txt`, `m5.2xl.ht0/sum.iobuf.dop4.txt`, `m5.2xl.ht0/dop4/byrx/report.tsv`.
 * `ntN` and `dopN` are threads wherever they stand, the rest of the file's name is the workload, the rest of the directories the set-up.
 */
function byHabit(path: string, root: string): Found {
  const segments = path.split('/');
  const file = (segments.pop() ?? '').split('.').slice(1, -1);
  const directories = (segments.length === 0 ? [root] : segments).map((segment) => segment.split('.'));
  const threads = threadsIn([...directories.flat(), ...file]);
  const without = (tokens: readonly string[]): string => tokens.filter((token) => !THREADS.test(token)).join('.');
  const names = directories.map(without).filter((name) => name !== '');
  return {
    setup: names.filter((name) => !WORKLOADS.has(name)).join('/'),
    workload: without(file) || (names.findLast((name) => WORKLOADS.has(name)) ?? ''),
    threads,
  };
}

/** Every number of threads that a path names, wherever it stands. */
export function threadsInPath(path: string): readonly number[] {
  return threadsIn(path.split('/').flatMap((segment) => segment.split('.')));
}

function threadsIn(tokens: readonly string[]): readonly number[] {
  return tokens.flatMap((token) => {
    const count = THREADS.exec(token)?.[1];
    return count === undefined ? [] : [Number(count)];
  });
}
