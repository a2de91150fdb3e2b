// One layer of a decoder that is trained: there, with a tape, and back.
#pragma once

#include <cstdint>
#include <span>

#include "model/step.hpp"
#include "train/dropout.hpp"
#include "train/tape.hpp"

namespace posenc {

/// Where gradients by the trained numbers of a layer's encodings go, a pointer per tensor of each
/// parameter table, as in AttentionGradients.
struct LayerTrained {
  std::span<float*const> rotate, content, bias, scale;
};

/// Where gradients by a layer's own tensors go: a pointer per LayerTensor, null = not there.
using LayerGradients = float* const*;

/// True for layers that can be trained: norms before the sublayers, one after the other, without an
/// encoder.
bool trainable(const StackShape& stack);

/// x (rows, width) passes through the layer. `positions` (batch, tokens).
Status layer_there(const Model& model, const Step& step, std::int64_t number,
                   const std::int32_t* positions, const Dropout& dropout, LayerTape& tape,
                   float* x);

/// From the gradient by what the layer gives to that by what it got, in place; adds those by its
/// tensors.
Status layer_back(const Model& model, const Step& step, std::int64_t number,
                  const std::int32_t* positions, const Dropout& dropout, const LayerTape& tape,
                  const LayerTrained& trained, LayerGradients gradients, float* d_x);

}  // namespace posenc
