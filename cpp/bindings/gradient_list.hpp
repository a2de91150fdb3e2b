// Where gradients by the trained parameters of an encoding go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bindings/block.hpp"

namespace posenc::bindings {

/// The pointers that hooks want, from the addresses at `grads`.
class GradientList {
 public:
  GradientList() = default;
  GradientList(const double* block, Address grads) {
    const auto* addresses = at<std::uint32_t>(grads);
    for (const Parameter& p : description_of(block)->parameters) {
      if (p.kind != Parameter::Kind::tensor) continue;
      pointers_[count_] = at<float>(Address{addresses[count_]});
      ++count_;
    }
  }
  operator std::span<float* const>() const { return {pointers_.data(), count_}; }

 private:
  static constexpr std::size_t kMost = 16;
  std::array<float*, kMost> pointers_{};
  std::size_t count_ = 0;
};

/// Gives the hooks that an encoding fills their pointers; `Wanted` has a span for each.
template <class Wanted>
void hand_out(const Encoding& encoding, std::span<float* const> list, Wanted& wanted) {
  if (encoding.rotate() != nullptr) wanted.rotate = list;
  if (encoding.content() != nullptr || encoding.head_mix() != nullptr) wanted.content = list;
  if (encoding.bias() != nullptr) wanted.bias = list;
  if (encoding.scale() != nullptr) wanted.scale = list;
}

}  // namespace posenc::bindings
