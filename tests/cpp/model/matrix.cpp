// Weights in fewer bits: rounding, widening, products.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "model/matrix.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::vector<float> normals(std::int64_t count, std::uint64_t seed) {
  Random stream(seed, 0);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& x : numbers) x = stream.normal();
  return numbers;
}

TEST_CASE("float16 rounds to the nearest, halfway to even, and widens exactly") {
  struct Case {
    float x;
    std::uint16_t bits;
  };
  // Bit patterns of IEEE 754 binary16.
  const Case cases[] = {
      {0.0F, 0x0000},         {-0.0F, 0x8000},           {1.0F, 0x3C00},
      {-2.0F, 0xC000},        {65504.0F, 0x7BFF},        {1e6F, 0x7BFF},
      {-1e6F, 0xFBFF},        {0x1p-14F, 0x0400},        {0x1p-24F, 0x0001},
      {0x1p-25F, 0x0000},     {0x1.8p-24F, 0x0002},      {0x1.ff8p-15F, 0x03FF},
      {0x1.ffcp-15F, 0x0400}, {1.0F + 0x1p-11F, 0x3C00}, {1.0F + 0x1.8p-10F, 0x3C02},
      {0.1F, 0x2E66},         {3.140625F, 0x4248},
  };
  for (const Case& c : cases) {
    CAPTURE(c.x);
    std::uint16_t bits = 0;
    narrow_to_f16(&c.x, 1, &bits);
    CHECK(bits == c.bits);
  }
  // Every finite half, there and back.
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    if ((half & 0x7C00U) == 0x7C00U) continue;
    const Matrix matrix{.rows = 1, .columns = 1, .precision = Precision::f16, .data = &half};
    float wide = 0.0F;
    widen(matrix, 0, 1, &wide);
    std::uint16_t again = 0;
    narrow_to_f16(&wide, 1, &again);
    REQUIRE(again == half);
    const int exponent = (half >> 10) & 31;
    const int fraction = half & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    REQUIRE(double{wide} == ((half & 0x8000U) != 0 ? -magnitude : magnitude));
  }
}

TEST_CASE("int8 keeps the largest magnitude, and every number to half a step") {
  const auto x = normals(100, 1);
  std::vector<std::int8_t> held(100);
  const float scale = narrow_to_int8(x.data(), 100, held.data());
  float largest = 0.0F;
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(std::fabs(x[i] - static_cast<float>(held[i]) * scale) <= 0.5001F * scale);
    largest = std::max(largest, std::fabs(x[i]));
  }
  CHECK(scale == doctest::Approx(largest / 127.0F));
  const float zeros[3] = {};
  CHECK(narrow_to_int8(zeros, 3, held.data()) == 0.0F);
  CHECK(held[0] == 0);
}

TEST_CASE("products with weights in fewer bits are those with the widened ones") {
  for (const Precision precision : {Precision::f32, Precision::f16, Precision::int8}) {
    for (const std::int64_t rows : {0, 1, 2, 3, 5, 9, 70}) {
      for (const std::int64_t columns : {1, 3, 8, 17, 40}) {
        for (const std::int64_t outputs : {1, 4, 7, 100}) {
          CAPTURE(static_cast<int>(precision));
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(outputs);
          const auto numbers = normals(outputs * columns, 2);
          std::vector<std::uint16_t> halves(numbers.size());
          std::vector<std::int8_t> bytes(numbers.size());
          std::vector<float> scales(static_cast<std::size_t>(outputs));
          narrow_to_f16(numbers.data(), outputs * columns, halves.data());
          for (std::int64_t row = 0; row < outputs; ++row) {
            scales[static_cast<std::size_t>(row)] = narrow_to_int8(
                numbers.data() + row * columns, columns, bytes.data() + row * columns);
          }
          const void* const data[] = {numbers.data(), halves.data(), bytes.data()};
          const Matrix matrix{.rows = outputs,
                              .columns = columns,
                              .precision = precision,
                              .data = data[static_cast<int>(precision)],
                              .scales = precision == Precision::int8 ? scales.data() : nullptr};
          std::vector<float> wide(numbers.size());
          widen(matrix, 0, outputs, wide.data());
          const auto input = normals(rows * columns, 3);
          const auto bias = normals(outputs, 4);
          std::vector<double> expected;
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t n = 0; n < outputs; ++n) {
              double sum = double{bias[static_cast<std::size_t>(n)]};
              for (std::int64_t k = 0; k < columns; ++k) {
                sum += double{input[static_cast<std::size_t>(r * columns + k)]} *
                       double{wide[static_cast<std::size_t>(n * columns + k)]};
              }
              expected.push_back(sum);
            }
          }
          std::vector<float> output(expected.size());
          CHECK(multiply(input.data(), rows, matrix, bias.data(), output.data()) == Status::ok);
          CHECK(differences(output, expected, {1e-5, 2e-5}) == "");
        }
      }
    }
  }
  CHECK(multiply(nullptr, -1, {.rows = 1, .columns = 1, .precision = Precision::int8}, nullptr,
                 nullptr) == Status::shape);
}

}  // namespace
}  // namespace posenc::test
