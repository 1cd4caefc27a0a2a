/** From the text of a study's file to the study, or to all that is wrong in it. */
import { readChecked } from '../../experiment/checked-document.ts';
import type { SourceDocument } from '../../experiment/document.ts';
import type { Fault } from '../../experiment/fault.ts';
import { parseDuration, parseSize } from '../../experiment/quantities.ts';
import type { Located } from '../../failures.ts';
import { type StudyDocument, studySchema } from './schema.ts';
import type { EngineStudy, StudiedEngine, StudySize } from './study.ts';

export type ReadStudy =
  | { readonly ok: true; readonly study: EngineStudy }
  /** In the order of the text. */
  | { readonly ok: false; readonly errors: readonly Located[] };

/** Never throws, whatever the text; time and memory are bounded. */
export function readStudy(text: string): ReadStudy {
  const read = readChecked(text, { schema: studySchema }, (document, refused) =>
    refused.length > 0 ? [] : [...studyRules(document, studySchema.parse(document.value))],
  );
  return read.ok ? { ok: true, study: studyOf(read.document, studySchema.parse(read.document.value)) } : read;
}

function* studyRules(document: SourceDocument, study: StudyDocument): Generator<Fault> {
  const names = document.keysAt(['engines']);
  if (names.length < 2) {
    yield { path: ['engines'], at: 'key', message: 'a study compares two engines or more' };
  }
  if (names.length > 26) yield { path: ['engines'], at: 'key', message: 'a study has at most 26 engines' };
  const sizes = document.keysAt(['sizes']).length;
  if (sizes < 1 || sizes > 20) yield { path: ['sizes'], at: 'key', message: 'a study has 1 to 20 sizes' };
  for (const name of names) {
    const { engine, program, prefix } = study.engines[name] ?? {};
    const path = ['engines', name];
    if ((engine === undefined) === (program === undefined)) {
      yield { path, at: 'key', message: `\`${name}\` is either an \`engine\` or a \`program\`: name one of them` };
    } else if (prefix !== undefined && engine === undefined) {
      yield { path: [...path, 'prefix'], at: 'key', message: 'a program is not compiled: `prefix` goes with `engine`' };
    }
  }
  for (const name of document.keysAt(['sizes'])) {
    if (TAKEN.test(name)) {
      const message = `\`${name}\` is no name of a size: the directory of a study needs such names for itself`;
      yield { path: ['sizes', name], at: 'key', message };
    }
    const { cache, memory_limit } = study.sizes[name] ?? {};
    if (cache === undefined || memory_limit === undefined) continue;
    if ((parseSize(cache) ?? 0) < (parseSize(memory_limit) ?? 0)) continue;
    const message = 'the cache alone would take all of the memory limit';
    yield { path: ['sizes', name, 'cache'], at: 'value', message };
  }
}

/** What lies beside the runs, and where trials of a run are made. Upper case, too: some file systems do not tell it apart. */
const TAKEN = /^(study\.json|engines\.(csv|html|json|md)|.*\.trials)$/i;

/** The document is known to be without faults. */
function studyOf(document: SourceDocument, study: StudyDocument): EngineStudy {
  const { device } = study;
  return {
    title: oneLine(study.title),
    question: study.question === undefined ? null : oneLine(study.question),
    engines: document.keysAt(['engines']).map((name) => engineOf(name, study.engines[name] ?? {})),
    sizes: document.keysAt(['sizes']).flatMap((name) => {
      const size = study.sizes[name];
      return size === undefined ? [] : [sizeOf(name, size)];
    }),
    repetitions: study.repetitions ?? 4,
    order: study.order ?? 'mirrored',
    device: device === false ? null : { size_bytes: bytes(device?.size ?? '4 GiB') },
    log: study.log ?? false,
    seed: study.seed ?? null,
    timeout_ms: parseDuration(study.timeout ?? '30m') ?? 0,
    level: study.level ?? 0.95,
  };
}

function engineOf(name: string, document: StudyDocument['engines'][string]): StudiedEngine {
  const { engine, program, prefix, variant, log, required } = document;
  return {
    name,
    source:
      engine === undefined
        ? { kind: 'program', program: program ?? '' }
        : { kind: 'engine', engine, prefix: prefix ?? null },
    variant: variant ?? null,
    log: log ?? null,
    required: required ?? false,
  };
}

function sizeOf(name: string, document: StudyDocument['sizes'][string]): StudySize {
  const { keys, points, ranges, overwrites, memory_limit } = document;
  return {
    name,
    ...{ keys, points, ranges, overwrites },
    value_bytes: document.value_bytes ?? 100,
    cache_bytes: bytes(document.cache),
    memory_limit_bytes: memory_limit === undefined ? null : bytes(memory_limit),
    load: document.load ?? 'random',
    range_length: document.range_length ?? 10,
  };
}

function bytes(written: string | number): number {
  return parseSize(written) ?? 0;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
