import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toolFacts } from './tools.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-tools-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A program that answers `--version`, and no one else's programs. */
function program(name: string, body: string): void {
  writeFileSync(join(directory, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}
const facts = () => toolFacts({ PATH: directory });

it('has nothing where nothing is on PATH', async () => {
  const tools = { c_compiler: null, cxx_compiler: null, valgrind: null };
  expect(await facts()).toEqual({ tools, c_library: null });
});

it('has the first line of each, by the first name that is there', async () => {
  program('gcc', '[ "$1" = --version ] && echo "gcc 12.2" && echo Copyright');
  program('clang', 'echo "clang 17"');
  program('g++', 'echo "g++ 12.2"');
  program('valgrind', 'echo valgrind-3.19.0');
  program('getconf', '[ "$1" = GNU_LIBC_VERSION ] && echo "glibc 2.36"');
  expect(await facts()).toEqual({
    tools: { c_compiler: 'gcc 12.2', cxx_compiler: 'g++ 12.2', valgrind: 'valgrind-3.19.0' },
    c_library: 'glibc 2.36',
  });
});

it('has none that does not run or says nothing, and nothing that a terminal obeys', async () => {
  program('cc', 'exit 1');
  program('c++', 'printf "\\n"');
  program('valgrind', 'printf "v\\033[31m%0300d\\n" 0');
  const { tools } = await facts();
  expect(tools).toMatchObject({ c_compiler: null, cxx_compiler: null });
  expect(tools?.valgrind).toMatch(/^v\?\[31m0{100,}$/);
  expect(tools?.valgrind).toHaveLength(200);
});

it('knows musl by what its loader says when it refuses an option', async () => {
  program('getconf', 'exit 1');
  program('ldd', 'printf "musl libc (x86_64)\\nVersion 1.2.4\\nDynamic Program Loader\\n" >&2; exit 1');
  expect((await facts()).c_library).toBe('musl 1.2.4');
});

it('does not take any answer for a C library', async () => {
  program('getconf', 'echo "glibc 2.36 of somebody"');
  program('ldd', 'echo "musl libc"; exit 1');
  expect((await facts()).c_library).toBeNull();
});
