// Dynamic position bias: its input, its layers, and what it refuses.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

double silu(double x) { return x / (1 + std::exp(-x)); }

float by_distance(const Encoding& encoding, std::int64_t distance) {
  float out = kUnwritten;
  encoding.bias()->by_distance(0, distance, 1, &out);
  return out;
}

TEST_CASE("one unit gives the SiLU of the signed distance, or of its logarithm") {
  const Tensor one({1.0F});
  const Tensor zero({0.0F});
  for (const bool log_distance : {false, true}) {
    const auto encoding =
        make_encoding("dynamic_bias", {1, 1, 1, log_distance ? 1.0 : 0.0, one.value(), zero.value(),
                                       kNotGiven, kNotGiven, one.value(), zero.value()});
    for (const std::int64_t x : {-30, -1, 0, 1, 2, 30}) {
      const auto distance = static_cast<double>(x);
      const double logarithm = std::copysign(std::log(std::abs(distance) + 1), distance);
      CHECK(by_distance(*encoding, x) ==
            doctest::Approx(silu(log_distance ? logarithm : distance)).epsilon(1e-6));
    }
  }
}

TEST_CASE("hidden layers follow each other") {
  const Tensor one({1.0F});
  const Tensor half({0.5F});
  const Tensor both(std::vector<float>{2.0F, -1.0F});
  const auto encoding =
      make_encoding("dynamic_bias", {1, 1, 3, 0, one.value(), half.value(), both.value(),
                                     both.value(), one.value(), half.value()});
  const double expected = silu(-silu(2 * silu(3 + .5) + 2) - 1) + .5;
  CHECK(by_distance(*encoding, 3) == doctest::Approx(expected).epsilon(1e-6));
}

TEST_CASE("far distances of large weights give finite numbers") {
  const Tensor large({1000.0F});
  const Tensor zero({0.0F});
  const Tensor one({1.0F});
  const auto encoding = make_encoding(
      "dynamic_bias",
      {1, 1, 1, 0, large.value(), zero.value(), kNotGiven, kNotGiven, one.value(), zero.value()});
  CHECK(by_distance(*encoding, std::int64_t{1} << 31) ==
        doctest::Approx(1000 * std::ldexp(1.0, 31)));
  CHECK(by_distance(*encoding, -(std::int64_t{1} << 31)) == 0.0F);
}

TEST_CASE("what does not fit is refused") {
  const Tensor one({1.0F});
  const Tensor two(std::vector<float>{1, 1});
  const double x = one.value();
  const double y = two.value();
  struct Row {
    std::vector<double> values;
    int parameter;
    const char* rule;
  };
  const Row rows[] = {
      {{1, 1, 1, 0, y, x, kNotGiven, kNotGiven, x, x}, 4, "width numbers"},
      {{1, 1, 1, 0, x, y, kNotGiven, kNotGiven, x, x}, 5, "width numbers"},
      {{1, 1, 1, 0, x, x, x, kNotGiven, x, x}, 6, "(depth − 1) · width² numbers"},
      {{1, 1, 2, 0, x, x, kNotGiven, kNotGiven, x, x}, 6, "(depth − 1) · width² numbers"},
      {{1, 1, 2, 0, x, x, x, kNotGiven, x, x}, 7, "(depth − 1) · width numbers"},
      {{1, 1, 2, 0, x, x, x, x, y, x}, 8, "heads · width numbers"},
      {{1, 1, 2, 0, x, x, x, x, x, y}, 9, "heads numbers"},
  };
  for (const Row& row : rows) {
    auto values = row.values;
    const Fault fault = resolve(*described("dynamic_bias"), values);
    CHECK(fault.parameter == row.parameter);
    CHECK(std::string(fault.rule) == row.rule);
  }
}

}  // namespace
}  // namespace posenc::test
