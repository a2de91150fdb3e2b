#include "bindings/model.hpp"

#include "model/linear.hpp"

namespace posenc::bindings {

int linear_call(Address input, Address weight, Address bias, double rows, double inputs,
                double outputs, Address output) {
  return code(linear({
      .rows = static_cast<std::int64_t>(rows),
      .inputs = static_cast<std::int64_t>(inputs),
      .outputs = static_cast<std::int64_t>(outputs),
      .input = at<float>(input),
      .weight = at<float>(weight),
      .bias = at<float>(bias),
      .output = at<float>(output),
  }));
}

}  // namespace posenc::bindings
