// Tables of consecutive and of scattered positions: errors against long double, and that a row
// depends on its position alone.
#include "position/frequency_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "table.hpp"

namespace posenc::test {
namespace {

constexpr std::int64_t kPairs = 33;
constexpr double kBase = 10000.0;

struct Row {
  std::vector<float> sin, cos;
};

Row row(const FrequencyTable& table, std::int64_t position) {
  const std::size_t count = table.values().size();
  Row row{std::vector<float>(count, kUnwritten), std::vector<float>(count, kUnwritten)};
  table.sincos(position, row.sin.data(), row.cos.data());
  return row;
}

/// The largest error of the rows of first, first + step, …, frequencies formed in long double too.
double worst(std::int64_t first, std::int64_t step, std::int64_t rows) {
  const FrequencyTable table(kBase, kPairs, kPairs);
  std::vector<long double> frequencies;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    frequencies.push_back(std::pow(10000.0L, -static_cast<long double>(i) / kPairs));
  }
  long double error = 0.0L;
  for (std::int64_t p = first; p < first + step * rows; p += step) {
    const Row actual = row(table, p);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const long double angle = static_cast<long double>(p) * frequencies[i];
      error = std::max({error, std::abs(actual.sin[i] - std::sin(angle)),
                        std::abs(actual.cos[i] - std::cos(angle))});
    }
  }
  return static_cast<double>(error);
}

TEST_CASE("sines and cosines of a table are within 1.8e-7 up to position 2^24") {
  constexpr std::int64_t kFar = std::int64_t{1} << 24;
  CHECK(worst(0, 1, 5000) <= 1.8e-7);
  CHECK(worst(-5000, 1, 5000) <= 1.8e-7);
  CHECK(worst((1 << 20) - 2500, 1, 5000) <= 1.8e-7);
  CHECK(worst(kFar - 5000, 1, 5001) <= 1.8e-7);
  CHECK(worst(-kFar, 1, 5000) <= 1.8e-7);
  CHECK(worst(-kFar, 7919, 2 * kFar / 7919) <= 1.8e-7);
}

TEST_CASE("a row depends on its position alone") {
  const FrequencyTable forwards(kBase, kPairs, kPairs);
  const FrequencyTable backwards(kBase, kPairs, kPairs);
  std::vector<Row> rows;
  for (std::int64_t p = -100; p < 100; ++p) rows.push_back(row(forwards, p));
  for (std::int64_t p = 99; p >= -100; --p) {
    const Row again = row(backwards, p);
    const Row alone = row(FrequencyTable(kBase, kPairs, kPairs), p);
    const Row& expected = rows[static_cast<std::size_t>(p + 100)];
    CHECK(bit_differences(again.sin, expected.sin) == "");
    CHECK(bit_differences(again.cos, expected.cos) == "");
    CHECK(bit_differences(alone.sin, expected.sin) == "");
    CHECK(bit_differences(alone.cos, expected.cos) == "");
  }
}

TEST_CASE("position 0 is exactly no turn, and a row has exactly its width") {
  for (std::int64_t count = 1; count <= 19; ++count) {
    const FrequencyTable table(kBase, count, static_cast<double>(count));
    const auto size = static_cast<std::size_t>(count);
    std::vector<float> sin(size + 4, kUnwritten);
    std::vector<float> cos(size + 4, kUnwritten);
    table.sincos(0, sin.data(), cos.data());
    std::vector<float> zeros(size, 0.0F);
    std::vector<float> ones(size, 1.0F);
    zeros.resize(size + 4, kUnwritten);
    ones.resize(size + 4, kUnwritten);
    CHECK(bit_differences(sin, zeros) == "");
    CHECK(bit_differences(cos, ones) == "");
  }
}

}  // namespace
}  // namespace posenc::test
