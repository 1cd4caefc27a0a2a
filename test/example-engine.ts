/** A small C++ library and a driver for it, compiled by the tests that have a compiler. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DriverKit } from '../src/arms/driver/kit.ts';

interface EngineBuild {
  readonly kind: 'static' | 'shared';
  /** What it answers: makes one build's machine code differ from another's. */
  readonly answer?: number;
  readonly version?: string;
  readonly flags?: readonly string[];
  /** Put into the public header. */
  readonly header?: string;
}

/** Builds the library into `PREFIX/include` and `PREFIX/lib`. A shared one has the name `libengine.so.MAJOR.MINOR`. */
export function buildEngine(prefix: string, build: EngineBuild): void {
  const { kind, answer = 1, version = '1.2.3', flags = ['-DNDEBUG'], header = '' } = build;
  const [major, minor, patch] = version.split('.');
  write(
    join(prefix, 'include/engine/version.h'),
    `#define ENGINE_MAJOR ${major}\n#define ENGINE_MINOR ${minor}\n#define ENGINE_PATCH ${patch}\n`,
  );
  write(
    join(prefix, 'include/engine/engine.h'),
    `#pragma once
#include <engine/version.h>
${header}
namespace engine {
class Listener {
 public:
  virtual ~Listener();
  virtual int Answer(int question);
};
int Ask(Listener& listener, int question);
}  // namespace engine
`,
  );
  const source = write(
    join(prefix, 'engine.cc'),
    `#include <engine/engine.h>
#include <cassert>
namespace engine {
extern const char kBuild[] = "engine_build:${answer}";
Listener::~Listener() {}
int Listener::Answer(int question) { return question + ${answer}; }
int Ask(Listener& listener, int question) {
  assert(question >= 0);
  return listener.Answer(question);
}
}  // namespace engine
`,
  );
  mkdirSync(join(prefix, 'lib'), { recursive: true });
  const options = ['-O2', '-I', join(prefix, 'include'), ...flags];
  if (kind === 'static') {
    const object = join(prefix, 'engine.o');
    run('c++', [...options, '-c', source, '-o', object]);
    run('ar', ['rcs', join(prefix, 'lib/libengine.a'), object]);
  } else {
    const soname = `libengine.so.${major}.${minor}`;
    run('c++', [...options, '-fPIC', '-shared', `-Wl,-soname,${soname}`, source, '-o', join(prefix, 'lib', soname)]);
    run('ln', ['-sf', soname, join(prefix, 'lib/libengine.so')]);
  }
}

/** A driver that prints what the library answers, with a class that derives from one of the library's. */
export function exampleKit(directory: string): DriverKit {
  write(
    join(directory, 'main.cc'),
    `#include <engine/engine.h>
#include "text.h"
#include <cstdio>
class Louder : public engine::Listener {
 public:
  int Answer(int question) override { return 10 * Listener::Answer(question); }
};
int main() {
  Louder louder;
  std::printf("%s%d\\n", kText, engine::Ask(louder, 1));
}
`,
  );
  write(join(directory, 'text.h'), 'constexpr char kText[] = "answer ";\n');
  return {
    name: 'engine',
    directory,
    sources: ['main.cc'],
    probe: '#include <engine/engine.h>\n',
    warnings: ['-Wall', '-Wextra', '-Werror'],
    libraryName: 'engine',
    headerFolder: 'engine',
    rttiClass: 'engine::Listener',
    mark: 'engine_build:',
    version: { header: 'version.h', macros: ['ENGINE_MAJOR', 'ENGINE_MINOR', 'ENGINE_PATCH'] },
  };
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
