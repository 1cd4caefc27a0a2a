// What other threads do to a database while it recovers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "transactions.h"

// Writers that each commit one transaction after the other while a database recovers.
class Backlog {
 public:
  Backlog(const TransactionDatabase& database, const Shape& shape, size_t writers)
      : database_(database), shape_(shape), writers_(writers) {}
  ~Backlog() { Stop(); }
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  // Returns when each writer has tried once.
  void Start() {
    stop_ = false;
    running_ = 0;
    for (size_t w = 0; w < writers_.size(); w++) threads_.emplace_back([this, w] { Write(w); });
    while (running_ < writers_.size()) std::this_thread::yield();
  }

  // Returns when each writer has committed once more, or has given up.
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  // By Start() and Stop() once each, the transactions that were committed. Those that failed are tried again.
  std::vector<std::string> TakeCommitted() {
    std::vector<std::string> names;
    for (size_t w = 0; w < writers_.size(); w++) {
      Writer& writer = writers_[w];
      for (; writer.taken < writer.committed; writer.taken++) names.push_back(Name(w, writer.taken));
    }
    return names;
  }

  // The least number of transactions that any of the writers has committed.
  uint64_t LeastCommitted() const {
    uint64_t least = UINT64_MAX;
    for (const Writer& writer : writers_) least = std::min(least, writer.committed);
    return least;
  }
  uint64_t TotalCommitted() const {
    uint64_t total = 0;
    for (const Writer& writer : writers_) total += writer.committed;
    return total;
  }
  uint64_t Failed() const { return failed_; }

 private:
  struct Writer {
    uint64_t committed = 0;
    uint64_t taken = 0;
  };

  static std::string Name(size_t writer, uint64_t number) {
    return "backlog-" + std::to_string(writer) + "-" + std::to_string(number);
  }

  bool WriteOne(const std::string& name) {
    std::unique_ptr<rocksdb::Transaction> transaction;
    rocksdb::Status status = PutAll(database_, shape_, name, transaction);
    if (status.ok()) {
      status = transaction->Commit();
    } else {
      // Else libraries with assertions abort when the transaction is destroyed.
      transaction->Rollback().PermitUncheckedError();
    }
    return status.ok();
  }

  void Write(size_t w) {
    constexpr int kMostFailures = 1000;
    int failures = 0;
    for (bool first = true, done = false; !done && failures < kMostFailures; first = false) {
      const bool last = stop_;
      const bool ok = !IsFault(Fault::idle_writers) && WriteOne(Name(w, writers_[w].committed));
      if (ok) writers_[w].committed++;
      if (!ok) failed_++;
      if (!ok && last) failures++;
      done = ok && last;
      if (first) running_++;
    }
  }

  const TransactionDatabase& database_;
  const Shape shape_;
  std::vector<Writer> writers_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
  std::atomic<size_t> running_{0};
  std::atomic<uint64_t> failed_{0};
};

// Prepared transactions that another thread commits as soon as it is told to. Those that are refused, as after a hard
// error, it commits once the recovery is over.
class PreparedTransactions {
 public:
  explicit PreparedTransactions(std::vector<std::unique_ptr<rocksdb::Transaction>> prepared)
      : prepared_(std::move(prepared)), thread_([this] { CommitAll(); }) {}
  ~PreparedTransactions() { Finish(); }
  PreparedTransactions(const PreparedTransactions&) = delete;
  PreparedTransactions& operator=(const PreparedTransactions&) = delete;

  void Go() {
    const std::lock_guard<std::mutex> lock(mutex_);
    go_ = true;
    told_.notify_one();
  }

  // To be called after the recovery. Returns when all are committed: the first status that is not ok, else one that is.
  rocksdb::Status Finish() {
    over_ = true;
    Go();
    if (thread_.joinable()) thread_.join();
    return status_;
  }

  // When each commit was begun first, by MonotonicNs(). To be asked for after Finish().
  const std::vector<int64_t>& Begun() const { return begun_; }
  // How many were refused at first.
  uint64_t Refused() const { return refused_; }

 private:
  void CommitAll() {
    {
      // A thread that sleeps is run as soon as it is woken; one that spins would be kept waiting on a busy machine.
      std::unique_lock<std::mutex> lock(mutex_);
      told_.wait(lock, [this] { return go_; });
    }
    for (const std::unique_ptr<rocksdb::Transaction>& transaction : prepared_) {
      begun_.push_back(assay::MonotonicNs());
      rocksdb::Status status = transaction->Commit();
      if (!status.ok()) {
        refused_++;
        while (!over_) std::this_thread::yield();
        status = transaction->Commit();
      }
      if (!status.ok() && status_.ok()) status_ = status;
    }
  }

  std::vector<std::unique_ptr<rocksdb::Transaction>> prepared_;
  rocksdb::Status status_;
  std::vector<int64_t> begun_;
  uint64_t refused_ = 0;
  std::mutex mutex_;
  std::condition_variable told_;
  bool go_ = false;
  std::atomic<bool> over_{false};
  std::thread thread_;  // the last member: it uses the others
};
