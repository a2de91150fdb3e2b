// Numbers of an array parameter, which encodings point at: what keeps them alive in tests.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "position/registry.hpp"

namespace posenc::test {

/// Numbers with the `Array` that names them.
template <class T>
struct BasicTensor {
  explicit BasicTensor(std::vector<T> values)
      : numbers(std::move(values)),
        array{static_cast<double>(reinterpret_cast<std::uintptr_t>(numbers.data())),
              static_cast<double>(numbers.size())} {}
  BasicTensor(BasicTensor&&) = default;
  /// As a parameter's value, valid while the tensor lives and stays where it is.
  double value() const { return static_cast<double>(reinterpret_cast<std::uintptr_t>(&array)); }

  std::vector<T> numbers;
  Array array;
};

/// Trained numbers.
using Tensor = BasicTensor<float>;
using TensorPointer = std::shared_ptr<Tensor>;

/// The value of an array parameter with these numbers, which are kept until the tests end.
template <class T>
double kept(std::vector<T> numbers) {
  static std::vector<std::unique_ptr<BasicTensor<T>>> all;
  return all.emplace_back(std::make_unique<BasicTensor<T>>(std::move(numbers)))->value();
}

}  // namespace posenc::test
