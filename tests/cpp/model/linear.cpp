// y = x·Wᵀ + b against the definition in float64.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "model/linear.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  Random stream(seed, 0);
  std::vector<float> numbers(count);
  for (float& x : numbers) x = 0.3F * stream.normal();
  return numbers;
}

TEST_CASE("linear is x·Wᵀ + b for any numbers of rows, inputs and outputs") {
  for (const std::int64_t rows : {0, 1, 2, 3, 4, 5, 8, 63, 65, 130}) {
    for (const std::int64_t inputs : {0, 1, 3, 16, 37, 128}) {
      for (const std::int64_t outputs : {0, 1, 7, 96, 131}) {
        CAPTURE(rows);
        CAPTURE(inputs);
        CAPTURE(outputs);
        const auto x = normals(static_cast<std::size_t>(rows * inputs), 1);
        const auto weight = normals(static_cast<std::size_t>(outputs * inputs), 2);
        const auto bias = normals(static_cast<std::size_t>(outputs), 3);
        const bool has_bias = rows % 2 == 1;
        std::vector<double> expected;
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t n = 0; n < outputs; ++n) {
            double sum = has_bias ? double{bias[static_cast<std::size_t>(n)]} : 0.0;
            for (std::int64_t k = 0; k < inputs; ++k) {
              sum += double{x[static_cast<std::size_t>(r * inputs + k)]} *
                     double{weight[static_cast<std::size_t>(n * inputs + k)]};
            }
            expected.push_back(sum);
          }
        }
        std::vector<float> y(expected.size());
        LinearProblem p{rows, inputs, outputs, x.data(), weight.data()};
        p.bias = has_bias ? bias.data() : nullptr;
        p.output = y.data();
        CHECK(linear(p) == Status::ok);
        CHECK(differences(y, expected) == "");
      }
    }
  }
}

TEST_CASE("linear streams weights that no cache holds") {
  const std::int64_t inputs = 2052;
  const std::int64_t outputs = 1601;
  const auto x = normals(static_cast<std::size_t>(2 * inputs), 4);
  const auto weight = normals(static_cast<std::size_t>(outputs * inputs), 5);
  for (const std::int64_t rows : {1, 2}) {
    std::vector<double> expected;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t n = 0; n < outputs; ++n) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < inputs; ++k) {
          sum += double{x[static_cast<std::size_t>(r * inputs + k)]} *
                 double{weight[static_cast<std::size_t>(n * inputs + k)]};
        }
        expected.push_back(sum);
      }
    }
    std::vector<float> y(expected.size());
    LinearProblem p{rows, inputs, outputs, x.data(), weight.data()};
    p.output = y.data();
    CHECK(linear(p) == Status::ok);
    // Sums of two thousand products.
    CHECK(differences(y, expected, {5e-5, 2e-5}) == "");
  }
}

TEST_CASE("linear refuses sizes below 0") {
  CHECK(linear({-1, 1, 1}) == Status::shape);
  CHECK(linear({1, -1, 1}) == Status::shape);
  CHECK(linear({1, 1, -1}) == Status::shape);
}

}  // namespace
}  // namespace posenc::test
