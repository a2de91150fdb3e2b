// Who does the units of shared work in tests: share_problem stands before that of the library.
#pragma once

namespace posenc::test {

/// A way to divide units.
struct Split {
  int shares;
  unsigned seed = 0;  ///< Of the order in which units are dealt to shares, which then run in turn.
  bool at_once = false;  ///< Each share on a thread of its own that takes from Ranges instead.
};

/// Divides all shared work while it lives.
class Divided {
 public:
  explicit Divided(Split split);
  ~Divided();
  Divided(const Divided&) = delete;
  Divided& operator=(const Divided&) = delete;
};

}  // namespace posenc::test
