// Positions, padding and rotation tables of the tokens of one batch entry, and what blocks of them
// have in common.
#pragma once

#include <cstdint>

#include "attention/problem.hpp"
#include "core/buffer.hpp"
#include "position/rotation.hpp"

namespace posenc {

/// Keys per block: a block of keys and values stays in the cache while the panels of a query block
/// pass over it.
inline constexpr std::int64_t kKeyBlock = 96;
/// Queries per block.
inline constexpr std::int64_t kQueryBlock = 64;

inline std::int64_t blocks_of(std::int64_t count, std::int64_t block) {
  return (count + block - 1) / block;
}

/// True when each position is the one before plus 1.
bool consecutive(Positions positions);

/// Cosines and sines of all tokens of one side.
class RotationTables {
 public:
  Status build(const Rotate& rotate, int regime, Side side, Positions positions);
  /// Makes them turn back.
  void invert() { invert_table(cos_.data(), sin_.data(), size_); }
  const float* cos() const { return cos_.data(); }
  const float* sin() const { return sin_.data(); }

 private:
  std::int64_t size_ = 0;
  Buffer<float> cos_, sin_;  // (count, table_width)
};

/// A stretch of keys: what the masks need to know before looking at single keys.
struct KeyBlock {
  std::int64_t first, count;
  std::int32_t low, high;                    ///< Smallest and largest position.
  bool padded;                               ///< Holds padding.
  bool empty;                                ///< Holds nothing but padding.
  bool exempt;                               ///< Holds keys that are exempt from local attention.
  std::int32_t first_segment, last_segment;  ///< Smallest and largest.
};

/// The keys of one batch entry.
class KeyRows {
 public:
  Status build(const AttentionProblem& problem, std::int64_t entry);

  Positions positions;
  const std::uint8_t* mask = nullptr;      // (keys), null = all real
  const std::int32_t* segments = nullptr;  // (keys), null = one for all
  bool consecutive = false;
  bool ascending = true;  ///< Real keys stand in the order of their positions.
  std::int64_t block_count = 0;
  const KeyBlock& block(std::int64_t i) const { return blocks_[i]; }
  /// Smallest and largest position of all keys.
  std::int32_t low = 0, high = 0;

  /// True when some key is exempt from local attention.
  bool exempts() const { return exempts_; }
  /// True when a key stays in sight of queries further away than local attention allows.
  bool exempt(std::int64_t key) const {
    return positions.at(key) < sinks_ || (global_ != nullptr && global_[key] != 0);
  }

 private:
  bool exempts_ = false;
  std::int64_t sinks_ = 0;
  const std::uint8_t* global_ = nullptr;
  Buffer<KeyBlock> blocks_;
};

}  // namespace posenc
