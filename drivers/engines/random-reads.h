// Advice to the kernel that a file is read at random, for engines that do not give it, or take it back.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "../driver.h"

namespace assay {

// Of a file that the engine has just opened: advice holds for a descriptor, and for all reads by it from now on. Else a
// read of one page may drag in as many of its neighbours as the device reads ahead.
inline void AdviseRandomReads(const std::string& path) {
  struct stat sought;
  if (stat(path.c_str(), &sought) != 0) throw Failure("there is no " + path);
  uint64_t advised = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int file = std::stoi(entry.path().filename().string());
    struct stat found;
    if (fstat(file, &found) != 0 || found.st_dev != sought.st_dev || found.st_ino != sought.st_ino) continue;
    const int error = posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
    if (error != 0) throw Failure("cannot advise random reads of " + path + ": " + strerror(error));
    advised++;
  }
  if (advised == 0) throw Failure("the engine has not opened " + path);
}

}  // namespace assay
