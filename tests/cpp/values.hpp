// Values of an encoding's parameters, set by name, with the arrays that they point at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "tensor.hpp"

namespace posenc::test {

class Values {
 public:
  explicit Values(const char* encoding);

  Values& set(const std::string& parameter, double value);
  Values& give(const std::string& parameter, std::vector<float> numbers);
  /// The same with an array that others hold as well.
  Values& share(const std::string& parameter, TensorPointer tensor);

  const Description& description() const { return *description_; }
  /// One value per parameter; NaN = not given. Copies of the values share the arrays.
  const std::vector<double>& list() const { return values_; }
  /// The arrays, in the order in which they were given.
  const std::vector<TensorPointer>& tensors() const { return tensors_; }
  /// What `resolve` says, as "parameter: rule" or "".
  std::string fault() const;
  /// The encoding, which keeps its arrays. Fails the test when the values are refused.
  std::shared_ptr<const Encoding> make() const;

 private:
  std::size_t index(const std::string& parameter) const;

  const Description* description_;
  std::vector<double> values_;
  std::vector<TensorPointer> tensors_;
};

}  // namespace posenc::test
