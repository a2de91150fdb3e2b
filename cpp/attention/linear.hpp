// Attention whose memory is a matrix instead of all keys and values: linear in the number of
// tokens.
#pragma once

#include <cstdint>

#include "core/status.hpp"

namespace posenc {

/// How a token changes the state S of its head, (key_dim, value_dim), after the text of ONNX's
/// LinearAttention (opset 27):
///   S ← e^g · S            where there is decay (Yang 2023, "Gated Linear Attention Transformers")
///   v ← β · (v − Sᵀk)      where there is beta: the delta rule (Yang 2024, "Parallelizing Linear
///                          Transformers with the Delta Rule over Sequence Length")
///   S ← S + k vᵀ           (Katharopoulos 2020, "Transformers are RNNs", section 3.4)
///   output = scale · Sᵀq
/// Both together are those of Yang 2024, "Gated Delta Networks". Rows are token by token, as the
/// projections of a layer leave them.
struct LinearAttentionProblem {
  std::int64_t batch = 1, heads = 1, kv_heads = 1;  ///< head h reads kv head h · kv_heads / heads
  std::int64_t tokens = 0;
  std::int64_t key_dim = 0, value_dim = 0;
  const float* query = nullptr;  // (batch, tokens, heads, key_dim)
  const float* key = nullptr;    // (batch, tokens, kv_heads, key_dim)
  const float* value = nullptr;  // (batch, tokens, kv_heads, value_dim)
  /// g, the logarithm of what is kept: (batch, tokens, kv_heads, decay_dim). Null = all.
  const float* decay = nullptr;
  std::int64_t decay_dim = 1;  ///< 1 = one for all rows of the state, else key_dim.
  /// β, (batch, tokens, beta_heads). Null = no delta rule.
  const float* beta = nullptr;
  std::int64_t beta_heads = 1;  ///< 1 = one for all heads, else kv_heads.
  float scale = 1.0F;
  float* state = nullptr;  // (batch, kv_heads, key_dim, value_dim): from the tokens before, updated
  float* output = nullptr;  // (batch, tokens, heads, value_dim)
};

/// Runs through the tokens in order. `shape` when dimensions do not fit.
Status linear_attention(const LinearAttentionProblem& problem);

}  // namespace posenc
