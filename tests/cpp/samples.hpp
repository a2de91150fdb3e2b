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
  std::vector<double> values;  ///< Of the leading parameters; NaN = not given.
  Reference reference;

  /// The encoding. Fails the test when the values are refused.
  std::unique_ptr<Encoding> make() const;
};

/// Samples for heads (or rows) of `width` numbers and `heads` heads; an encoding that cannot have
/// the width has none.
std::vector<Sample> samples(std::int64_t width, int heads);

/// Those with a hook that acts inside attention, or no hook at all, at any position.
std::vector<Sample> attention_samples(std::int64_t width, int heads);

/// The value of an array parameter with these numbers, which are kept until the tests end.
template <class T>
double kept(std::vector<T> numbers);

/// The leading values of an encoding's parameters, completed with "not given".
std::vector<double> complete(const Description& description, std::vector<double> values);

bool fills(const Description& description, Hook hook);

}  // namespace posenc::test
