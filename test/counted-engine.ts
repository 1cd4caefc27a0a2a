/** A small C++ key-value library in a git repository, whose second commit costs a known number of instructions more. */
import type { TinyRepository } from './tiny-repository.ts';

/** An array of values by key, in a library of its own; `extra` instructions are executed on each put. */
const engine = (extra: number) => `#include "engine.h"
void Engine::Put(unsigned key) {
${'  __asm__ volatile("nop");\n'.repeat(extra)}  values_[key % kSlots] += key;
  ++puts_;
}
`;

const FILES = {
  Makefile: 'bench: bench.cc engine.cc engine.h\n\tg++ -O2 -g -o bench bench.cc engine.cc\n',
  'engine.h': `#pragma once
class Engine {
 public:
  static constexpr unsigned kSlots = 1024;
  void Put(unsigned key);
  unsigned Puts() const { return puts_; }
 private:
  unsigned values_[kSlots] = {};
  unsigned puts_ = 0;
};
`,
  'bench.cc': `#include "engine.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
extern "C" __attribute__((noinline, noclone)) void timed_puts(Engine* engine, unsigned keys) {
  for (unsigned key = 0; key < keys; ++key) engine->Put(key);
}
int main(int, char** argv) {
  const unsigned keys = std::atoi(argv[1]);
  static Engine engine;
  const auto start = std::chrono::steady_clock::now();
  timed_puts(&engine, keys);
  const long long ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  std::printf("{\\"metrics\\": {\\"put_ns\\": %lld}, \\"checks\\": {\\"written\\": {\\"ok\\": %s}}, \\"facts\\": {\\"keys\\": %u}}\\n",
              ns, engine.Puts() == keys ? "true" : "false", keys);
}
`,
};

/** Two commits: the library and a program that times its puts, then \`extra\` instructions more in each put. */
export function countedEngine(repository: TinyRepository, extra: number): readonly [before: string, after: string] {
  return [
    repository.commit('An engine', { ...FILES, 'engine.cc': engine(0) }),
    repository.commit('Does more in each put', { 'engine.cc': engine(extra) }),
  ];
}
