// A few queries side by side, as the kernels take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "attention/kernels.hpp"

namespace posenc {

/// Most ways in which an encoding may turn queries and keys.
inline constexpr int kMostRegimes = 4;

/// The nearest number of 32 bits.
inline std::int32_t saturated(std::int64_t position) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp(position, kLowest, kHighest));
}

/// Smallest and largest of numbers.
struct Span {
  std::int32_t low, high;

  static Span of(const std::int32_t* x /* (kPanel) */) {
    const auto [low, high] = std::minmax_element(x, x + kPanel);
    return {*low, *high};
  }
};

/// kPanel queries of one head, packed for the kernels. Lanes past `count` repeat the last query's
/// position.
struct Panel {
  std::int64_t first, count;
  std::int32_t positions[kPanel];
  Span span;             ///< Of the positions.
  float factor[kPanel];  ///< What the raw score of each query is multiplied by.
  float* query;          // (regimes, dim, kPanel): q, plus u of the content, times factor
  float* content;        // (content rows, kPanel): q·r, times factor unless gated
  double gates[kPanel];  ///< Sum of the gates of the keys after those seen so far.
  std::int32_t last_keys[kMostRegimes][kPanel];  ///< Of each regime after the first.

  // What each query sees: keys of its segment at most at `limit`, and from `from` to `to` unless
  // they are exempt from that.
  std::int32_t limit[kPanel], from[kPanel], to[kPanel], segments[kPanel];
  Span limit_span, from_span, to_span, segment_span;

  /// Before the keys are run through, the last block first where gates are counted.
  void start() { std::fill_n(gates, kPanel, 0.0); }
};

}  // namespace posenc
