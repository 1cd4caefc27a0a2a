// What the kernel keeps of an engine's files.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "../driver.h"
#include "accounting.h"

namespace assay {

// Makes the kernel forget the files below `directory`, which nobody may have open or mapped.
inline void DropFromPageCache(const std::string& directory) {
  SyncFileSystem(directory);  // what is not written yet is kept
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    const int error = file < 0 ? errno : posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    if (file >= 0) close(file);
    if (error != 0) throw Failure("cannot drop " + entry.path().string() + ": " + strerror(error));
  }
}

}  // namespace assay
