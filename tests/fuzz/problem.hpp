// Attention problems from the input of a fuzzer.
#pragma once

#include <cstdint>
#include <string>

#include "attention_case.hpp"
#include "bytes.hpp"
#include "encodings.hpp"
#include "table.hpp"

namespace posenc::fuzz {

/// How large a problem may be.
struct Limits {
  std::int64_t most_tokens = 70;
  std::int64_t most_pairs = 3000;  ///< In all heads.
};

struct Problem {
  Problem(Bytes& bytes, Limits limits);
  /// Shape, masks, numbers and encodings, for messages.
  std::string text() const;

  test::AttentionCase attention;
  Encodings encodings;
  Status made;       ///< What making the encodings gave.
  bool fits = true;  ///< Of what the engine checks alone, nothing is out of range.
};

/// What errors of the scores, which are relative to their size, allow the results.
test::Tolerance tolerance_of(const test::Stages<double>& expected, test::Tolerance bounds = {});

/// True when single precision can hold all stages but the logits, which may be −infinity.
bool is_moderate(const test::Stages<double>& expected);

}  // namespace posenc::fuzz
