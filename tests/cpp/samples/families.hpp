// Samples of families of encodings; each adds those that can have the width and the heads.
#pragma once

#include "samples.hpp"

namespace posenc::test {

void add_rotary(std::vector<Sample>& all, std::int64_t width, int heads);
void add_scales(std::vector<Sample>& all, int heads);

}  // namespace posenc::test
