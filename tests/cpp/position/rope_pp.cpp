// RoPE++: which heads are imaginary, and what they attend by.
#include <doctest/doctest.h>

#include <complex>
#include <string>
#include <vector>

#include "made.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// Σ q·conj(k)·e^{i(m − n)w} over pairs of the half layout: its real part is RoPE's product.
std::complex<double> product(std::span<const float> q, std::span<const float> k, double distance) {
  const std::size_t pairs = q.size() / 2;
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double w = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(pairs));
    sum += std::complex<double>(q[i], q[i + pairs]) *
           std::conj(std::complex<double>(k[i], k[i + pairs])) * std::polar(1.0, distance * w);
  }
  return sum;
}

TEST_CASE("half of the heads see the imaginary part") {
  const std::vector<float> q = random_floats(4 * 16, 1);
  const std::vector<float> k = random_floats(16, 2);
  for (const double order : {0, 1}) {
    const auto encoding = made("rope_pp", {{"headDim", 16}, {"heads", 4}, {"order", order}});
    for (const std::int32_t distance : {0, 1, 40, 3000}) {
      const auto turned_q = turned(*encoding, q, {100 + distance}, {.heads = 4});
      const auto turned_k = turned(*encoding, k, {100}, {.side = Side::key});
      for (std::int64_t head = 0; head < 4; ++head) {
        const bool imaginary = order == 0 ? head % 2 == 1 : head >= 2;
        const auto expected = product(part(q, head * 16, 16), k, distance);
        CHECK(
            dot(part(turned_q, head * 16, 16), turned_k) ==
            doctest::Approx(imaginary ? expected.imag() : expected.real()).epsilon(1e-5).scale(1));
      }
    }
  }
}

TEST_CASE("real heads and keys turn as in rope, and all turns have an inverse") {
  const auto encoding = made("rope_pp", {{"headDim", 10}, {"rotaryDim", 6}, {"heads", 2}});
  const auto rope = made("rope", {{"headDim", 10}, {"rotaryDim", 6}});
  const std::vector<float> x = random_floats(2 * 3 * 10, 3);
  const std::vector<std::int32_t> positions = {0, 7, 12345};
  const auto y = turned(*encoding, x, positions, {.heads = 2});
  const auto plain = turned(*rope, x, positions, {.heads = 2});
  CHECK(bit_differences(part(y, 0, 30), part(plain, 0, 30)) == "");
  CHECK(differences(part(y, 30, 30), part(plain, 30, 30), {1e-3, 0}) != "");
  CHECK(bit_differences(turned(*encoding, x, positions, {.side = Side::key, .heads = 2}), plain) ==
        "");
  CHECK(differences(turned(*encoding, y, positions, {.heads = 2, .inverse = true}),
                    std::span<const float>(x), {1e-6, 0}) == "");
}

TEST_CASE("an odd number of heads is refused") {
  CHECK(std::string(refusal("rope_pp", {{"headDim", 8}, {"heads", 3}}).rule) == "an even number");
  CHECK(std::string(refusal("rope_pp", {{"headDim", 8}}).option) == "heads");
}

}  // namespace
}  // namespace posenc::test
