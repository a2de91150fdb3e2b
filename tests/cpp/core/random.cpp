// The random stream: known answers (computed with whole numbers of any size, in Python) and
// moments.
#include "core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace posenc::test {
namespace {

TEST_CASE("the bits of a stream are known") {
  struct Row {
    std::uint64_t seed, skip, first, second, third;
  };
  // Seed 0 is the published sequence of SplitMix64 from state 0.
  constexpr Row kRows[] = {
      {0, 0, 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f},
      {1, 0, 0xbfef8030ddc2d772, 0x5f552ce482f2aa47, 0x70335fc3daf3d8a7},
      {42, 0, 0x989b3f130a063869, 0x290db4bf2570ded7, 0x2a990be63a01b2d5},
      {9007199254740991, 0, 0x228475e3b9be64e8, 0x877d36783121d5b5, 0xcdf348302eb32061},
      {UINT64_MAX, 0, 0xa577782bc52a9f5a, 0xb485244380e590be, 0x5176985d86cff511},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.seed);
    Random random(row.seed, row.skip);
    CHECK(random.bits() == row.first);
    CHECK(random.bits() == row.second);
    CHECK(random.bits() == row.third);
  }
}

TEST_CASE("skip starts in the middle of a stream") {
  CHECK(Random(0, 1'000'000'000'000).bits() == 0xa91c22c3c8765bc9);
  CHECK(Random(42, 1'000'000'000'000).bits() == 0x66c99bf898ba8a0d);
  Random whole(5);
  for (std::uint64_t skip = 0; skip < 50; ++skip) CHECK(Random(5, skip).bits() == whole.bits());
}

TEST_CASE("uniform numbers are the upper 24 bits") {
  Random random(42);
  CHECK(random.uniform() == 0x989b3fp-24F);
  CHECK(random.uniform() == 0x290db4p-24F);
  CHECK(random.uniform() == 0x2a990bp-24F);
}

TEST_CASE("normal numbers are known, and take two draws each") {
  Random random(42);
  for (const float x : {-1.23160565F, -1.12246704F, 0.751301825F, -0.0110026412F}) {
    CHECK(random.normal() == x);
  }
  CHECK(random.bits() == Random(42, 8).bits());
}

/// Mean, variance, skewness and excess kurtosis.
struct Moments {
  double mean, variance, skewness, kurtosis, largest;
};

template <class Draw>
Moments moments_of(Draw draw) {
  constexpr int kCount = 400'000;
  double sum[5] = {};
  double largest = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const double x = draw();
    largest = std::max(largest, std::abs(x));
    double power = 1.0;
    for (double& s : sum) {
      s += power / kCount;
      power *= x;
    }
  }
  const double mean = sum[1];
  const double variance = sum[2] - mean * mean;
  const double third = sum[3] - 3 * mean * sum[2] + 2 * mean * mean * mean;
  const double fourth =
      sum[4] - 4 * mean * sum[3] + 6 * mean * mean * sum[2] - 3 * mean * mean * mean * mean;
  return {mean, variance, third / std::pow(variance, 1.5), fourth / (variance * variance) - 3.0,
          largest};
}

TEST_CASE("uniform numbers have the moments of a uniform distribution") {
  Random random(7);
  const Moments m = moments_of([&] { return random.uniform(); });
  CHECK(m.mean == doctest::Approx(0.5).epsilon(0.004));
  CHECK(m.variance == doctest::Approx(1.0 / 12).epsilon(0.01));
  CHECK(m.largest < 1.0);
}

TEST_CASE("normal numbers have the moments of a normal distribution") {
  Random random(7);
  const Moments m = moments_of([&] { return random.normal(); });
  CHECK(std::abs(m.mean) < 0.006);
  CHECK(std::abs(m.variance - 1.0) < 0.01);
  CHECK(std::abs(m.skewness) < 0.02);
  CHECK(std::abs(m.kurtosis) < 0.05);
  CHECK(m.largest > 4.0);
  CHECK(m.largest < 5.6);
}

TEST_CASE("streams of neighbouring seeds are not alike") {
  Random a(100);
  Random b(101);
  double product = 0.0;
  for (int i = 0; i < 100'000; ++i) product += static_cast<double>(a.normal()) * b.normal() / 1e5;
  CHECK(std::abs(product) < 0.015);
}

}  // namespace
}  // namespace posenc::test
