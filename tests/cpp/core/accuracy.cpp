// Errors of the elementary functions against long double, over the ranges that the kernels use.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/angle.hpp"
#include "core/math.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Applies a function of registers to one number, in every lane.
template <class Function>
float apply(Function function, float x) {
  float in[kLanes];
  float out[kLanes];
  std::fill(in, in + kLanes, x);
  store(out, function(load(in)));
  for (const float lane : out) {
    CHECK(std::bit_cast<std::uint32_t>(lane) == std::bit_cast<std::uint32_t>(out[0]));
  }
  return out[0];
}

/// Distance of `y` from the exact value, in units of the exact value's last float32 place.
double ulps(float y, long double exact) {
  const auto rounded = std::abs(static_cast<float>(exact));
  const float next = std::nextafter(rounded, kInfinity);
  const auto unit = static_cast<long double>(next) - static_cast<long double>(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(y) - exact) / unit);
}

/// Largest error in ulp over every `step`-th float of [low, high].
template <class Function, class Exact>
double worst_ulps(Function function, Exact exact, float low, float high, int step) {
  double worst = 0.0;
  std::vector<float> points;
  const auto visit = [&](float from, float to) {
    // Floats of one sign are ordered like their bits.
    auto bits = std::bit_cast<std::uint32_t>(from);
    for (const auto last = std::bit_cast<std::uint32_t>(to); bits <= last;
         bits += static_cast<std::uint32_t>(step)) {
      points.push_back(std::bit_cast<float>(bits));
    }
  };
  if (low < 0) visit(std::min(-0.0F, high), low);
  if (high > 0) visit(std::max(0.0F, low), high);
  while (points.size() % kLanes != 0) points.push_back(points.back());
  for (std::size_t i = 0; i < points.size(); i += kLanes) {
    float out[kLanes];
    store(out, function(load(points.data() + i)));
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto x = static_cast<long double>(points[i + static_cast<std::size_t>(lane)]);
      worst = std::max(worst, ulps(out[lane], exact(x)));
    }
  }
  return worst;
}

TEST_CASE("the exponential of softmax is within 2 ulp near 0, and near enough far away") {
  const auto function = [](Batch x) { return HoistedExp()(x); };
  const auto exact = [](long double x) { return std::exp(x); };
  CHECK(worst_ulps(function, exact, -1.0F, 1.0F, 101) <= 2.0);
  CHECK(worst_ulps(function, exact, -10.0F, 10.0F, 1009) <= 10.0);
  CHECK(worst_ulps(function, exact, -87.3F, 88.0F, 4001) <= 64.0);
  CHECK(apply(function, 0.0F) == 1.0F);
}

TEST_CASE("the exponential of softmax flushes what would be denormal and keeps NaN") {
  const auto function = [](Batch x) { return HoistedExp()(x); };
  for (const float x : {-88.0F, -89.0F, -150.0F, -1e9F, -3e38F, -kInfinity}) {
    CHECK(apply(function, x) == 0.0F);
  }
  CHECK(apply(function, 1e-40F) == 1.0F);
  CHECK(apply(function, -0.0F) == 1.0F);
  CHECK(std::isnan(apply(function, kNan)));
  CHECK(std::isnan(apply(function, -kNan)));
}

TEST_CASE("exp is within 2 ulp from -87.3 to 88.3") {
  const auto function = [](Batch x) { return exp(x); };
  const auto exact = [](long double x) { return std::exp(x); };
  CHECK(worst_ulps(function, exact, -87.3F, 88.3F, 4001) <= 2.0);
  CHECK(worst_ulps(function, exact, -2.0F, -0.25F, 101) <= 2.0);
  CHECK(worst_ulps(function, exact, 0.25F, 2.0F, 101) <= 2.0);
}

TEST_CASE("exp ends in 0 and infinity and keeps NaN") {
  const auto function = [](Batch x) { return exp(x); };
  CHECK(apply(function, 0.0F) == 1.0F);
  for (const float x : {-87.4F, -100.0F, -1e9F, -kInfinity}) CHECK(apply(function, x) == 0.0F);
  for (const float x : {88.4F, 100.0F, 1e9F, kInfinity}) CHECK(apply(function, x) == kInfinity);
  CHECK(std::isnan(apply(function, kNan)));
}

TEST_CASE("tanh is within 3 ulp") {
  const auto function = [](Batch x) { return tanh(x); };
  const auto exact = [](long double x) { return std::tanh(x); };
  CHECK(worst_ulps(function, exact, -30.0F, 30.0F, 4001) <= 3.0);
  CHECK(worst_ulps(function, exact, 0.5F, 1.5F, 37) <= 3.0);
  CHECK(worst_ulps(function, exact, -1.5F, -0.5F, 37) <= 3.0);
}

