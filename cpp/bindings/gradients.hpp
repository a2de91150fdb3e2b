// Gradients of attention, and of the hooks that stand by themselves, by the trained numbers of an
// encoding. `grads` holds one 32-bit address per tensor of the parameter table, in its order; 0 =
// not wanted. What is there is added to.
#pragma once

#include "bindings/block.hpp"

namespace posenc::bindings {

int embed_gradient(Address block, Address positions, double tokens, int axes, Address d_out,
                   Address grads);
/// Fields of RotateField, with the gradient of the result at `out`. Writes that by `x` to `d_x`,
/// unless it is 0.
int rotate_gradient(Address call_block, Address grads, Address d_x);
int bias_gradient(Address block, Address query_positions, double queries, Address key_positions,
                  double keys, int axes, Address d_out, Address grads);
int scale_gradient(Address block, Address positions, double tokens, int axes, int heads,
                   Address d_out, Address grads);
/// Fields of AttentionField, as `attention` has left them (output and statistics are read), and
/// GradientField.
int attention_gradient(Address call_block, Address gradient_block);

}  // namespace posenc::bindings
