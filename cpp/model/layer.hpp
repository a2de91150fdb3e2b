// One layer of a stack: attention, attention to an encoder, MLP.
#pragma once

#include <cstdint>

#include "core/buffer.hpp"
#include "model/step.hpp"

namespace posenc {

/// Room for one layer of one step, used by all layers in turn.
struct LayerSpace {
  LayerSpace(const ModelShape& shape, const StackShape& stack, std::int64_t rows);

  bool ok() const;

  Buffer<float> normed;   // (rows, width)
  Buffer<float> added;    // (rows, width): what a sublayer adds
  Buffer<float> query;    // (rows, heads · head_dim)
  Buffer<float> key;      // (rows, kv_heads · head_dim)
  Buffer<float> value;    // the same
  Buffer<float> by_head;  // (rows, heads · head_dim): queries, head by head
  Buffer<float> keys;     // (rows, kv_heads · head_dim): keys, head by head
  Buffer<float> values;   // the same
  Buffer<float> found;    // (rows, heads · head_dim): what heads found
  Buffer<float> up;       // (rows, hidden)
  Buffer<float> gate;     // (rows, hidden), or nothing
};

/// Passes a step's tokens through layer `number`: `x` (batch · tokens, width) is what goes on from
/// layer to layer. `positions` (batch, tokens) are those of the step or of its caches.
Status run_layer(const Model& model, const Step& step, std::int64_t number,
                 const std::int32_t* positions, LayerSpace& space, float* x);

/// (batch, tokens, heads, head_dim) → (batch, heads, tokens, head_dim)
void split_heads(const float* x, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                 std::int64_t head_dim, float* out);

/// (batch, heads, tokens, head_dim) → (batch, tokens, heads, head_dim)
void merge_heads(const float* x, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                 std::int64_t head_dim, float* out);

}  // namespace posenc
