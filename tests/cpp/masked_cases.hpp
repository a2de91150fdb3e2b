// A table of attention problems, one or more per kind of mask.
#pragma once

#include <string>
#include <vector>

#include "attention_case.hpp"

namespace posenc::test {

struct MaskedCase {
  std::string label;
  AttentionCase problem;
};

std::vector<MaskedCase> masked_cases();

}  // namespace posenc::test
