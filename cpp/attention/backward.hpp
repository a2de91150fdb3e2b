// Gradients of attention.
#pragma once

#include <span>

#include "attention/problem.hpp"

namespace posenc {

/// Where gradients go; null or empty = not wanted. Those of query, key and value are written, all
/// others are added to what is there.
struct AttentionGradients {
  const float* d_output = nullptr;  // (batch, heads, queries, value_dim): that of the loss
  float* query = nullptr;           // like the problem's
  float* key = nullptr;
  float* value = nullptr;
  /// Of the trained parameters of the encodings that fill the hooks: a pointer per tensor of the
  /// parameter table in its order, null = not wanted. `content` is of either form of that hook.
  std::span<float*const> rotate, content, bias, scale;
  double* score_scale = nullptr;  // (1): by the problem's scale
  float* sink_logits = nullptr;   // (heads)
  float* head_scales = nullptr;   // (heads)
  float* query_scales = nullptr;  // like the problem's
  PerPair<float> added;           // by Masks::added; a dimension of stride 0 sums up
};

/// The way back of `attention`, whose call has written `problem.output` and `problem.statistics`;
/// taps are not read. Scores are computed once more tile by tile (Dao 2022, "FlashAttention",
/// appendix B.4), so that no (queries, keys) buffer is needed. A hidden key has gradient 0, and so
/// has a row that sees nothing, whatever numbers stand there. The same bits on every run.
/// `unsupported` of keys that lie in a cache (`key_rows`, `key_counts`, `keys_turned`) and of
/// queries among others (`query_rows`).
Status attention_backward(const AttentionProblem& problem, const AttentionGradients& gradients);

}  // namespace posenc
