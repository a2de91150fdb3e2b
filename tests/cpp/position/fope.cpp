// FoPE: sums over frequencies, cut frequencies, coefficients per head.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

enum : std::uint8_t { kIdentity, kOnes };

TEST_CASE("cut frequencies leave a pair alone, or turn it by 45 degrees and √2") {
  // d = 8, L = 100: 1 and 0.1 are above 2π/100, 0.01 and 0.001 are not.
  const std::vector<float> x = random_floats(8, 1);
  for (const int clipped : {kIdentity, kOnes}) {
    const auto encoding =
        made("fope", {{"headDim", 8}, {"trainedLength", 100}, {"clipped", clipped}});
    const auto expected = [&] {
      auto y = widen(turned(*made("rope", {{"headDim", 8}}), x, {50}));
      for (const std::size_t i : {2U, 3U}) {
        const double a = x[i];
        const double b = x[i + 4];
        y[i] = clipped == kOnes ? a - b : a;
        y[i + 4] = clipped == kOnes ? a + b : b;
      }
      return y;
    }();
    CHECK(differences(turned(*encoding, x, {50}), expected, {1e-6, 0}) == "");
    CHECK(encoding->frequencies()[1] == doctest::Approx(0.1));
    CHECK(encoding->frequencies()[2] == 0);
  }
}

TEST_CASE("with all frequencies and no coefficients it is rope") {
  const std::vector<float> x = random_floats(8, 2);
  CHECK(bit_differences(turned(*made("fope", {{"headDim", 8}, {"frequencyCount", 4}}), x, {1234}),
                        turned(*made("rope", {{"headDim", 8}}), x, {1234})) == "");
}

/// (key heads, frequencies, pairs) = (2, 3, 2) of a head of 10 dimensions.
std::unique_ptr<Encoding> mixing(const std::vector<float>& cosines,
                                 const std::vector<float>& sines) {
  return made("fope", {{"headDim", 10},
                       {"frequencyCount", 3},
                       {"layout", 1},
                       {"heads", 4},
                       {"kvHeads", 2},
                       {"cosines", kept(cosines)},
                       {"sines", kept(sines)}});
}

TEST_CASE("cosines and sines are sums with their own coefficients") {
  const std::vector<float> cosines = random_floats(12, 3);
  const std::vector<float> sines = random_floats(12, 4);
  const auto encoding = mixing(cosines, sines);
  for (const Side side : {Side::query, Side::key}) {
    const std::int64_t heads = side == Side::query ? 4 : 2;
    const std::vector<float> x = random_floats(heads * 10, 5);
    const auto y = turned(*encoding, x, {21}, {.side = side, .heads = heads});
    auto expected = widen(x);
    for (std::size_t head = 0; head < static_cast<std::size_t>(heads); ++head) {
      const std::size_t table = side == Side::query ? head / 2 : head;
      for (std::size_t i = 0; i < 2; ++i) {
        double cos = 0;
        double sin = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          const double angle = 21 * std::pow(10000.0, -static_cast<double>(j) / 5);
          cos += cosines[(table * 3 + j) * 2 + i] * std::cos(angle);
          sin += sines[(table * 3 + j) * 2 + i] * std::sin(angle);
        }
        const std::size_t a = head * 10 + 2 * i;
        expected[a] = x[a] * cos - x[a + 1] * sin;
        expected[a + 1] = x[a + 1] * cos + x[a] * sin;
      }
    }
    CHECK(differences(y, expected) == "");
  }
}

TEST_CASE("gradients of coefficients") {
  const std::vector<float> cosines = random_floats(12, 6);
  const std::vector<float> sines = random_floats(12, 7);
  for (const int head : {0, 3}) {
    GradientCheck check{.tensors = 2, .head = head, .positions = {0, 5, -3, 100}};
    check_turn_grad(cosines, check,
                    [&](const std::vector<float>& trained) { return mixing(trained, sines); });
    check.tensor = 1;
    check_turn_grad(sines, check,
                    [&](const std::vector<float>& trained) { return mixing(cosines, trained); });
  }
}

TEST_CASE("options that do not fit are refused") {
  struct Row {
    Options options;
    const char* option;
  };
  const double twelve = kept(random_floats(12, 1));
  const double ten = kept(random_floats(10, 1));
  const Row rows[] = {
      {{{"headDim", 8}}, "trainedLength"},
      {{{"headDim", 8}, {"trainedLength", 6}}, "trainedLength"},
      {{{"headDim", 8}, {"frequencyCount", 5}}, "frequencyCount"},
      {{{"headDim", 8}, {"frequencyCount", 4}, {"heads", 3}, {"kvHeads", 2}}, "heads"},
      {{{"headDim", 8}, {"frequencyCount", 4}, {"kvHeads", 2}}, "kvHeads"},
      {{{"headDim", 8}, {"frequencyCount", 4}, {"cosines", twelve}}, "sines"},
      {{{"headDim", 8}, {"frequencyCount", 4}, {"cosines", ten}, {"sines", ten}}, "cosines"},
      {{{"headDim", 8}, {"frequencyCount", 2}, {"cosines", twelve}, {"sines", twelve}}, "cosines"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.option);
    CHECK(std::string(refusal("fope", row.options).option) == row.option);
  }
}

}  // namespace
}  // namespace posenc::test
