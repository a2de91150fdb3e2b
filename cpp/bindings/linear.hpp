// Attention with a state, from JavaScript.
#pragma once

#include "bindings/block.hpp"

namespace posenc::bindings {

/// Fields of LinearField.
int linear_attention_call(Address call_block);

}  // namespace posenc::bindings
