// Which keys of a tile are visible, and what dense masks add to their logits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/rows.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// Positions first … last, of 32 bits.
struct Interval {
  std::int64_t first = std::numeric_limits<std::int32_t>::min();
  std::int64_t last = std::numeric_limits<std::int32_t>::max();

  void cut(std::int64_t from, std::int64_t to) {
    first = std::max(first, from);
    last = std::min(last, to);
  }
};

/// How much of a tile is visible.
enum class Visibility : std::uint8_t { none, some, all };

/// All masks of one (batch entry, head).
class HeadMasks {
 public:
  /// Once, before all else.
  Status allocate();
  void enter(const AttentionProblem& problem, const KeyRows& rows, Positions query_positions,
             std::int64_t entry, int head);

  /// Fills in what the queries of a panel see; its positions are there.
  void pack(Panel& panel) const;
  /// Positions of all keys that some query of the panel sees.
  Interval reach(const Panel& panel) const;
  /// The stretch of a block that holds all keys that some query of the panel sees; shorter than the
  /// block only where positions are consecutive. May be empty: then nothing is visible.
  KeyBlock in_sight(const Panel& panel, const KeyBlock& block) const;
  Visibility visibility(const Panel& panel, const KeyBlock& block) const;
  /// Sets the scores of hidden keys to −infinity.
  void hide(const Panel& panel, const KeyBlock& block, float* scores /* (count, kPanel) */);
  /// True when `add` has something to add.
  bool adds() const { return problem_->masks.added.data != nullptr; }
  /// Adds the dense mask to visible scores, less its largest number for each query, which is
  /// returned: −infinity where nothing is visible.
  PanelValue add(const Panel& panel, const KeyBlock& block, float* scores) const;

 private:
  const AttentionProblem* problem_ = nullptr;
  const KeyRows* rows_ = nullptr;
  Positions query_positions_{};
  std::int64_t entry_ = 0;
  int head_ = 0;
  const std::int32_t* query_segments_ = nullptr;
  const std::uint8_t* global_queries_ = nullptr;
  Buffer<std::uint8_t> visible_;  // (kKeyBlock)
};

}  // namespace posenc
