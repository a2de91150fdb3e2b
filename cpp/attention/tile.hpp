// Scores of one panel of queries against one block of keys, stage by stage, from score terms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "attention/kernels.hpp"
#include "attention/problem.hpp"
#include "attention/rows.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// kPanel queries of one head, packed for the kernels. Lanes past `count` repeat the last query's
/// position.
struct Panel {
  std::int64_t first, count;
  std::int32_t positions[kPanel];
  std::int32_t low, high;  ///< Smallest and largest position.
  float factor[kPanel];    ///< What the raw score of each query is multiplied by.
  float* query;            // (dim, kPanel): q, plus u of the content, times factor
  float* content;          // (content rows, kPanel): q·r, times factor unless gated
  double gates[kPanel];    ///< Sum of the gates of the keys after those seen so far.

  /// Before the keys are run through, the last block first where gates are counted.
  void start() { std::fill_n(gates, kPanel, 0.0); }
};

/// How much of a tile is visible.
enum class Visibility : std::uint8_t { none, some, all };

/// The keys of one (batch entry, head) and all terms that make scores of them.
class HeadScores {
 public:
  /// Prepares what depends on the head alone. `keys` are the (rotated) keys of its kv head, rows of
  /// `dim` numbers.
  Status build(const AttentionProblem& problem, const KeyRows& rows, Positions query_positions,
               bool queries_consecutive, int head, const float* keys, std::int64_t dim);

  /// Fills a panel with `count` queries from `first`; `query` points at the first one's row.
  void pack(const float* query /* (count, dim), rotated */, std::int64_t first, std::int64_t count,
            Panel& panel) const;

  Visibility visibility(const Panel& panel, const KeyBlock& block) const;

  /// The logits of a tile, all stages at once. `all_visible` leaves out the mask.
  void logits(Panel& panel, const KeyBlock& block, bool all_visible,
              float* out /* (block.count, kPanel) */);

  /// Adds the weights of a tile to the sums of their content rows, which are multiplied by
  /// `correction` first.
  void add_row_weights(const Panel& panel, const KeyBlock& block, const float* weights,
                       PanelValue correction, float* sums /* (content rows, kPanel) */);

  // The stages of `logits`, each in place.
  void raw(Panel& panel, const KeyBlock& block, float* out);
  void cap(const KeyBlock& block, float* scores) const;
  void add_bias(const Panel& panel, const KeyBlock& block, float* scores);
  void hide(const Panel& panel, const KeyBlock& block, float* scores);

 private:
  void pack_content(const float* query, Panel& panel) const;
  /// Fills content_rows_.
  void find_rows(const Panel& panel, const KeyBlock& block);
  void add_content(const Panel& panel, const KeyBlock& block, float* out);
  void add_gated(Panel& panel, const KeyBlock& block, float* out);
  /// Biases (or weights) of the block's first key against the panel; the next key's start one number earlier.
  const float* toeplitz(const Buffer<float>& by_distance, const Panel& panel,
                        const KeyBlock& block) const;

  const AttentionProblem* problem_ = nullptr;
  const KeyRows* rows_ = nullptr;
  Positions query_positions_{};
  const float* keys_ = nullptr;  // (keys, dim)
  std::int64_t dim_ = 0;
  int head_ = 0;
  bool toeplitz_ = false;
  std::int64_t first_distance_ = 0;
  Buffer<float> bias_;                 // by distance, from first_distance_
  Buffer<float> weights_;              // the same, where logits are weighed
  Buffer<float> row_;                  // (kKeyBlock): scratch for biases of one query
  Buffer<std::uint8_t> visible_;       // (kKeyBlock)
  Buffer<std::int64_t> content_rows_;  // (kKeyBlock, kPanel): δ of each key and query
  Buffer<std::int64_t> by_distance_;   // (kKeyBlock + kPanel)
  Buffer<float> gates_;  // (kKeyBlock, kPanel): scores that open gates; −infinity = hidden
};

}  // namespace posenc
