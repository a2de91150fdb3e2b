// A loss that is a random sum of the output of attention with content terms: in float64 by the
// definition, its gradients by those of the hook `content`.
#pragma once

#include <span>
#include <vector>

#include "attention_case.hpp"
#include "samples.hpp"

namespace posenc::test {

class ContentLoss {
 public:
  /// `problem` has shapes and masks; queries, keys and values are drawn here.
  ContentLoss(const Sample& sample, const AttentionCase& problem);

  double value() const;
  /// Adds to the gradients of the encoding's tensor parameters (null = not wanted).
  void add_gradient(std::span<float* const> grads);

  AttentionCase problem;
  /// Gradients by problem.query and problem.key, as the hook's formulas have them; written by
  /// add_gradient.
  std::vector<float> d_query, d_key;

 private:
  const Sample& sample_;
  std::vector<float> weights_;  // like the output
};

}  // namespace posenc::test
