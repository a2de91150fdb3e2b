// One heap for all threads.
#pragma once

#include <cstddef>

namespace posenc {

/// Memory set aside, while it lives, for small objects (at most 64 kB), which cannot report that
/// there is none, as larger ones do. There may be one at a time.
class Reserve {
 public:
  explicit Reserve(std::size_t bytes);
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  /// False when there is not as much.
  bool ok() const { return ok_; }

 private:
  bool ok_;
};

}  // namespace posenc

/// Of the glue: makes it take new views of the memory, which has grown. Does nothing in helpers.
extern "C" void emscripten_notify_memory_growth(std::size_t memory);
