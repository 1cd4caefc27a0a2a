// A file system that fails on demand, and a clock that does not wait after a failure.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "../driver.h"

// What the file system refuses while it fails.
enum class Operation { kTableCreation, kLogSync };

// Decides whether an operation fails, and counts those that did.
class ErrorInjector {
 public:
  explicit ErrorInjector(Operation failing) : failing_(failing) {}
  void Start() { active_ = true; }
  void Stop() { active_ = false; }
  uint64_t Injected() const { return injected_; }

  // An error that may be tried again, where `operation` fails now.
  rocksdb::IOStatus Attempt(Operation operation) {
    if (operation != failing_ || !active_) return rocksdb::IOStatus::OK();
    injected_++;
    rocksdb::IOStatus status = rocksdb::IOStatus::IOError("injected by the driver");
    status.SetRetryable(true);
    return status;
  }

 private:
  const Operation failing_;
  std::atomic<bool> active_{false};
  std::atomic<uint64_t> injected_{0};
};

inline bool EndsIn(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A write-ahead log whose sync may fail.
class FailingLog : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FailingLog(std::unique_ptr<rocksdb::FSWritableFile>&& file, std::shared_ptr<ErrorInjector> injector)
      : FSWritableFileOwnerWrapper(std::move(file)), injector_(std::move(injector)) {}

  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    const rocksdb::IOStatus status = injector_->Attempt(Operation::kLogSync);
    return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, context) : status;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    const rocksdb::IOStatus status = injector_->Attempt(Operation::kLogSync);
    return status.ok() ? FSWritableFileOwnerWrapper::Fsync(options, context) : status;
  }

 private:
  const std::shared_ptr<ErrorInjector> injector_;
};

class FailingFileSystem : public rocksdb::FileSystemWrapper {
 public:
  FailingFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<ErrorInjector> injector)
      : FileSystemWrapper(target), injector_(std::move(injector)) {}
  const char* Name() const override { return "FailingFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    if (EndsIn(name, ".sst")) {
      rocksdb::IOStatus status = injector_->Attempt(Operation::kTableCreation);
      if (!status.ok()) return status;
    }
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, context);
    if (status.ok() && EndsIn(name, ".log")) *file = std::make_unique<FailingLog>(std::move(*file), injector_);
    return status;
  }

 private:
  const std::shared_ptr<ErrorInjector> injector_;
};

// RocksDB sleeps for a second in the flush thread after a background error: 550 recoveries would take ten minutes.
class ImpatientClock : public rocksdb::SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "ImpatientClock"; }
  void SleepForMicroseconds(int micros) override {
    constexpr int kAfterBackgroundError = 1000000;
    if (micros != kAfterBackgroundError) SystemClockWrapper::SleepForMicroseconds(micros);
  }
};

// The default environment with that file system and that clock.
class FailingEnv : public rocksdb::EnvWrapper {
 public:
  explicit FailingEnv(std::shared_ptr<ErrorInjector> injector) : EnvWrapper(rocksdb::Env::Default()) {
    file_system_ = std::make_shared<FailingFileSystem>(rocksdb::FileSystem::Default(), std::move(injector));
    system_clock_ = std::make_shared<ImpatientClock>(rocksdb::SystemClock::Default());
  }
  const char* Name() const override { return "FailingEnv"; }
};
