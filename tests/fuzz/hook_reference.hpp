// The reference of encodings whose parameters a fuzzer has chosen: the hooks are asked about one
// token or pair at a time, so that what is compared is the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/problem.hpp"
#include "attention_case.hpp"

namespace posenc::fuzz {

/// Coordinates of tokens by their positions, as the references know nothing else.
std::vector<std::int32_t> coordinates(const std::vector<std::int32_t>& positions, int axes);

/// The float64 result of a problem with hooks.
test::Stages<double> expected(const test::AttentionCase& problem, const ScoreTerms& terms);

}  // namespace posenc::fuzz
