/** What is probably missing when a build fails, from what it printed: old sources on a new machine mostly. */

/** `$1` in a hint is what the pattern's group holds. Patterns look at one line; the most telling come first. */
const HINTS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/No space left on device/, 'The disk is full: free some space, or name a cache elsewhere in ASSAY_CACHE.'],
  [
    /Killed signal terminated program|internal compiler error: Killed/,
    'A compiler was killed, mostly for want of memory: build with fewer jobs (a smaller number after -j).',
  ],
  [
    /(?:did you forget to|is defined in header) ['‘`]?(?:#include )?<(c[a-z]{2,10})>/,
    "Old sources rely on <$1> coming along with other headers, which newer compilers have ended: add `-include $1` to the flags for C++ (RocksDB’s Makefile: EXTRA_CXXFLAGS='-include $1'; CMake: -DCMAKE_CXX_FLAGS='-include $1').",
  ],
  [
    /u?int(?:8|16|32|64|ptr)_t['’`]?(?: in namespace ['‘`]?std['’`]?)? (?:does not name a type|was not declared|has not been declared)/,
    "Old sources rely on <cstdint> coming along with other headers, which newer compilers have ended: add `-include cstdint` to the flags for C++ (RocksDB’s Makefile: EXTRA_CXXFLAGS='-include cstdint'; CMake: -DCMAKE_CXX_FLAGS='-include cstdint').",
  ],
  [
    /fatal error: ['‘]?((?:openssl)\/[\w./+-]{1,100})['’]?(?:: No such file| file not found)|install the appropriate openssl developer package/,
    'OpenSSL’s headers are missing (Debian, Ubuntu: apt install libssl-dev). Where they are installed, the sources are older than OpenSSL 3 and cannot read its version: put a fix of their ssl.cmake into `patch`.',
  ],
  [
    /fatal error: ['‘]?([\w./+-]{1,100})['’]?(?:: No such file| file not found)/,
    'The header $1 is missing: install the package that has it, on Debian and Ubuntu one whose name ends in -dev (apt-file search $1). If it belongs to the sources, a step before was left out.',
  ],
  [
    /cannot find -l:?([\w.+-]{1,60})|unable to find library -l([\w.+-]{1,60})|library not found for -l([\w.+-]{1,60})/,
    'The library $1 is missing: install it with its development files, on Debian and Ubuntu lib$1-dev.',
  ],
  [
    /(?:Could NOT find|package configuration file provided by) "?([\w.+-]{1,60})/,
    'CMake does not find $1: install its development files, or switch off what needs it.',
  ],
  [
    /Compatibility with CMake < [\d.]{1,10} has been removed/,
    'These sources are older than this CMake: add -DCMAKE_POLICY_VERSION_MINIMUM=3.5 to its command.',
  ],
  [/CMake ([\d.]{1,20}) or higher is required/, 'The sources want CMake $1 or newer.'],
  [
    /(?:^|: )([\w.+-]{1,60}): (?:command )?not found|env: ['‘`]?([\w.+-]{1,60})['’`]?: No such file or directory|make(?:\[\d+\])?: ([\w.+-]{1,60}): No such file or directory/,
    'The tool $1 is missing: install it, or add its directory to PATH in `build_env`.',
  ],
  [
    /ISO C\+\+1[17] does not allow ['‘`]?(?:register|dynamic exception)|['‘`]?(?:auto_ptr|random_shuffle|unary_function|binary_function|bind2nd|ptr_fun)['’`]? is not a member of ['‘`]?std/,
    'The sources use what newer C++ no longer has: add -std=c++11 (or c++14) to the flags for C++.',
  ],
  [
    /\[-Werror[=,]-?W?([\w+=-]{1,60})\]/,
    'A newer compiler warns of more ($1), and here a warning counts as an error: for RocksDB’s Makefile add DISABLE_WARNING_AS_ERROR=1 to its command, elsewhere -Wno-error to the flags.',
  ],
  [
    /all warnings being treated as errors/,
    'Here a warning counts as an error: for RocksDB’s Makefile add DISABLE_WARNING_AS_ERROR=1 to its command, elsewhere -Wno-error to the flags.',
  ],
  [
    /error: implicit declaration of function/,
    'Newer compilers refuse what old C allowed: add -Wno-error=implicit-function-declaration or -std=gnu89 to the flags for C.',
  ],
  [
    /multiple definition of ['‘`]/,
    'If the sources are old C, add -fcommon to the flags: newer compilers no longer merge variables that several files define.',
  ],
  [/requires? (?:at least )?C\+\+(\d\d)/, 'The sources want C++$1: add -std=c++$1 to the flags for C++.'],
  [
    /No targets specified and no makefile found|No rule to make target/,
    'make does not find what it is to build: a step before it may be missing (./configure, cmake), or another directory is meant.',
  ],
];

/** A longer line is none of these, or its beginning says it. */
const LONGEST_LINE = 2000;

/** A sentence about what would probably help; null where nothing known was printed. */
export function buildHint(output: string): string | null {
  const lines = output.split('\n').map((line) => line.slice(0, LONGEST_LINE));
  for (const [pattern, hint] of HINTS) {
    for (const line of lines) {
      const match = pattern.exec(line);
      if (match !== null) return hint.replaceAll('$1', match.slice(1).find((group) => group !== undefined) ?? '');
    }
  }
  return null;
}
