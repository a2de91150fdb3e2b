// Samples of the encodings that fill the hook `content`.
#pragma once

#include <cstdint>
#include <vector>

#include "samples.hpp"

namespace posenc::test {

struct HeadShape {
  int heads;
  std::int64_t head_dim, value_dim;
};

void add_content_samples(std::vector<Sample>& all, HeadShape shape);

}  // namespace posenc::test
