// Work in units that threads may share.
#pragma once

#include <cstdint>

#include "core/status.hpp"

namespace posenc {

/// What one thread is to do of some work. Each unit is in one share only.
class Share {
 public:
  /// The next unit; −1 = there are no more.
  virtual std::int64_t next() = 0;
  /// Whose it is; 0 = the caller's.
  virtual int thread() const = 0;

 protected:
  ~Share() = default;
};

/// All units, in their order.
class Everything final : public Share {
 public:
  explicit Everything(std::int64_t units) : units_(units) {}
  std::int64_t next() override { return next_ < units_ ? next_++ : -1; }
  int thread() const override { return 0; }

 private:
  std::int64_t next_ = 0, units_;
};

/// Work in units that do not need each other, so that any split of them gives the same bits.
class SharedWork {
 public:
  /// Does the units of a share. Threads call it at once, each with its own share; after a failure
  /// it may be called once more, for everything.
  virtual Status run(Share& share) const = 0;

 protected:
  ~SharedWork() = default;
};

/// Does the units 0 … `units` − 1, which take about `operations` additions and multiplications
/// together; 0 = on one thread. Defined where there are threads: by their build and by tests.
Status run_shared(const SharedWork& work, std::int64_t units, double operations);

}  // namespace posenc
