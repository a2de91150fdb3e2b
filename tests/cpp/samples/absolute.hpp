// Samples of the encodings that know absolute positions from trained tables or features.
#pragma once

#include <vector>

#include "samples.hpp"
#include "samples/content.hpp"

namespace posenc::test {

void add_absolute_samples(std::vector<Sample>& all, HeadShape shape);

}  // namespace posenc::test
