// KERPLE: values of both kernels, and the limits of its parameters.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "made.hpp"
#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

enum : std::uint8_t { kLog, kPower };

/// The bias of one head.
double bias(int kernel, float r1, float r2, std::int64_t distance) {
  const Tensor first({r1});
  const Tensor second({r2});
  const auto encoding =
      make_encoding("kerple", {1, static_cast<double>(kernel), first.value(), second.value()});
  float out = kUnwritten;
  encoding->bias()->by_distance(0, distance, 1, &out);
  return out;
}

TEST_CASE("kernels give these values") {
  struct Row {
    int kernel;
    float r1, r2;
    std::int64_t distance;
    double expected;
  };
  const Row rows[] = {
      {kLog, 2, 1, 0, 0},
      {kLog, 2, 1, 1, -2 * std::log(2.0)},
      {kLog, 2, 1, 7, -2 * std::log(8.0)},
      {kLog, 1, .5F, -6, -std::log(4.0)},
      {kPower, 2, 1, 0, 0},
      {kPower, 2, 1, 3, -6},  // exponent 1 is ALiBi
      {kPower, .5F, 2, -3, -4.5},
      {kPower, 3, .5F, 16, -12},
  };
  for (const Row& row : rows) {
    CAPTURE(row.distance);
    CHECK(bias(row.kernel, row.r1, row.r2, row.distance) ==
          doctest::Approx(row.expected).epsilon(1e-7));
  }
}

TEST_CASE("parameters count as at least 0.01, exponents as at most 2") {
  for (const int kernel : {kLog, kPower}) {
    CHECK(bias(kernel, -5, 1, 9) == doctest::Approx(bias(kernel, .01F, 1, 9)).epsilon(1e-6));
    CHECK(bias(kernel, 1, -5, 9) == doctest::Approx(bias(kernel, 1, .01F, 9)).epsilon(1e-6));
  }
  CHECK(bias(kPower, 1, 3, 9) == -81);
  CHECK(bias(kLog, 1, 3, 9) == doctest::Approx(-std::log(28.0)));
}

TEST_CASE("weights fall from 1 at distance 0; what is not given is 1") {
  const auto weight = [](const Options& options, std::int64_t distance) {
    Options all = options;
    all.emplace_back("heads", 1);
    const auto encoding = made("kerple", all);
    REQUIRE(encoding->bias()->weighs());
    float bias = kUnwritten;
    encoding->bias()->by_distance(0, distance, 1, &bias);
    CHECK(bias == 0);
    float out = kUnwritten;
    encoding->bias()->weights_by_distance(0, distance, 1, &out);
    return static_cast<double>(out);
  };
  const auto one = [](float x) { return kept<float>({x}); };
  for (const std::int64_t distance : {0, 3, -3}) {
    const double x = std::abs(static_cast<double>(distance));
    CAPTURE(distance);
    CHECK(weight({{"weightScale", one(.5F)}}, distance) == doctest::Approx(std::exp(-x / 2)));
    CHECK(weight({{"weightPower", one(.5F)}}, distance) ==
          doctest::Approx(std::exp(-std::sqrt(x))));
    CHECK(weight({{"weightScale", one(.25F)}, {"weightPower", one(2)}}, distance) ==
          doctest::Approx(std::exp(-x * x / 4)));
    // The limits of the parameters.
    CHECK(weight({{"weightScale", one(-7)}, {"weightPower", one(9)}}, distance) ==
          doctest::Approx(std::exp(-x * x / 100)));
  }
  CHECK(weight({{"weightScale", one(1)}}, std::int64_t{1} << 31) == 0);
}

TEST_CASE("a bias has both parameters; weights may stand alone") {
  const double one = kept<float>({1});
  const auto rule = [](const Options& options) {
    Options all = options;
    all.emplace_back("heads", 1);
    const Refusal refused = refusal("kerple", all);
    return std::string(refused.option) + ": " + refused.rule;
  };
  CHECK(rule({}) == "r1: given with r2, unless there are weights alone");
  CHECK(rule({{"r2", one}}) == "r1: given with r2, unless there are weights alone");
  CHECK(rule({{"r2", one}, {"weightScale", one}}) ==
        "r1: given with r2, unless there are weights alone");
  CHECK(rule({{"r1", one}, {"weightScale", one}}) == "r2: given with r1");
}

TEST_CASE("the bias is finite at the largest distance") {
  CHECK(bias(kLog, 1, 1, std::int64_t{1} << 31) == doctest::Approx(-31 * std::log(2.0)));
  CHECK(bias(kPower, 1, 2, std::int64_t{1} << 31) == -std::ldexp(1.0, 62));
}

TEST_CASE("gradients pass the limits of the parameters") {
  const Tensor r1({-5.0F});
  const Tensor r2({1.0F});
  const auto encoding = make_encoding("kerple", {1, kLog, r1.value(), r2.value()});
  const std::int32_t query = 3;
  const std::int32_t key = 0;
  const float d = 1.0F;
  float d_r1 = 0.0F;
  float* const grads[] = {&d_r1, nullptr};
  encoding->bias()->row_grad(0, {&query, 1}, {&key, 1}, &d, grads);
  CHECK(d_r1 == doctest::Approx(-std::log(4.0)));
}

TEST_CASE("one parameter for each head") {
  const Tensor two(std::vector<float>{1, 1});
  const Tensor three(std::vector<float>{1, 1, 1});
  for (const auto& [values, parameter] :
       {std::pair{std::vector<double>{2, 0, three.value(), two.value()}, 2},
        std::pair{std::vector<double>{2, 0, two.value(), three.value()}, 3}}) {
    auto all = complete(*described("kerple"), values);
    const Fault fault = resolve(*described("kerple"), all);
    CHECK(fault.parameter == parameter);
    CHECK(std::string(fault.rule) == "heads numbers");
  }
}

}  // namespace
}  // namespace posenc::test
