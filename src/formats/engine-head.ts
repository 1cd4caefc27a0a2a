/** What the head of an engine's driver says of itself, in one line of its comment: how it is compiled, and what has its headers. */

export interface EngineHead {
  /** Of the file, and in studies. */
  readonly name: string;
  /** As it is called. */
  readonly title: string;
  /** A header that is there where the library is. */
  readonly header: string;
  readonly link: readonly string[];
  /** Of Debian; null: it has none. */
  readonly package: string | null;
  readonly variants: readonly string[];
}

const MARK = '// assay-engine: ';
/** The line stands in the head of the file. */
const MOST_LINES = 40;
const NAME = /^[a-z0-9]{1,32}$/;
const HEADER = /^[A-Za-z0-9_./+-]{1,100}$/;
/** Words of a linker that only name libraries. */
const LINK = /^-l[A-Za-z0-9_.:+-]{1,60}$/;

/** Null where the file has no such line, or a broken one: it is then no engine. */
export function engineHead(source: string): EngineHead | null {
  const line = source
    .split('\n', MOST_LINES)
    .find((each) => each.startsWith(MARK))
    ?.slice(MARK.length);
  if (line === undefined) return null;
  const fields = new Map(
    line
      .trim()
      .split(' ')
      .map((word): [string, string] => {
        const equals = word.indexOf('=');
        return equals < 0 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)];
      }),
  );
  const list = (key: string) => (fields.get(key) ?? '').split(',').filter((word) => word !== '');
  const [name = '', header = '', debian = '-'] = ['name', 'header', 'package'].map((key) => fields.get(key));
  const link = list('link');
  if (!NAME.test(name) || !HEADER.test(header) || !link.every((word) => LINK.test(word))) return null;
  return {
    name,
    title: fields.get('title') ?? name,
    header,
    link,
    package: debian === '-' || debian === '' ? null : debian,
    variants: list('variants'),
  };
}
