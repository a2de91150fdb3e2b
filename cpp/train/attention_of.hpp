// The call of attention that a layer makes, the same there and back.
#pragma once

#include <cstdint>

#include "attention/problem.hpp"
#include "model/step.hpp"
#include "train/tape.hpp"

namespace posenc {

/// Attention of layer `number` over the queries, keys and values of its tape.
AttentionProblem attention_of(const Step& step, const StackShape& shape, std::int64_t number,
                              const std::int32_t* positions, const LayerTape& tape);

}  // namespace posenc
