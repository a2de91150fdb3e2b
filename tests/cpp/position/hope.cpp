// HoPE: pairs that do not come round within the trained length stand still.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "made.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

TEST_CASE("slow pairs stand still, the others turn as in rope") {
  // d = 64, L = 512: 2π/512 = 0.01227; 10000^(-15/32) = 0.01334, 10000^(-16/32) = 0.01.
  const auto encoding = made("hope", {{"headDim", 64}, {"trainedLength", 512}});
  const auto rope = made("rope", {{"headDim", 64}});
  const std::vector<float> x = random_floats(64, 1);
  const auto y = turned(*encoding, x, {4096});
  const auto all = turned(*rope, x, {4096});
  for (std::size_t i = 0; i < 32; ++i) {
    const std::vector<float>& expected = i <= 15 ? all : x;
    CHECK(y[i] == expected[i]);
    CHECK(y[i + 32] == expected[i + 32]);
    CHECK(encoding->frequencies()[i] == (i <= 15 ? rope->frequencies()[i] : 0.0));
  }
}

TEST_CASE("trained lengths of a few tokens stop everything, long ones nothing") {
  const std::vector<float> x = random_floats(8, 2);
  CHECK(bit_differences(turned(*made("hope", {{"headDim", 8}, {"trainedLength", 6}}), x, {99}),
                        x) == "");
  CHECK(bit_differences(turned(*made("hope", {{"headDim", 8}, {"trainedLength", 7000}}), x, {99}),
                        turned(*made("rope", {{"headDim", 8}}), x, {99})) == "");
  CHECK(std::string(refusal("hope", {{"headDim", 8}}).option) == "trainedLength");
}

}  // namespace
}  // namespace posenc::test
