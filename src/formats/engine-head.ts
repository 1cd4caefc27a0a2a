/** What the head of an engine's driver says of itself, in lines of its comment: how it is compiled, and what has its headers. */

export interface EngineHead {
  /** Of the file, and in studies. */
  readonly name: string;
  /** As it is called. */
  readonly title: string;
  /** A header that is there where the library is. */
  readonly header: string;
  readonly link: readonly string[];
  /** For the compiler. */
  readonly flags: readonly string[];
  /** Of Debian; null: it has none. */
  readonly package: string | null;
  readonly variants: readonly string[];
  /** Whether writes can be logged ahead, and can be not. Empty: it is not said. */
  readonly logs: readonly boolean[];
}

const MARK = '// assay-engine: ';
/** The lines stand in the head of the file. */
const MOST_LINES = 40;
const NAME = /^[a-z0-9]{1,32}$/;
const HEADER = /^[A-Za-z0-9_./+-]{1,100}$/;
/** Words of a linker that only name libraries. */
const LINK = /^-l[A-Za-z0-9_.:+-]{1,60}$/;
const DEFINE = /^[A-Za-z_][A-Za-z0-9_]{0,60}(?:=[A-Za-z0-9_.]{0,60})?$/;
/** Options of the language and of warnings. */
const FLAG = /^-[fWm][A-Za-z0-9_=+-]{1,60}$/;

/** Null where the file has no such line, or broken ones: it is then no engine. */
export function engineHead(source: string): EngineHead | null {
  const words = source
    .split('\n', MOST_LINES)
    .filter((line) => line.startsWith(MARK))
    .flatMap((line) => line.slice(MARK.length).trim().split(/ +/));
  if (words.length === 0) return null;
  const all = (key: string) =>
    words.filter((word) => word.startsWith(`${key}=`)).map((word) => word.slice(key.length + 1));
  const first = (key: string) => all(key)[0] ?? '';
  const list = (key: string) => all(key).flatMap((text) => text.split(',').filter((word) => word !== ''));
  const [name, header, link, defines, flags] = [
    first('name'),
    first('header'),
    list('link'),
    all('define'),
    list('flags'),
  ];
  const broken =
    !NAME.test(name) ||
    !HEADER.test(header) ||
    !link.every((word) => LINK.test(word)) ||
    !defines.every((word) => DEFINE.test(word)) ||
    !flags.every((word) => FLAG.test(word));
  if (broken) return null;
  const debian = first('package');
  return {
    name,
    title: first('title') || name,
    header,
    link,
    flags: [...defines.map((word) => `-D${word}`), ...flags],
    package: debian === '-' || debian === '' ? null : debian,
    variants: list('variants'),
    logs: list('log').map((word) => word === 'on'),
  };
}
