// Calls that attend, as blocks of doubles say them.
#pragma once

#include <cstdint>
#include <memory>

#include "attention/problem.hpp"
#include "bindings/block.hpp"

namespace posenc::bindings {

/// The encodings of one call, made for it.
class CallEncodings {
 public:
  /// Makes those whose blocks' 32-bit addresses are at `blocks`, and collects their hooks.
  Status make(Address blocks, double count, ScoreTerms& terms);

 private:
  // At most one encoding per hook makes sense.
  static constexpr int kMost = 6;
  std::unique_ptr<Encoding> made_[kMost];
};

/// A problem with what it needs.
struct AttentionCall {
  AttentionProblem problem;
  CallEncodings encodings;

  /// Reads the fields of AttentionField.
  Status read(const double* fields);
};

}  // namespace posenc::bindings
