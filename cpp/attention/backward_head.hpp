// The way back of one head: a block of queries against blocks of keys.
#pragma once

#include <cstdint>

#include "attention/backward.hpp"
#include "attention/backward_bias.hpp"
#include "attention/backward_block.hpp"
#include "attention/backward_content.hpp"
#include "attention/backward_scales.hpp"
#include "attention/backward_turns.hpp"
#include "attention/operands.hpp"
#include "attention/tile.hpp"
#include "core/buffer.hpp"

namespace posenc {

class HeadBackward {
 public:
  HeadBackward(const AttentionProblem& problem, const AttentionGradients& gradients,
               const Operands& operands, KeyGradient& keys);

  Status allocate();
  /// Its kv head has been entered.
  Status enter(std::int64_t head);
  /// Queries of a block.
  std::int64_t block_size() const;
  /// Takes up to block_size() queries; then all blocks of keys follow, the last first where gates
  /// are counted.
  void start(std::int64_t first, std::int64_t count);
  std::int64_t panels() const { return block_.panels(); }

  /// Weights of a tile, and gradients by its scores.
  void run_tile(std::int64_t i, const KeyBlock& block);

  // The same by steps, where scores of all heads are mixed.

  /// True when the queries of a panel see some of a block of keys.
  bool sees(std::int64_t i, const KeyBlock& block);
  void write_raw(std::int64_t i, const KeyBlock& block, float* scores, float* biases);
  /// From mixed scores; writes the gradients by them.
  void run_mixed_tile(std::int64_t i, const KeyBlock& block, const float* sums, float* d_sums);
  /// Takes the gradients by the scores and the biases that went into the mix.
  void take_mix_grad(std::int64_t i, const KeyBlock& block, const float* d_scores,
                     const float* d_biases);

  /// After all tiles of a block of keys.
  void finish_keys(const KeyBlock& block);
  /// After all blocks of keys.
  void finish_queries();
  /// After all queries.
  Status leave();

 private:
  static constexpr std::int64_t kPanels = BackwardBlock::kPanels;
  static constexpr std::int64_t kTile = kKeyBlock * kPanel;

  float* weights(std::int64_t i) { return weights_.data() + i * kTile; }
  float* d_scores(std::int64_t i) { return d_scores_.data() + i * kTile; }
  const float* keys_of(int r, const KeyBlock& block) const {
    return operands_.keys(operands_.regimes().first + r) + block.first * operands_.dim();
  }
  /// Gradient by the turned queries of a panel, before their factor.
  float* d_query(std::int64_t i, int r) {
    return d_queries_.data() + i * d_query_size() + r * operands_.dim() * kPanel;
  }
  std::int64_t d_query_size() const {
    return operands_.regimes().count() * operands_.dim() * kPanel;
  }
  /// Scores before bias and weights, where the way back needs them.
  float* capped() { return keeps_capped_ ? capped_.data() : nullptr; }

  void differentiate(std::int64_t i, const KeyBlock& block);
  void hide_gates(const KeyBlock& block);
  void run_gates();
  void spread(const KeyBlock& block);
  void add_to_queries(std::int64_t i, int r, const KeyBlock& block, const float* d_scores,
                      bool clean);
  void finish_panel(std::int64_t i);

  const AttentionProblem& p_;
  const Operands& operands_;
  KeyGradient& keys_;
  QueryGradient queries_;
  HeadScores scores_;
  BackwardBlock block_;
  BiasGradient bias_;
  ContentGradient content_;
  ScaleGradient scales_;
  int head_ = 0;
  bool gated_, keeps_capped_;
  Visibility visibility_[kPanels] = {};  // of the block of keys
  bool active_[kPanels] = {};            // panels with gradients by its scores
  Buffer<float> d_queries_;              // (panels, regimes, dim, kPanel)
  Buffer<float> weights_;                // (panels, kKeyBlock, kPanel)
  Buffer<float> d_scores_;               // (panels, kKeyBlock, kPanel)
  Buffer<float> parts_;                  // (regimes, panels, kKeyBlock, kPanel), of several regimes
  Buffer<float> turned_;                 // (kPanel, dim): scratch
  Buffer<float> capped_;                 // (kKeyBlock, kPanel)
  Buffer<float> gate_scores_;            // (keys, kPanel), where gated
  Buffer<float> d_rows_;                 // (2, keys, kPanel), where gated: by logits, by scores
  Buffer<float> d_factors_;              // (queries of a block)
};

}  // namespace posenc
