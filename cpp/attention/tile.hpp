// Scores of one panel of queries against one block of keys, stage by stage, from score terms.
#pragma once

#include <cstdint>

#include "attention/kernels.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/rows.hpp"
#include "attention/visibility.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// The keys of one (batch entry, head) and all terms that make scores of them.
class HeadScores {
 public:
  /// Prepares what depends on the head alone; its kv head has been entered.
  Status build(const AttentionProblem& problem, const Operands& operands, int head);

  /// Positions, factors and masks of `count` queries from `first`.
  void place(std::int64_t first, std::int64_t count, Panel& panel) const;
  /// Fills a panel with them: the same, and their numbers.
  void pack(std::int64_t first, std::int64_t count, Panel& panel);

  HeadMasks& masks() { return masks_; }

  /// The logits of a tile, all stages at once but for what a dense mask adds. `all_visible` leaves
  /// out the masks.
  void logits(Panel& panel, const KeyBlock& block, bool all_visible,
              float* out /* (block.count, kPanel) */,
              float* capped = nullptr /* the same, wanted or null: after a softcap */);

  /// Adds the weights of a tile to the sums of their content rows, which are multiplied by
  /// `correction` first.
  void add_row_weights(const Panel& panel, const KeyBlock& block, const float* weights,
                       PanelValue correction, float* sums /* (content rows, kPanel) */);

  /// The rows of the content tables that the pairs of a tile read.
  const std::int32_t* content_rows(const Panel& panel, const KeyBlock& block);
  /// The scores that opened the gates of the last tile; −infinity where hidden.
  const float* gate_scores() const { return gates_.data(); }
  /// The regimes of the rotation that occur in a tile.
  Range regimes(const Panel& panel, const KeyBlock& block) const;
  /// A tile with 0 for all pairs that meet in another regime.
  void take_regime(const Panel& panel, const KeyBlock& block, Range occurring, int regime,
                   const float* tile, float* out) const;

  // The stages of `logits`, each in place.
  void raw(Panel& panel, const KeyBlock& block, float* out);
  void cap(const KeyBlock& block, float* scores) const { cap(block.count * kPanel, scores); }
  void add_bias(const Panel& panel, const KeyBlock& block, float* scores);
  /// All stages after the raw scores, of the first query of a panel.
  void finish_row(const Panel& panel, const KeyBlock& block, Visibility visibility,
                  float* scores /* (block.count) */);

 private:
  Status allocate(const AttentionProblem& problem, const Operands& operands);
  void cap(std::int64_t count, float* scores) const;
  void pack_content(const float* query, Panel& panel) const;
  /// The rows of the content tables that pairs of a panel read.
  Range content_range(const Panel& panel) const;
  /// The row of a distance.
  std::int32_t content_row(std::int64_t distance) const {
    return row_by_distance_.data() == nullptr
               ? static_cast<std::int32_t>(problem_->terms.content->row(distance))
               : row_by_distance_[distance - first_distance_];
  }
  /// Of the pairs of a tile, those in `regime` or a later one: all bits set.
  auto reached(const Panel& panel, int regime, std::int64_t key, int half) const {
    return as_float_mask(IntBatch(rows_->positions.at(key)) <=
                         load(panel.last_keys[regime] + half));
  }
  /// Products of queries and keys, each pair in its regime, plus a bias.
  void dots(const Panel& panel, const KeyBlock& block, const float* bias, std::int64_t bias_stride,
            float* out);
  void add_content(const Panel& panel, const KeyBlock& block, float* out);
  void add_gated(Panel& panel, const KeyBlock& block, float* out);
  /// Biases (or weights) of the block's first key against the panel; the next key's start one
  /// number earlier.
  const float* toeplitz(const Buffer<float>& by_distance, const Panel& panel,
                        const KeyBlock& block) const;

  const AttentionProblem* problem_ = nullptr;
  const Operands* operands_ = nullptr;
  const KeyRows* rows_ = nullptr;
  Positions query_positions_{};
  std::int64_t dim_ = 0;
  int head_ = 0;
  const float* query_scales_ = nullptr;
  HeadMasks masks_;
  bool toeplitz_ = false;
  std::int64_t first_distance_ = 0;
  Buffer<float> bias_;                    // by distance, from first_distance_
  Buffer<float> weights_;                 // the same, where logits are weighed
  Buffer<float> turned_;                  // (kPanel, dim): scratch for queries
  Buffer<float> other_;                   // (kKeyBlock, kPanel): scores of another regime
  Buffer<float> row_;                     // (kKeyBlock): scratch for biases of one query
  Buffer<float> tile_;                    // (kKeyBlock, kPanel): scratch for masks of one query
  Buffer<std::int32_t> content_rows_;     // (kKeyBlock, kPanel): δ of each key and query
  Buffer<std::int32_t> row_by_distance_;  // δ, from first_distance_, of consecutive tokens
  Buffer<float> gates_;  // (kKeyBlock, kPanel): scores that open gates; −infinity = hidden
};

}  // namespace posenc
