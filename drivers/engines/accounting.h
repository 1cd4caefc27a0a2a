// What a trial cost: bytes from and to the device, space, memory.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../driver.h"

namespace assay {

// Since the machine or the process began; what is not known is left out.
struct Traffic {
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  std::optional<uint64_t> reads;
  std::optional<uint64_t> writes;
};

inline std::optional<std::string> ReadSmallFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// The text of /sys/block/…/stat (Linux, Documentation/block/stat.rst): completed I/Os, and sectors of 512 bytes.
inline std::optional<Traffic> ParseDeviceStat(const std::string& text) {
  constexpr size_t kReads = 0, kReadSectors = 2, kWrites = 4, kWrittenSectors = 6, kFewest = 11;
  constexpr uint64_t kSectorBytes = 512;
  std::istringstream words(text);
  std::vector<uint64_t> fields;
  for (std::string word; words >> word;) {
    if (word.size() > 19 || word.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    fields.push_back(std::stoull(word));
  }
  if (fields.size() < kFewest) return std::nullopt;
  Traffic traffic;
  traffic.read_bytes = fields[kReadSectors] * kSectorBytes;
  traffic.written_bytes = fields[kWrittenSectors] * kSectorBytes;
  traffic.reads = fields[kReads];
  traffic.writes = fields[kWrites];
  return traffic;
}

// The text of /proc/self/io. Bytes written are counted when a page is made dirty, not when it is written; what was
// thrown away before that is taken off. It has no number of reads that reached the device.
inline std::optional<Traffic> ParseProcessIo(const std::string& text) {
  const auto field = [&](const std::string& name) -> std::optional<uint64_t> {
    const size_t at = ("\n" + text).find("\n" + name + ": ");
    if (at == std::string::npos) return std::nullopt;
    const std::string digits = text.substr(at + name.size() + 2, text.find('\n', at) - at - name.size() - 2);
    if (digits.empty() || digits.size() > 19 || digits.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    return std::stoull(digits);
  };
  const auto read = field("read_bytes"), written = field("write_bytes"), cancelled = field("cancelled_write_bytes");
  if (!read || !written || !cancelled) return std::nullopt;
  Traffic traffic;
  traffic.read_bytes = *read;
  traffic.written_bytes = *written > *cancelled ? *written - *cancelled : 0;
  return traffic;
}

// Where a trial reads its traffic.
class TrafficMeter {
 public:
  // `device_stat` is empty where the process has no device of its own.
  explicit TrafficMeter(const std::string& device_stat) : path_(device_stat.empty() ? kProcess : device_stat) {
    if (!device_stat.empty() && !Now()) throw Failure(device_stat + " is no statistics of a block device");
  }

  // device, process, or none where the kernel keeps no account.
  std::string Source() const { return path_ != kProcess ? "device" : Now() ? "process" : "none"; }

  std::optional<Traffic> Now() const {
    const std::optional<std::string> text = ReadSmallFile(path_);
    if (!text) return std::nullopt;
    return path_ == kProcess ? ParseProcessIo(*text) : ParseDeviceStat(*text);
  }

 private:
  static constexpr const char* kProcess = "/proc/self/io";
  std::string path_;
};

// Writes all that the file system of `directory` still holds back.
inline void SyncFileSystem(const std::string& directory) {
  const int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool ok = file >= 0 && syncfs(file) == 0;
  const int error = errno;
  if (file >= 0) close(file);
  if (!ok) throw Failure("cannot sync " + directory + ": " + strerror(error));
}

// Blocks that the files below `directory` occupy: holes take no space, preallocated blocks do.
inline uint64_t SpaceBytes(const std::string& directory) {
  constexpr uint64_t kBlockBytes = 512;
  uint64_t blocks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    struct stat found;
    if (lstat(entry.path().c_str(), &found) == 0) blocks += static_cast<uint64_t>(found.st_blocks);
  }
  return blocks * kBlockBytes;
}

// Of the device under `directory`; none where the kernel does not say.
inline std::optional<uint64_t> ReadAheadKb(const std::string& directory) {
  struct stat found;
  if (stat(directory.c_str(), &found) != 0) return std::nullopt;
  const std::string device = std::to_string(major(found.st_dev)) + ":" + std::to_string(minor(found.st_dev));
  for (const std::string& path : {"/sys/dev/block/" + device + "/queue/read_ahead_kb",
                                  "/sys/dev/block/" + device + "/../queue/read_ahead_kb",  // of a partition
                                  "/sys/class/bdi/" + device + "/read_ahead_kb"}) {
    std::ifstream file(path);
    uint64_t kb = 0;
    if (file >> kb) return kb;
  }
  return std::nullopt;
}

// Moves the process into a cgroup of version 1 or 2, before it allocates what is to be counted there.
inline void EnterCgroup(const std::string& directory) {
  const std::string path = directory + "/cgroup.procs";
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const std::string pid = std::to_string(getpid());
  const bool ok = file >= 0 && write(file, pid.data(), pid.size()) == static_cast<ssize_t>(pid.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (!ok) throw Failure("cannot enter the cgroup " + directory + ": " + strerror(error));
}

// What the cgroup used at most, page cache included.
inline std::optional<uint64_t> CgroupPeakBytes(const std::string& directory) {
  for (const char* name : {"/memory.peak", "/memory.max_usage_in_bytes"}) {
    std::ifstream file(directory + name);
    uint64_t bytes = 0;
    if (file >> bytes) return bytes;
  }
  return std::nullopt;
}

inline uint64_t PeakResidentBytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// The file of the shared library whose name begins with `object`; of the program itself where that is linked in.
inline std::string FileOfLibrary(const std::string& object) {
  struct Search {
    std::string name;
    std::string found = "/proc/self/exe";
  } search{"/" + object + ".so"};
  dl_iterate_phdr(
      [](dl_phdr_info* loaded, size_t, void* data) {
        Search& sought = *static_cast<Search*>(data);
        if (std::string(loaded->dlpi_name).find(sought.name) == std::string::npos) return 0;
        sought.found = loaded->dlpi_name;
        return 1;
      },
      &search);
  return search.found;
}

// Whether a binary can fail an assertion of the C library: it then names the function that does so.
inline std::optional<bool> HasAssertions(const std::string& path) {
  // Backwards, for this may be the binary that is looked at.
  const std::string_view backwards = "liaf_tressa__";
  const std::string function(backwards.rbegin(), backwards.rend());
  constexpr size_t kChunk = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  for (std::string chunk(kChunk, '\0'); file;) {
    file.read(chunk.data(), static_cast<std::streamsize>(kChunk));
    text.append(chunk, 0, static_cast<size_t>(file.gcount()));
    if (text.find(function) != std::string::npos) return true;
    text.erase(0, text.size() - std::min(text.size(), function.size()));
  }
  return false;
}

}  // namespace assay
