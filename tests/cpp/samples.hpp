// Sample values of every encoding, each with its float64 reference: what the laws loop over. A new
// encoding adds its samples to samples.cpp, nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "reference.hpp"

namespace posenc::test {

struct Sample {
  std::string label;
  const Description* description;
  std::vector<double> values;  ///< One per parameter; NaN = not given.
  Reference reference;

  /// The encoding. Fails the test when the values are refused.
  std::unique_ptr<Encoding> make() const;
};

/// Samples for heads (or rows) of `width` numbers and `heads` heads; an encoding that cannot have
/// the width has none.
std::vector<Sample> samples(std::int64_t width, int heads);

/// Those with a hook that acts inside attention, or no hook at all.
std::vector<Sample> attention_samples(std::int64_t width, int heads);

bool fills(const Description& description, Hook hook);

}  // namespace posenc::test
