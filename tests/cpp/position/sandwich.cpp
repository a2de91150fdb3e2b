// Sandwich: its size at no distance, and how heads share one curve.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::vector<float> by_distance(const Encoding& encoding, int head, std::int64_t first,
                               std::int64_t count) {
  std::vector<float> out(static_cast<std::size_t>(count), kUnwritten);
  encoding.bias()->by_distance(head, first, count, out.data());
  return out;
}

TEST_CASE("at no distance head h of H has width/2 · H/8h") {
  const auto encoding = make_encoding("sandwich", {12});  // width 128 unless given
  for (int head = 0; head < 12; ++head) {
    CHECK(by_distance(*encoding, head, 0, 1)[0] == doctest::Approx(64 * 12 / (8.0 * (head + 1))));
  }
}

TEST_CASE("two columns are one cosine") {
  const auto encoding = make_encoding("sandwich", {8, 2});
  for (std::int64_t x = 0; x < 20; ++x) {
    CHECK(by_distance(*encoding, 0, x, 1)[0] ==
          doctest::Approx(std::cos(static_cast<double>(x))).epsilon(1e-6));
  }
}

TEST_CASE("the bias is the same on both sides") {
  const auto encoding = make_encoding("sandwich", {3, 16});
  auto before = by_distance(*encoding, 2, -9, 10);
  std::reverse(before.begin(), before.end());
  const auto after = by_distance(*encoding, 2, 0, 10);
  CHECK(bit_differences(before, after) == "");
}

TEST_CASE("an odd width is refused") {
  auto values = complete(*described("sandwich"), {4, 7});
  const Fault fault = resolve(*described("sandwich"), values);
  CHECK(fault.parameter == 1);
  CHECK(std::string(fault.rule) == "an even number");
}

}  // namespace
}  // namespace posenc::test
