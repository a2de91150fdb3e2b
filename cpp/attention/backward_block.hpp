// A block of queries on the way back: packed as on the way there, and as rows.
#pragma once

#include <cstdint>

#include "attention/backward.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/tile.hpp"
#include "core/buffer.hpp"

namespace posenc {

class BackwardBlock {
 public:
  static constexpr std::int64_t kPanels = kQueryBlock / kPanel;

  BackwardBlock(const AttentionProblem& problem, const AttentionGradients& gradients,
                const Operands& operands)
      : p_(problem), g_(gradients), operands_(operands) {}

  Status allocate();
  /// Takes up to kQueryBlock queries of a head; adds to the gradient of its sink logit.
  void start(HeadScores& scores, int head, std::int64_t first, std::int64_t count);

  std::int64_t panels() const { return panel_count_; }
  Panel& panel(std::int64_t i) { return panels_[i]; }
  const SoftmaxState& state(std::int64_t i) const { return states_[i]; }
  /// Σ output · d_output of each query.
  const float* delta(std::int64_t i) const { return delta_.data() + i * kPanel; }
  // Rows of all panels, (panels, kPanel, ·); regimes count from the first of the entry.
  const float* query_rows() const { return query_rows_.data(); }  // turned, times factor
  const float* key_rows(std::int64_t r) const {                   // the same plus u: what keys meet
    return key_rows_.data() + r * kQueryBlock * operands_.dim();
  }
  const float* unscaled_rows() const { return unscaled_.data(); }  // turned only; where gated
  const float* d_output_rows() const { return d_output_rows_.data(); }
  const float* d_output_packed() const { return d_output_packed_.data(); }  // (panels, ·, kPanel)
  // True when all numbers are finite.
  bool clean_queries() const { return clean_queries_; }
  bool clean_outputs() const { return clean_outputs_; }

 private:
  void read_queries(std::int64_t i, int head);
  void read_outputs(std::int64_t i, int head);
  void add_sink_grad(int head, const RowStatistics& row, float delta);

  const AttentionProblem& p_;
  const AttentionGradients& g_;
  const Operands& operands_;
  bool gated_ = false;
  std::int64_t panel_count_ = 0;
  bool clean_queries_ = true, clean_outputs_ = true;
  Buffer<float> packed_;                 // (panels, regimes, dim, kPanel)
  Buffer<float> packed_content_;         // (panels, content rows, kPanel)
  Buffer<float> query_rows_, key_rows_;  // (regimes, kQueryBlock, dim)
  Buffer<float> unscaled_;               // (kQueryBlock, dim)
  Buffer<float> d_output_rows_, d_output_packed_;
  Buffer<Panel> panels_;
  Buffer<SoftmaxState> states_;
  Buffer<float> delta_;  // (kQueryBlock)
};

}  // namespace posenc
