// Sinusoids: values from the paper, from other codebases, and what makes them a position code.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "position/registry.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

enum : std::uint8_t { kInterleaved, kHalves };
enum : std::uint8_t { kWidthHalf, kWidthHalfLess1 };
enum : std::uint8_t { kSinCos, kCosSin };

std::unique_ptr<Encoding> sinusoidal(double width, double base = 10000, int layout = kInterleaved,
                                     int denominator = kWidthHalf, int order = kSinCos) {
  const auto index = static_cast<std::size_t>(find_encoding("sinusoidal"));
  std::vector<double> values = {width, base, static_cast<double>(layout),
                                static_cast<double>(denominator), static_cast<double>(order)};
  REQUIRE(resolve(*registry()[index], values).status == Status::ok);
  return registry()[index]->make(values);
}

std::vector<float> rows(const Encoding& encoding, const std::vector<std::int32_t>& positions) {
  const auto count = static_cast<std::int64_t>(positions.size());
  const auto width = static_cast<std::size_t>(encoding.embed()->width());
  std::vector<float> out(positions.size() * width, kUnwritten);
  encoding.embed()->rows({positions.data(), count}, out.data());
  return out;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST_CASE("the conventions in use give these rows") {
  struct Row {
    const char* what;
    double width;
    int layout, denominator, order;
    std::vector<double> expected;  // of position 1
  };
  // tensorflow/tensor2tensor#1925 and others: "halves or interleaved, is it a bug?" Both are in
  // use, and tensor2tensor also divides by d/2 − 1.
  const Row table[] = {
      {"paper", 4, kInterleaved, kWidthHalf, kSinCos, {.84147098, .54030231, .00999983, .99995}},
      {"halves", 4, kHalves, kWidthHalf, kSinCos, {.84147098, .00999983, .54030231, .99995}},
      {"tensor2tensor", 4, kHalves, kWidthHalfLess1, kSinCos, {.84147098, 1e-4, .54030231, 1}},
      {"cosines first", 4, kHalves, kWidthHalfLess1, kCosSin, {.54030231, 1, .84147098, 1e-4}},
      {"interleaved, cosines first",
       4,
       kInterleaved,
       kWidthHalf,
       kCosSin,
       {.54030231, .84147098, .99995, .00999983}},
      {"one column", 1, kInterleaved, kWidthHalf, kSinCos, {.84147098}},
      {"one column in halves", 1, kHalves, kWidthHalf, kSinCos, {0}},
      {"two columns", 2, kInterleaved, kWidthHalfLess1, kSinCos, {.84147098, .54030231}},
      {"odd: the last sine has no cosine",
       3,
       kInterleaved,
       kWidthHalf,
       kSinCos,
       {.84147098, .54030231, std::sin(std::pow(10000, -2.0 / 3))}},
      {"odd in halves: a column of zeros",
       5,
       kHalves,
       kWidthHalfLess1,
       kSinCos,
       {.84147098, 1e-4, .54030231, 1, 0}},
  };
  for (const Row& row : table) {
    CAPTURE(row.what);
    const auto encoding = sinusoidal(row.width, 10000, row.layout, row.denominator, row.order);
    CHECK(differences(rows(*encoding, {1}), row.expected) == "");
  }
}

TEST_CASE("position 0 is sines of 0 and cosines of 0") {
  CHECK(rows(*sinusoidal(6), {0}) == std::vector<float>{0, 1, 0, 1, 0, 1});
  CHECK(rows(*sinusoidal(6, 10000, kHalves), {0}) == std::vector<float>{0, 0, 0, 1, 1, 1});
}

TEST_CASE("frequencies fall from 1 towards 1/base") {
  CHECK(differences(std::vector<float>{1, .1F, .01F, .001F}, sinusoidal(8)->frequencies()) == "");
  const auto to_the_end = sinusoidal(8, 10000, kHalves, kWidthHalfLess1);
  CHECK(to_the_end->frequencies().size() == 4);
  CHECK(to_the_end->frequencies()[3] == doctest::Approx(1e-4).epsilon(1e-14));
  CHECK(sinusoidal(127)->frequencies().size() == 64);
  CHECK(sinusoidal(127, 10000, kHalves)->frequencies().size() == 63);
  struct Row {
    double width, longest;  // longest wavelength / 2π
  };
  for (const Row row : {Row{64, 7498.94}, Row{128, 8659.64}, Row{512, 9646.62}}) {
    const auto encoding = sinusoidal(row.width);
    CHECK(1 / encoding->frequencies().back() == doctest::Approx(row.longest).epsilon(1e-6));
  }
}

TEST_CASE("an odd width has one more sine than cosines (gc-os-ai/pyaptamer#607)") {
  const auto encoding = sinusoidal(127);
  const std::vector<float> row = rows(*encoding, {0});
  CHECK(std::count(row.begin(), row.end(), 0.0F) == 64);
  CHECK(std::count(row.begin(), row.end(), 1.0F) == 63);
}

TEST_CASE("positions are as alike as the tutorial prints: cosine similarities for d = 128") {
  const auto encoding = sinusoidal(128);
  const auto similarity = [&](std::int32_t a, std::int32_t b) {
    const auto x = rows(*encoding, {a});
    const auto y = rows(*encoding, {b});
    return dot(x, y) / std::sqrt(dot(x, x) * dot(y, y));
  };
  const auto printed = [](double x) { return std::round(x * 1000) / 1000; };
  double adjacent = 0.0;
  for (std::int32_t p = 0; p < 99; ++p) adjacent += similarity(p, p + 1) / 99;
  CHECK(printed(adjacent) == .970);
  CHECK(printed(similarity(0, 1)) == .970);
  CHECK(printed(similarity(0, 5)) == .737);
  CHECK(printed(similarity(0, 10)) == .669);
  CHECK(printed(similarity(0, 20)) == .608);
  CHECK(printed(similarity(0, 50)) == .546);
}

TEST_CASE("products of rows depend on the distance alone (BrianPulfer/PapersReimplementations#9)") {
  const auto encoding = sinusoidal(32);
  std::vector<float> by_distance;
  for (const std::int32_t from : {0, 1, 17, 1000, 1 << 20}) {
    std::vector<float> products;
    for (std::int32_t k = 0; k < 20; ++k) {
      products.push_back(
          static_cast<float>(dot(rows(*encoding, {from}), rows(*encoding, {from + k})) / 16));
    }
    if (by_distance.empty()) by_distance = products;
    CHECK(differences(products, std::span<const float>(by_distance), {1e-6, 0}) == "");
  }
}

TEST_CASE("a shift is a linear map of the row, the same for every position") {
  // (sin, cos)(m + k) = rotation by k·w of (sin, cos)(m), pair by pair (Vaswani 2017, section 3.5).
  const auto encoding = sinusoidal(24);
  const auto frequencies = encoding->frequencies();
  for (const std::int32_t shift : {1, 7, -30, 5000}) {
    for (const std::int32_t from : {0, 3, 250, -9}) {
      const auto before = rows(*encoding, {from});
      std::vector<double> mapped;
      for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double c = std::cos(shift * frequencies[i]);
        const double s = std::sin(shift * frequencies[i]);
        mapped.push_back(c * before[2 * i] + s * before[2 * i + 1]);
        mapped.push_back(c * before[2 * i + 1] - s * before[2 * i]);
      }
      CHECK(differences(rows(*encoding, {from + shift}), mapped, {5e-7, 0}) == "");
    }
  }
}

TEST_CASE("neighbours far out are still told apart") {
  // In bfloat16, 257 is 256 and whole blocks of positions share a row
  // (huggingface/transformers#28685, huggingface/diffusers#13922).
  const auto encoding = sinusoidal(8);
  for (const std::int32_t from : {256, 2048, 65536, 1 << 24, kMaxPosition - 1}) {
    const auto a = rows(*encoding, {from});
    const auto b = rows(*encoding, {from + 1});
    CHECK(a[0] == doctest::Approx(std::sin(static_cast<double>(from))).epsilon(1e-5));
    CHECK(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) > 0.5);
  }
}

}  // namespace
}  // namespace posenc::test
