import { describe, expect, it } from 'vitest';
import { buildHint } from './build-hints.ts';

describe('buildHint', () => {
  it.each([
    ['db/version.h:19:10: fatal error: gflags/gflags.h: No such file or directory', /header gflags\/gflags\.h .*-dev/],
    ["x.cc:1:10: fatal error: 'zstd.h' file not found", /header zstd\.h/],
    ['/usr/bin/ld: cannot find -lsnappy: No such file or directory', /library snappy .*libsnappy-dev/],
    ['ld: library not found for -llz4', /library lz4/],
    ['/bin/sh: 1: cmake: not found', /tool cmake/],
    ['bash: line 1: ninja: command not found', /tool ninja/],
    ['make: bison: No such file or directory', /tool bison/],
    ['/usr/bin/env: ‘python’: No such file or directory', /tool python/],
    ["util.h:9:3: error: 'uint64_t' does not name a type", /-include cstdint.*EXTRA_CXXFLAGS/],
    ['a.h:1: error: ‘uint32_t’ in namespace ‘std’ does not name a type', /-include cstdint/],
    ['#error This library requires C++17 or newer', /-std=c\+\+17/],
    [
      "x.cc:4: note: 'memcpy' is defined in header '<cstring>'; did you forget to '#include <cstring>'?",
      /-include cstring/,
    ],
    ["x.cc:7:5: error: unused variable 'x' [-Werror=unused-variable]", /unused-variable.*DISABLE_WARNING_AS_ERROR=1/],
    ['cc1plus: all warnings being treated as errors', /DISABLE_WARNING_AS_ERROR=1/],
    ['  Please install the appropriate openssl developer package.', /libssl-dev.*OpenSSL 3/],
    ['x.cc:1:10: fatal error: openssl/ssl.h: No such file or directory', /libssl-dev/],
    ['a.cc:5: error: ISO C++17 does not allow ‘register’ storage class specifier', /-std=c\+\+11/],
    ['a.cc:5: error: ‘random_shuffle’ is not a member of ‘std’', /-std=c\+\+11/],
    ["ld: b.o:(.bss+0x0): multiple definition of `version'; a.o: first defined here", /-fcommon/],
    ['x.c:3: error: implicit declaration of function ‘foo’', /implicit-function-declaration/],
    ['-- Could NOT find Boost (missing: Boost_INCLUDE_DIR)', /CMake does not find Boost/],
    ['CMake Error: Compatibility with CMake < 3.5 has been removed from CMake.', /CMAKE_POLICY_VERSION_MINIMUM/],
    ['c++: fatal error: Killed signal terminated program cc1plus', /fewer jobs/],
    ['make: *** No targets specified and no makefile found.  Stop.', /configure/],
    ['as: /tmp/x.s: No space left on device', /ASSAY_CACHE/],
  ])('%s', (line, hint) => {
    expect(buildHint(`before\n${line}\nmake: *** [Makefile:3: x.o] Error 1\n`)).toMatch(hint);
  });

  it('takes the cause before its consequence', () => {
    const output = "a.cc:1:10: fatal error: x.h: No such file or directory\nld: multiple definition of `y'\n";
    expect(buildHint(output)).toMatch(/header x\.h/);
  });

  it('says nothing of what it does not know', () => {
    expect(buildHint('make: *** [Makefile:3: all] Error 1')).toBeNull();
    expect(buildHint('g++ -std=c++17 -Werror -c a.cc')).toBeNull();
    expect(buildHint('')).toBeNull();
  });

  it('takes no time for long lines', () => {
    const started = performance.now();
    buildHint(`${'fatal error: '.repeat(80_000)}\n${'a'.repeat(1 << 20)}`);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
