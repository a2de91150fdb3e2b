// xPos: values, one centre for both sides, positions that would overflow.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

double zeta(std::int64_t pair, double rotary_dim) {
  return (2 * static_cast<double>(pair) + 0.4 * rotary_dim) / (1.4 * rotary_dim);
}

TEST_CASE("ζ runs from 0.286 towards 1") {
  // With d = 32: 0.285714 … 0.955357.
  const auto encoding = made("xpos", {{"headDim", 32}, {"scaleBase", 1}});
  const std::int32_t position = 1;
  std::vector<float> cos(16);
  std::vector<float> sin(16);
  encoding->rotate()->table(Side::query, {&position, 1}, cos.data(), sin.data());
  CHECK(std::hypot(cos[0], sin[0]) == doctest::Approx(0.285714).epsilon(1e-5));
  CHECK(std::hypot(cos[15], sin[15]) == doctest::Approx(0.955357).epsilon(1e-5));
  encoding->rotate()->table(Side::key, {&position, 1}, cos.data(), sin.data());
  CHECK(std::hypot(cos[0], sin[0]) == doctest::Approx(1 / 0.285714).epsilon(1e-5));
}

TEST_CASE("products decay with the distance and do not know the centre") {
  const std::vector<float> ones(8, 1.0F);
  for (const double centre : {0.0, 100.0, -3000.0}) {
    const auto encoding = made("xpos", {{"headDim", 8}, {"scaleBase", 64}, {"centre", centre}});
    for (const std::int32_t distance : {0, 1, 30, 200}) {
      double expected = 0;
      for (std::int64_t i = 0; i < 4; ++i) {
        const double w = std::pow(10000.0, -static_cast<double>(i) / 4);
        expected += 2 * std::pow(zeta(i, 8), distance / 64.0) * std::cos(distance * w);
      }
      for (const std::int32_t at : {0, 77}) {
        const auto q = turned(*encoding, ones, {at + distance});
        const auto k = turned(*encoding, ones, {at}, {.side = Side::key});
        CHECK(dot(q, k) == doctest::Approx(expected).epsilon(1e-5).scale(1));
      }
    }
  }
}

TEST_CASE("a query decodes against cached keys as it does in prefill") {
  // lucidrains/rotary-embedding-torch centres queries by their own number: 1 while decoding.
  const auto encoding = made("xpos", {{"headDim", 16}, {"scaleBase", 16}});
  AttentionCase c;
  c.queries = c.keys = 60;
  c.head_dim = 16;
  c.value_dim = 4;
  c.fill(3);
  c.causal = true;
  c.encodings = {encoding.get()};
  Reference reference;
  reference.rotary_dim = 16;
  reference.layout = PairLayout::interleaved;
  reference.frequency = [](std::int64_t pair) { return power_frequency(10000, pair, 8); };
  reference.magnitude = [](Side side, std::int64_t position, std::int64_t pair) {
    const double power = static_cast<double>(position) / 16;
    return std::pow(zeta(pair, 16), side == Side::query ? power : -power);
  };
  const auto prefill = run(c);
  CHECK(stage_differences(prefill, expected(c, reference)) == "");
  const auto last = run(slice(c, 59, 1, 0, 60), {.taps = false}).output;
  CHECK(differences(last, std::span<const float>(output_rows(c, prefill, 59, 1))) == "");
}

TEST_CASE("positions whose factor leaves float32 are refused") {
  const auto encoding = made("xpos", {{"headDim", 32}});
  // 80 / ln(3.5) · 512 tokens on either side of the centre.
  CHECK(knows(*encoding, {32695, -32695}));
  CHECK_FALSE(knows(*encoding, {0, 32696}));
  CHECK_FALSE(knows(*encoding, {-32696, 0}));
  const auto moved = made("xpos", {{"headDim", 32}, {"centre", 32697}});
  CHECK_FALSE(knows(*moved, {0, 65000}));
  CHECK(knows(*moved, {32697, 65000}));

  for (const Side side : {Side::query, Side::key}) {
    for (const float x : turned(*encoding, std::vector<float>(32, 1.0F), {-32695}, {.side = side}))
      CHECK(std::isfinite(x));
  }
  AttentionCase c;
  c.head_dim = 32;
  c.fill(1);
  c.encodings = {encoding.get()};
  c.key_positions = {40000};
  CHECK(run(c).status == Status::position);
}

TEST_CASE("options that do not fit are refused") {
  CHECK(std::string(refusal("xpos", {{"headDim", 8}, {"rotaryDim", 10}}).option) == "rotaryDim");
  CHECK(std::string(refusal("xpos", {{"headDim", 8}, {"scaleBase", 0}}).option) == "scaleBase");
  CHECK(std::string(refusal("xpos", {{"headDim", 8}, {"centre", 0.5}}).option) == "centre");
}

}  // namespace
}  // namespace posenc::test
