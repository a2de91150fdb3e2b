// The threads of the build with threads. JavaScript starts workers on the module's shared memory;
// each of them calls `help`, where it sleeps until there is work.
#include <emscripten/bind.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "attention/share_copies.hpp"
#include "bindings/threads/heap.hpp"
#include "core/ranges.hpp"
#include "core/share.hpp"

/// Of Emscripten's run-time library: sets the stack pointer of the calling thread.
extern "C" void _emscripten_stack_restore(std::uintptr_t top);

namespace posenc {

namespace {

void wait(std::int32_t* word, std::int32_t value, std::int64_t nanoseconds) {
  __builtin_wasm_memory_atomic_wait32(word, value, nanoseconds);
}

/// V8's baseline compiler (of Node 20 at least) destroys locals that live across the instruction.
/// It stands in a function without any, and behind a pointer that no optimizer sees through, as
/// that would put it into its callers.
void (*volatile const wait_apart)(std::int32_t*, std::int32_t, std::int64_t) = &wait;

/// Sleeps while a word has a value; at most `nanoseconds`, −1 = for ever.
void sleep_while(std::atomic<std::int32_t>& word, std::int32_t value, std::int64_t nanoseconds) {
  wait_apart(reinterpret_cast<std::int32_t*>(&word), value, nanoseconds);
}

void wake_all(std::atomic<std::int32_t>& word) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<std::int32_t*>(&word), -1U);
}

/// The caller of a kernel is thread 0 and works as the others do, which are its helpers.
class Pool {
 public:
  int threads() const { return lost_ ? 1 : threads_; }
  void start(int threads, bool may_sleep) {
    threads_ = threads;
    may_sleep_ = may_sleep;
  }

  Status run(const SharedWork& work, std::int64_t units) {
    const Reserve reserve(kReserve * static_cast<std::size_t>(threads_));
    if (!reserve.ok()) return Status::memory;
    work_ = &work;
    ranges_.deal(units, threads_);
    for (Status& status : statuses_) status = Status::ok;
    inside_ -= kClosed;
    ++calls_;
    wake_all(calls_);
    take_part(0);
    inside_ += kClosed;
    if (!wait_for_helpers()) lost_ = true;
    emscripten_notify_memory_growth(0);  // a helper may have grown it
    for (const Status status : statuses_) {
      if (status != Status::ok) return status;
    }
    return lost_ ? Status::memory : Status::ok;
  }

  /// The life of a helper.
  [[noreturn]] void help(int thread) {
    std::int32_t seen = 0;
    for (;;) {
      sleep_while(calls_, seen, -1);
      seen = calls_;
      // Late helpers find the call closed, and are not waited for.
      if (inside_++ >= 0) take_part(thread);
      leave();
    }
  }

  /// A helper ended in an error, in the middle of a call: nothing else that it does can fail.
  void lose_helper() {
    lost_ = true;
    leave();
  }

 private:
  void take_part(int thread) {
    RangesShare share(ranges_, thread);
    statuses_[thread] = work_->run(share);
  }

  void leave() {
    --inside_;
    wake_all(inside_);
  }

  /// False when one does not come to an end in minutes, as units take seconds at most. The thread
  /// of a page must not sleep.
  bool wait_for_helpers() {
    constexpr std::int64_t kSecond = 1'000'000'000;
    std::int64_t patience = may_sleep_ ? 600 : 600 * kSecond;
    for (std::int32_t inside = inside_; inside != kClosed; inside = inside_) {
      if (--patience < 0) return false;
      if (may_sleep_) sleep_while(inside_, inside, kSecond);
    }
    return true;
  }

  /// For the small objects of a thread.
  static constexpr std::size_t kReserve = 128 * 1024;
  static constexpr std::int32_t kClosed = -1'000'000;

  int threads_ = 1;
  bool may_sleep_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<std::int32_t> calls_ = 0;         ///< So far; helpers sleep on it.
  std::atomic<std::int32_t> inside_ = kClosed;  ///< Helpers at work, plus kClosed between calls.
  const SharedWork* work_ = nullptr;
  Ranges ranges_;
  Status statuses_[kMostThreads] = {};
};

constinit Pool pool;

void help(int thread) { pool.help(thread); }
void lose_helper(int /*thread*/) { pool.lose_helper(); }
int threads() { return pool.threads(); }
void start_threads(int threads, bool may_sleep) { pool.start(threads, may_sleep); }

/// Top of a new stack; 0 = there is no memory.
std::uintptr_t thread_stack() {
  constexpr std::uintptr_t kSize = 256 * 1024;
  const auto bottom = reinterpret_cast<std::uintptr_t>(std::malloc(kSize));
  return bottom == 0 ? 0 : (bottom + kSize) / 16 * 16;
}

/// Places in the table of functions: how a worker calls what it needs, as names of exports are
/// shortened by the build.
emscripten::val thread_functions() {
  const auto place = [](auto* function) {
    return static_cast<double>(reinterpret_cast<std::uintptr_t>(function));
  };
  auto places = emscripten::val::object();
  places.set("setStack", place(&_emscripten_stack_restore));
  places.set("help", place(&help));
  places.set("loseHelper", place(&lose_helper));
  return places;
}

}  // namespace

Status run_shared(const SharedWork& work, std::int64_t units, double operations) {
  // To wake a thread takes as long as a few million operations.
  constexpr double kWorthwhile = 4e6;
  if (pool.threads() > 1 && units > 1 && operations >= kWorthwhile) {
    const Status status = pool.run(work, units);
    // One thread needs less memory than several, and does what a lost helper left.
    if (status != Status::memory) return status;
  }
  Everything share(units);
  return work.run(share);
}

Status share_problem(const AttentionProblem& problem, std::int64_t units, RunProblem run) {
  return share_copies(problem, units, run);
}

EMSCRIPTEN_BINDINGS(posenc_threads) {
  using emscripten::function;
  function("threads", &threads);
  function("startThreads", &start_threads);
  function("threadStack", &thread_stack);
  function("threadFunctions", &thread_functions);
}

}  // namespace posenc
