// What `derive` checks of every array parameter: that it has as many numbers as the others ask for.
#pragma once

#include <initializer_list>

#include "position/registry.hpp"

namespace posenc {

struct ArrayCount {
  int parameter;
  double count;
  const char* rule;       ///< The count in words.
  bool optional = false;  ///< May be left out.
};

/// The first array whose count is another one, if any.
inline Fault check_counts(std::span<const double> values,
                          std::initializer_list<ArrayCount> expected) {
  for (const ArrayCount& array : expected) {
    const double value = values[static_cast<std::size_t>(array.parameter)];
    if (array.optional && std::isnan(value)) continue;
    // The count does not depend on the type.
    if (static_cast<double>(numbers<float>(value).size()) != array.count) {
      return {Status::parameter, array.parameter, array.rule};
    }
  }
  return {};
}

}  // namespace posenc
