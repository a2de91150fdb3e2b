// Layers of models.
#pragma once

#include "bindings/block.hpp"

namespace posenc::bindings {

/// `linear` of model/linear.hpp; `bias` may be 0.
int linear_call(Address input, Address weight, Address bias, double rows, double inputs,
                double outputs, Address output);

}  // namespace posenc::bindings
