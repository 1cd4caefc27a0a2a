/** Libraries that storage engines are commonly linked with, as their symbols tell. */

interface ExternalLibrary {
  readonly name: string;
  readonly link: string;
  /** Without version. */
  readonly soname: string;
  readonly compression: boolean;
  /** Beginnings of raw symbols that nothing else has. */
  readonly symbols: readonly string[];
}

export const EXTERNAL_LIBRARIES: readonly ExternalLibrary[] = [
  external('snappy', '-lsnappy', true, ['_ZN6snappy', 'snappy_compress', 'snappy_uncompress']),
  external('zlib', '-lz', true, ['deflateInit', 'inflateInit']),
  external('bz2', '-lbz2', true, ['BZ2_bz']),
  external('lz4', '-llz4', true, ['LZ4_']),
  external('zstd', '-lzstd', true, ['ZSTD_', 'ZDICT_']),
  external('gflags', '-lgflags', false, ['_ZN6google14FlagRegisterer', '_ZN6gflags']),
  external('numa', '-lnuma', false, ['numa_']),
  external('uring', '-luring', false, ['io_uring_']),
  external('tbb', '-ltbb', false, ['_ZN3tbb']),
];

/** The library that a raw symbol belongs to. */
export function externalLibraryOf(symbol: string): ExternalLibrary | null {
  return EXTERNAL_LIBRARIES.find(({ symbols }) => symbols.some((start) => symbol.startsWith(start))) ?? null;
}

function external(name: string, link: string, compression: boolean, symbols: readonly string[]): ExternalLibrary {
  return { name, link, soname: `lib${link.slice(2)}.so`, compression, symbols };
}
