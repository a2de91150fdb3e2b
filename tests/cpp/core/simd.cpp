// The register operations that core/simd.hpp adds to arithmetic.
#include "core/simd.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "table.hpp"

namespace posenc::test {
namespace {

/// first, first + 1, … in the lanes.
Batch counting(float first) {
  float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = first + static_cast<float>(i);
  return load(lanes);
}

std::vector<float> lanes_of(Batch x) {
  std::vector<float> lanes(kLanes);
  store(lanes.data(), x);
  return lanes;
}

TEST_CASE("zip_low and zip_high interleave two registers") {
  std::vector<float> both = lanes_of(zip_low(counting(0), counting(100)));
  const std::vector<float> high = lanes_of(zip_high(counting(0), counting(100)));
  both.insert(both.end(), high.begin(), high.end());
  std::vector<float> expected;
  for (int i = 0; i < kLanes; ++i) {
    expected.push_back(static_cast<float>(i));
    expected.push_back(static_cast<float>(100 + i));
  }
  CHECK(both == expected);
}

TEST_CASE("swap_pairs exchanges neighbours") {
  std::vector<float> expected;
  for (int i = 0; i < kLanes; ++i) expected.push_back(static_cast<float>(5 + (i ^ 1)));
  CHECK(lanes_of(swap_pairs(counting(5))) == expected);
}

TEST_CASE("narrow rounds two registers of double to one of float, to nearest") {
  std::vector<double> wide;
  std::vector<float> expected;
  for (int i = 0; i < kLanes; ++i) {
    wide.push_back(i + 1 + 0.3 * 0x1p-23);
    expected.push_back(static_cast<float>(i + 1 + 0.3 * 0x1p-23));
  }
  CHECK(lanes_of(narrow(load(wide.data()), load(wide.data() + kLanes / 2))) == expected);

  wide.assign(kLanes, 1.0 + 0.75 * 0x1p-23);
  wide.front() = std::numeric_limits<double>::infinity();
  wide.back() = 1e300;
  const auto lanes = lanes_of(narrow(load(wide.data()), load(wide.data() + kLanes / 2)));
  CHECK(lanes[1] == 1.0F + 0x1p-23F);
  CHECK(std::isinf(lanes.front()));
  CHECK(std::isinf(lanes.back()));
}

TEST_CASE("low_words takes the low 32 bits of each double") {
  // Adding 1.5·2^52 puts an integer into the low bits of a double.
  std::vector<double> wide;
  for (int i = 0; i < kLanes; ++i) wide.push_back(0x1.8p52 + (i % 2 == 0 ? i + 3 : -i - 3));
  const IntBatch words = low_words(load(wide.data()), load(wide.data() + kLanes / 2));
  std::int32_t lanes[kLanes];
  words.store_unaligned(lanes);
  for (int i = 0; i < kLanes; ++i) CHECK(lanes[i] == (i % 2 == 0 ? i + 3 : -i - 3));
}

TEST_CASE("fma multiplies and adds") {
  const std::vector<float> y = lanes_of(fma(counting(1), Batch(3.0F), Batch(-2.0F)));
  for (int i = 0; i < kLanes; ++i) {
    CHECK(y[static_cast<std::size_t>(i)] == static_cast<float>(3 * (i + 1) - 2));
  }
}

TEST_CASE("bits and from_bits keep every bit") {
  const std::vector<float> x = lanes_of(counting(-1.5F));
  CHECK(bit_differences(lanes_of(from_bits(bits(load(x.data())))), x) == "");
  std::int32_t lanes[kLanes];
  bits(Batch(1.0F)).store_unaligned(lanes);
  CHECK(lanes[0] == 0x3F800000);
}

TEST_CASE("registers are read and written at any address") {
  const std::vector<float> x = random_floats(4 * kLanes, 3);
  for (int offset = 0; offset < kLanes; ++offset) {
    std::vector<float> y(4 * kLanes, 0.0F);
    store(y.data() + offset, load(x.data() + offset));
    CHECK(bit_differences(part(y, offset, kLanes), part(x, offset, kLanes)) == "");
    CHECK(y[static_cast<std::size_t>(offset + kLanes)] == 0.0F);
  }
}

}  // namespace
}  // namespace posenc::test
