// Calls that attend, as blocks of doubles say them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "attention/problem.hpp"
#include "bindings/block.hpp"

namespace posenc::bindings {

/// The encodings of one call, made for it.
class CallEncodings {
 public:
  static constexpr std::size_t kMost = ScoreTerms::kMost;

  /// Makes those whose blocks' 32-bit addresses are at `blocks`, and collects their hooks.
  Status make(Address blocks, double count, ScoreTerms& terms);
  std::int64_t count() const { return count_; }
  const Encoding& operator[](std::int64_t i) const { return *made_[i]; }

 private:
  std::unique_ptr<Encoding> made_[kMost];
  std::int64_t count_ = 0;
};

/// A problem with what it needs.
struct AttentionCall {
  AttentionProblem problem;
  CallEncodings encodings;

  /// Reads the fields of AttentionField.
  Status read(const double* fields);
};

}  // namespace posenc::bindings
