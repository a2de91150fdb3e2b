// Gradients of the terms of the hook `content`, by the formulas that stand there.
#pragma once

#include <cstdint>
#include <span>

#include "attention/backward_kernels.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/tile.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// What a block of queries brings along: rows of its panels, one after another.
struct QueryBlockRows {
  const float* query;     // (panels, kPanel, dim): turned, times the factor of the query
  const float* unscaled;  // (panels, kPanel, dim): without the factor; where gated
  const float* d_output;  // (panels, kPanel, value_dim)
  const float* d_packed;  // (panels, value_dim, kPanel): the same, transposed
};

class ContentGradient {
 public:
  ContentGradient(const AttentionProblem& problem, std::span<float* const> grads)
      : p_(problem), grads_(grads), content_(problem.terms.content) {}

  Status allocate(std::int64_t panels);
  void enter(const Operands& operands, int head);
  void start_block(std::int64_t panels, const QueryBlockRows& rows);

  /// Adds to the gradients by the weights of a tile what value vectors say.
  void add_to_weights(std::int64_t i, const Panel& panel, const KeyBlock& block, HeadScores& scores,
                      float* d_weights);
  /// Takes note of the weights of a tile and the gradients by its scaled scores, and adds to the
  /// gradients of the keys (null = not wanted) and of the factor of each query what key vectors
  /// say.
  void add(std::int64_t i, const Panel& panel, const KeyBlock& block, HeadScores& scores,
           const float* weights, const float* d_scores, float* d_keys, float* d_factors);
  /// The same for the gated form, of whole rows: `d_scores` comes in as the gradient by score +
  /// term and leaves as that by the score. Reads `panel.content`.
  void add_gated(std::int64_t i, const Panel& panel, const float* scores /* (keys, kPanel) */,
                 const float* d_terms, float* d_scores);
  /// After all tiles of a panel: adds to the gradients of its queries, before their factor, and of
  /// the factors. `d_queries` holds what the keys have given.
  void finish_panel(std::int64_t i, const Panel& panel, float* d_queries /* (dim, kPanel) */,
                    float* d_factors /* (kPanel) */);
  /// Adds to the gradient of a turned query what gated terms, which have no factor, say.
  void add_to_query(std::int64_t i, std::int64_t lane, float* d_query /* (dim) */) const;
  /// After all queries of a head.
  void leave();

 private:
  /// Gradients by one term of the head; zero where it is absent.
  float* by(Buffer<float>& table, const float* term) {
    return term == nullptr ? nullptr : table.data();
  }

  const AttentionProblem& p_;
  std::span<float* const> grads_;
  const Content* content_;
  int head_ = 0;
  std::int64_t dim_ = 0, rows_ = 0;
  const float* keys_ = nullptr;  // (keys, dim)
  QueryBlockRows block_{};
  Buffer<float> row_scores_, row_weights_;  // (panels, rows, kPanel): sums by content row
  Buffer<float> value_terms_;               // (panels, rows, kPanel): d_output · w
  Buffer<float> counts_, d_counts_;         // (rows): of one query, where gated
  Buffer<float> d_query_vectors_, d_key_vectors_, d_value_vectors_, d_global_, d_offsets_;
};

}  // namespace posenc
