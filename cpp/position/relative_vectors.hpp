// What encodings with trained vectors share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/dot.hpp"

namespace posenc {

/// A table of trained vectors: (rows, width) for each head, or one that all heads share.
class VectorTable {
 public:
  VectorTable() = default;
  VectorTable(std::span<const float> numbers, std::int64_t rows, std::int64_t width, bool per_head)
      : numbers_(numbers.empty() ? nullptr : numbers.data()),
        stride_(per_head ? rows * width : 0) {}

  /// The vectors of a head; null when the table was not given.
  const float* of_head(int head) const {
    return numbers_ == nullptr ? nullptr : numbers_ + head * stride_;
  }

 private:
  const float* numbers_ = nullptr;
  std::int64_t stride_ = 0;
};

/// True when an array was not given or has `rows` · `columns` numbers. Products are formed in
/// floating point: they may pass 2^31.
inline bool fits(std::span<const float> numbers, double rows, double columns) {
  return numbers.empty() || static_cast<double>(numbers.size()) == rows * columns;
}

}  // namespace posenc
