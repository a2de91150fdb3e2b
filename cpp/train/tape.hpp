// What the way there leaves for the way back.
#pragma once

#include <cstdint>

#include "attention/problem.hpp"
#include "core/buffer.hpp"
#include "model/model.hpp"

namespace posenc {

/// Of one layer, for `rows` = batch · tokens tokens.
struct LayerTape {
  LayerTape(const StackShape& stack, std::int64_t width, std::int64_t batch, std::int64_t tokens);
  bool ok() const;

  Buffer<float> input;               // (rows, width)
  Buffer<float> normed;              // (rows, width): what attention reads
  Buffer<float> raw_query;           // (rows, heads, head_dim), before a norm of its own
  Buffer<float> raw_key;             // (rows, kv_heads, head_dim)
  Buffer<float> query;               // (batch, heads, tokens, head_dim)
  Buffer<float> key;                 // (batch, kv_heads, tokens, head_dim)
  Buffer<float> value;               // the same
  Buffer<float> found;               // (batch, heads, tokens, head_dim): what heads found
  Buffer<float> merged;              // (rows, heads, head_dim): the same, token by token
  Buffer<RowStatistics> statistics;  // (batch, heads, tokens)
  Buffer<float> middle;              // (rows, width): input + what attention adds
  Buffer<float> mlp_normed;          // (rows, width)
  Buffer<float> up, gate;            // (rows, hidden), before the activation
  Buffer<float> mixed;               // (rows, hidden): what goes down
};

}  // namespace posenc
