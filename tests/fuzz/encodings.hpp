// Encodings of the registry with parameters that a fuzzer chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "attention/problem.hpp"
#include "bytes.hpp"
#include "samples.hpp"

namespace posenc::fuzz {

/// One or two encodings: samples of the tests, which fit the shape, with some values of their
/// parameters replaced by others, valid or not.
class Encodings {
 public:
  Encodings(Bytes& bytes, std::int64_t head_dim, std::int64_t heads, std::int64_t value_dim);

  /// Makes them from their values and collects their hooks; anew once arrays have changed. Any
  /// status but `ok` when they are refused.
  Status make();
  const ScoreTerms& terms() const { return terms_; }
  std::vector<const Encoding*> list() const;
  /// True when trained numbers are those of the samples: finite, and within the limits that
  /// gradients pass (KERPLE).
  bool has_plain_tensors() const { return has_plain_tensors_; }
  /// Their names and the values that were chosen.
  std::string text() const;
  /// The tensors of a single encoding in table order, null = not given.
  std::vector<test::Tensor*> trained() const;

 private:
  struct Choice {
    const Description* description;
    std::vector<double> values;
  };
  void add(Bytes& bytes, const test::Sample& sample);
  double value(Bytes& bytes, const Parameter& parameter, const test::Tensor* before);

  std::vector<Choice> choices_;
  std::vector<test::TensorPointer> tensors_;
  std::vector<std::unique_ptr<test::BasicTensor<double>>> doubles_;
  std::vector<std::unique_ptr<Encoding>> made_;
  ScoreTerms terms_;
  bool has_plain_tensors_ = true;
};

}  // namespace posenc::fuzz
