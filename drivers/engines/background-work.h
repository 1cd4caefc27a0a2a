// What an engine does in threads of its own: counted by its Env, to which each piece of it is handed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace assay {

// Each piece schedules the next, if there is one, before it ends: where none is pending, none is due.
class BackgroundWork {
 public:
  // Whether the calling thread is in such a piece.
  static bool IsHere() { return Here(); }

  void Scheduled() { pending_++; }

  void Run(void (*function)(void*), void* argument) {
    Here() = true;
    function(argument);
    Here() = false;
    pending_--;
  }

  // Instead of Run, where a piece is called off.
  void CalledOff() { pending_--; }

  bool IsIdle() const { return pending_ == 0; }

  void WaitUntilIdle() const {
    while (!IsIdle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  static bool& Here() {
    static thread_local bool here = false;
    return here;
  }

  std::atomic<uint64_t> pending_{0};
};

}  // namespace assay
