// Sample values of every encoding, each with its float64 reference: what the laws loop over. A new
// encoding adds its samples to a file of samples/, nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "reference.hpp"
#include "tensor.hpp"
#include "values.hpp"

namespace posenc::test {

/// `count` normal numbers.
TensorPointer random_tensor(std::int64_t count, unsigned seed);

/// Number i of a tensor: references read tensors where they lie, so as to follow their changes.
double number(const TensorPointer& tensor, std::int64_t i);

struct Sample {
  std::string label;
  const Description* description;
  std::vector<double> values;  ///< Of the leading parameters; NaN = not given.
  Reference reference;
  std::vector<TensorPointer> tensors;  ///< Those that values name, in the same order.

  Sample(std::string name, const Description* what, std::vector<double> of, Reference expected,
         std::vector<TensorPointer> numbers = {})
      : label(std::move(name)),
        description(what),
        values(std::move(of)),
        reference(std::move(expected)),
        tensors(std::move(numbers)) {}
  Sample(std::string name, const Values& of, Reference expected)
      : Sample(std::move(name), &of.description(), of.list(), std::move(expected), of.tensors()) {}

  /// The encoding. Fails the test when the values are refused.
  std::unique_ptr<Encoding> make() const;
};

/// Samples for heads (or rows) of `width` numbers, `heads` heads and values of `value_dim` numbers
/// (0 = width); an encoding that cannot have the width has none.
std::vector<Sample> samples(std::int64_t width, int heads, std::int64_t value_dim = 0);

/// Those with a hook that acts inside attention, or no hook at all, at any position.
std::vector<Sample> attention_samples(std::int64_t width, int heads, std::int64_t value_dim = 0);

/// The leading values of an encoding's parameters, completed with "not given".
std::vector<double> complete(const Description& description, std::vector<double> values);

/// True for encodings that know any position; false for tables of positions.
bool unbounded(const Encoding& encoding);

/// The fewest coordinates that a token must have.
int axes_read(const PositionDomain& domain);

/// Positions (tokens) as (tokens, axes), 0 on the axes after the first.
std::vector<std::int32_t> with_zeros(const std::vector<std::int32_t>& positions, int axes);

/// The positions among these that an encoding knows; on axes after the first they have 0.
std::vector<std::int32_t> known(const Encoding& encoding, std::vector<std::int32_t> positions);

/// The description of a registered encoding.
const Description* described(const char* name);

/// An encoding from its leading values. Fails the test when they are refused.
std::unique_ptr<Encoding> make_encoding(const char* name, std::vector<double> values);

/// Samples of encodings that add a bias.
void add_biases(std::vector<Sample>& all, int heads);

bool fills(const Description& description, Hook hook);

}  // namespace posenc::test
