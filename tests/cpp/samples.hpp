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

/// Trained numbers of an array parameter.
struct Tensor {
  explicit Tensor(std::vector<float> values);
  Tensor(Tensor&&) = default;
  /// As a parameter's value, valid while the tensor lives.
  double value() const { return static_cast<double>(reinterpret_cast<std::uintptr_t>(&array)); }

  std::vector<float> numbers;
  Array array;
};
using TensorPointer = std::shared_ptr<Tensor>;

/// `count` normal numbers.
TensorPointer random_tensor(std::int64_t count, unsigned seed);

struct Sample {
  std::string label;
  const Description* description;
  std::vector<double> values;  ///< Of the leading parameters; NaN = not given.
  Reference reference;
  std::vector<TensorPointer> tensors = {};  ///< Those that values name, in the same order.

  /// The encoding. Fails the test when the values are refused.
  std::unique_ptr<Encoding> make() const;
};

/// Samples for heads (or rows) of `width` numbers and `heads` heads; an encoding that cannot have
/// the width has none.
std::vector<Sample> samples(std::int64_t width, int heads);

/// Those with a hook that acts inside attention, or no hook at all.
std::vector<Sample> attention_samples(std::int64_t width, int heads);

/// The leading values of an encoding's parameters, completed with "not given".
std::vector<double> complete(const Description& description, std::vector<double> values);

/// The description of a registered encoding.
const Description* described(const char* name);

/// An encoding from its leading values. Fails the test when they are refused.
std::unique_ptr<Encoding> make_encoding(const char* name, std::vector<double> values);

/// Samples of encodings that add a bias; the reference follows its tensors when they change.
void add_biases(std::vector<Sample>& all, int heads);

bool fills(const Description& description, Hook hook);

}  // namespace posenc::test
