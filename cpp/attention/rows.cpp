#include "attention/rows.hpp"

#include <algorithm>
#include <limits>

namespace posenc {

bool consecutive(Positions positions) {
  for (std::int64_t t = 1; t < positions.count; ++t) {
    if (positions.at(t) != positions.at(t - 1) + 1) return false;
  }
  return true;
}

Status RotationTables::build(const Rotate& rotate, int regime, Side side, Positions positions) {
  const std::int64_t size = positions.count * rotate.table_width();
  cos_ = Buffer<float>(size);
  sin_ = Buffer<float>(size);
  if (!cos_.ok() || !sin_.ok()) return Status::memory;
  size_ = size;
  rotate.regime_table(regime, side, positions, cos_.data(), sin_.data());
  return Status::ok;
}

Status KeyRows::build(const AttentionProblem& problem, std::int64_t entry) {
  const std::int64_t count = problem.keys;
  const std::int64_t offset = problem.key_positions_per_batch ? entry * count * problem.axes : 0;
  positions = {problem.key_positions + offset, count, problem.axes};
  consecutive = posenc::consecutive(positions);
  const Masks& masks = problem.masks;
  mask = masks.real_keys.of(entry, count);
  segments = masks.key_segments.of(entry, count);
  global_ = masks.global_keys.of(entry, count);
  // Positions below 0 are no sinks unless there are sinks.
  sinks_ = masks.sinks > 0 ? masks.sinks : std::numeric_limits<std::int64_t>::min();

  ascending = true;
  exempts_ = false;
  block_count = blocks_of(count, kKeyBlock);
  blocks_ = Buffer<KeyBlock>(block_count);
  if (!blocks_.ok()) return Status::memory;
  std::int32_t last = std::numeric_limits<std::int32_t>::min();
  for (std::int64_t i = 0; i < block_count; ++i) {
    KeyBlock block{};
    block.first = i * kKeyBlock;
    block.count = std::min(kKeyBlock, count - block.first);
    block.low = block.high = positions.at(block.first);
    block.empty = true;
    for (std::int64_t n = block.first; n < block.first + block.count; ++n) {
      block.low = std::min(block.low, positions.at(n));
      block.high = std::max(block.high, positions.at(n));
      if (mask != nullptr && mask[n] == 0) {
        block.padded = true;
        continue;
      }
      ascending &= positions.at(n) >= last;
      last = positions.at(n);
      block.exempt |= exempt(n);
      if (segments != nullptr) {
        block.first_segment =
            block.empty ? segments[n] : std::min(block.first_segment, segments[n]);
        block.last_segment = block.empty ? segments[n] : std::max(block.last_segment, segments[n]);
      }
      block.empty = false;
    }
    exempts_ |= block.exempt;
    blocks_[i] = block;
    low = i == 0 ? block.low : std::min(low, block.low);
    high = i == 0 ? block.high : std::max(high, block.high);
  }
  return Status::ok;
}

}  // namespace posenc
