// Units of work dealt out to threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/share.hpp"

namespace posenc {

/// Most threads that share work.
inline constexpr int kMostThreads = 16;

/// Every thread has a range of neighbouring units, which have most in common; when it is through,
/// it helps the others with theirs.
class Ranges {
 public:
  /// Deals out 0 … `units` − 1; no thread may be taking any.
  void deal(std::int64_t units, int threads) {
    threads_ = threads;
    for (int i = 0; i < threads; ++i) {
      ranges_[i].next = units * i / threads;
      ranges_[i].end = units * (i + 1) / threads;
    }
  }

  /// The next unit for a thread; −1 = there are no more.
  std::int64_t next(int thread) {
    for (int i = 0; i < threads_; ++i) {
      Range& range = ranges_[(thread + i) % threads_];
      if (range.next >= range.end) continue;
      if (const std::int64_t unit = range.next++; unit < range.end) return unit;
    }
    return -1;
  }

 private:
  struct alignas(64) Range {  // a cache line each
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  int threads_ = 0;
  Range ranges_[kMostThreads];
};

/// What one thread takes from ranges.
class RangesShare final : public Share {
 public:
  RangesShare(Ranges& ranges, int thread) : ranges_(ranges), thread_(thread) {}
  std::int64_t next() override { return ranges_.next(thread_); }
  int thread() const override { return thread_; }

 private:
  Ranges& ranges_;
  int thread_;
};

}  // namespace posenc