TEST_CASE("tanh ends in 1 and -1, keeps denormals and NaN") {
  const auto function = [](Batch x) { return tanh(x); };
  for (const float x : {20.0F, 50.0F, 1e9F, 3e38F, kInfinity}) {
    CHECK(apply(function, x) == 1.0F);
    CHECK(apply(function, -x) == -1.0F);
  }
  for (const float x : {1e-30F, 1e-40F, std::numeric_limits<float>::denorm_min()}) {
    CHECK(apply(function, x) == x);
    CHECK(apply(function, -x) == -x);
  }
  CHECK(apply(function, 0.0F) == 0.0F);
  CHECK(std::isnan(apply(function, kNan)));
}

using SincosRow = void (*)(double position, const double* frequencies, std::int64_t count,
                           float* sin, float* cos);

void precise_sincos_row(double position, const double* frequencies, std::int64_t count, float* sin,
                        float* cos) {
  std::vector<double> turns(static_cast<std::size_t>(padded_frequencies(count)), 0.0);
  for (std::int64_t i = 0; i < count; ++i) {
    turns[static_cast<std::size_t>(i)] = position * kQuarterTurns * frequencies[i];
  }
  precise_sincos_turns(turns.data(), count, sin, cos);
}

/// Largest absolute error of a function over positions and a range of frequencies.
double worst_sincos(SincosRow sincos_of, const std::vector<double>& positions) {
  // As a rope of 10000 and of 500000 has them, and some that are no power.
  std::vector<double> frequencies;
  for (int i = 0; i < 32; ++i) frequencies.push_back(std::pow(10000.0, -i / 32.0));
  for (int i = 0; i < 32; ++i) frequencies.push_back(std::pow(500000.0, -i / 32.0));
  for (const double x : {0.5, 0.7853981633974483, 0.99999, 1.0}) frequencies.push_back(x);
  const auto count = static_cast<std::int64_t>(frequencies.size());
  std::vector<float> sin(frequencies.size());
  std::vector<float> cos(frequencies.size());
  double worst = 0.0;
  for (const double position : positions) {
    sincos_of(position, frequencies.data(), count, sin.data(), cos.data());
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const auto angle =
          static_cast<long double>(position) * static_cast<long double>(frequencies[i]);
      const auto error = [](float y, long double exact) {
        return static_cast<double>(std::abs(static_cast<long double>(y) - exact));
      };
      worst = std::max({worst, error(sin[i], std::sin(angle)), error(cos[i], std::cos(angle))});
    }
  }
  return worst;
}

TEST_CASE("sines and cosines are within 1.2e-7 up to position 2^24, precise ones within 3.5e-8") {
  std::vector<double> positions;
  for (int p = 0; p < 3000; ++p) positions.push_back(p);
  for (int p = 3000; p <= 1 << 24; p += 7919) positions.push_back(p);
  for (int k = 0; k <= 24; ++k) positions.push_back(1 << k);
  for (std::size_t i = positions.size(); i-- > 0;) positions.push_back(-positions[i]);
  CHECK(worst_sincos(sincos_row, positions) <= 1.2e-7);
  CHECK(worst_sincos(precise_sincos_row, positions) <= 3.5e-8);
}

TEST_CASE("sines and cosines are within 4e-7 up to the largest position") {
  // There the angle itself has a unit of 1.2e-7.
  std::vector<double> positions;
  for (int p = 0; p < 2000; ++p) positions.push_back((1 << 30) - 1009.0 * p);
  for (std::size_t i = positions.size(); i-- > 0;) positions.push_back(-positions[i]);
  CHECK(worst_sincos(sincos_row, positions) <= 4e-7);
  CHECK(worst_sincos(precise_sincos_row, positions) <= 4e-7);
}

TEST_CASE("sincos_row writes exactly `count` numbers, the same whatever their place") {
  const std::vector<double> frequencies(40, 0.3);
  for (std::int64_t count = 0; count <= 19; ++count) {
    std::vector<float> sin(21, 9.0F);
    std::vector<float> cos(21, 9.0F);
    sincos_row(11.0, frequencies.data(), count, sin.data(), cos.data());
    for (std::int64_t i = 0; i < 21; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(sin[at] == doctest::Approx(i < count ? std::sin(3.3) : 9.0).epsilon(1e-6));
      CHECK(cos[at] == doctest::Approx(i < count ? std::cos(3.3) : 9.0).epsilon(1e-6));
    }
  }
  CHECK(padded_frequencies(0) == 0);
  CHECK(padded_frequencies(1) == kLanes);
  CHECK(padded_frequencies(kLanes) == kLanes);
  CHECK(padded_frequencies(kLanes + 1) == 2 * kLanes);
}

}  // namespace
}  // namespace posenc::test
