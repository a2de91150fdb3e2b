// Gradients of trained parameters by whole tensors, one function per hook that can stand by itself
// (Embed::rows_grad is one already; `content` lives in attention). Each adds to `grads`, a pointer
// per tensor of the parameter table in its order, null = not wanted.
#pragma once

#include <cstdint>
#include <span>

#include "position/position.hpp"
#include "position/rotation.hpp"

namespace posenc {

/// Of the biases of all heads.
void bias_grad(const Bias& bias, Positions queries, Positions keys,
               const float* d_out /* (heads, queries, keys) */, std::span<float* const> grads);

/// Of what logits are multiplied by, where they are weighed.
void weights_grad(const Bias& bias, Positions queries, Positions keys,
                  const float* d_out /* (heads, queries, keys) */, std::span<float* const> grads);

/// Of the factors of `heads` heads.
void scale_grad(const Scale& scale, int heads, Positions queries,
                const float* d_out /* (heads, queries) */, std::span<float* const> grads);

/// Of a tensor that rotate_tensor turned; of `call`, out and inverse are not read. `memory` when
/// there is no room for it: `grads` then hold part of the sums.
Status rotate_grad(const Rotate& rotate, const RotateCall& call,
                   const float* d_out /* (batch, heads, tokens, turned_dim) */,
                   std::span<float* const> grads);

/// The gradient by that tensor itself. `memory` when there is no room for the tables.
Status rotate_input_grad(const Rotate& rotate, const RotateCall& call,
                         const float* d_out /* (batch, heads, tokens, turned_dim) */,
                         float* d_x /* (batch, heads, tokens, head_dim), not d_out */);

}  // namespace posenc
