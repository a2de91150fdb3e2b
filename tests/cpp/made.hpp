// Encodings made by the names of their options, and tensors turned by them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "position/registry.hpp"
#include "position/rotation.hpp"

namespace posenc::test {

/// Option names and values; choices by index.
using Options = std::vector<std::pair<const char*, double>>;

/// Values of all parameters, NaN where none is given.
std::vector<double> values_of(const char* name, const Options& options);

/// The encoding of that name. Fails the test when it is refused.
std::unique_ptr<Encoding> made(const char* name, const Options& options);

/// What is wrong with the options; fails the test when nothing is.
struct Refusal {
  const char* option;
  const char* rule;
};
Refusal refusal(const char* name, const Options& options);

/// Index of a word among the choices of an option. Fails the test when it is none of them.
double choice_of(const char* name, const char* option, const char* word);

struct TurnOptions {
  Side side = Side::query;
  int axes = 1;
  std::int64_t heads = 1;
  bool inverse = false;
};

/// `x` is (heads, tokens, head_dim), positions (tokens, axes).
std::vector<float> turned(const Encoding& encoding, const std::vector<float>& x,
                          const std::vector<std::int32_t>& positions, TurnOptions options = {});

/// Whether an encoding knows these positions (tokens, axes).
bool knows(const Encoding& encoding, const std::vector<std::int32_t>& positions, int axes = 1);

double dot(std::span<const float> a, std::span<const float> b);

/// Where and of what check_turn_grad takes the gradient.
struct GradientCheck {
  std::size_t tensors = 1, tensor = 0;  ///< Number of tensor parameters, and which of them.
  Side side = Side::query;
  int head = 0, axes = 1;
  std::vector<std::int32_t> positions;
};

/// Checks Rotate::turn_grad of one head against central differences of what `make` makes of trained
/// numbers.
void check_turn_grad(
    std::vector<float> trained, const GradientCheck& check,
    const std::function<std::unique_ptr<Encoding>(const std::vector<float>&)>& make);

}  // namespace posenc::test
