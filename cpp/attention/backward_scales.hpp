// Gradients of what scores are multiplied by: the scale, those of heads and queries, the hook
// `scale`.
#pragma once

#include <cstdint>

#include "attention/backward.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"

namespace posenc {

class ScaleGradient {
 public:
  ScaleGradient(const AttentionProblem& problem, const AttentionGradients& gradients)
      : p_(problem), g_(gradients) {}

  bool wanted() const {
    return !g_.scale.empty() || g_.score_scale != nullptr || g_.head_scales != nullptr ||
           g_.query_scales != nullptr;
  }
  /// Takes the gradients by the factors of the queries of a panel.
  void add(const Operands& operands, int head, const Panel& panel,
           const float* d_factors /* (kPanel) */) const;

 private:
  const AttentionProblem& p_;
  const AttentionGradients& g_;
};

}  // namespace posenc
