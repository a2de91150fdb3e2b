// Gradients over whole tensors are the sums of those of their rows.
#include "position/hook_gradients.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "table.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

TEST_CASE(
    "hook gradients: a tensor is turned by the tables of its heads, at positions of its own") {
  constexpr std::int64_t kBatch = 2;
  constexpr std::int64_t kHeads = 2;
  constexpr std::int64_t kTokens = 3;
  const auto encoding = Values("pope")
                            .set("headDim", 4)
                            .set("heads", kHeads)
                            .give("phases", std::vector<float>(8, -0.5F))
                            .make();
  const Rotate& rotate = *encoding->rotate();
  const auto x = random_floats(kBatch * kHeads * kTokens * 4, 1);
  const auto d_out = random_floats(kBatch * kHeads * kTokens * 8, 2);
  const std::vector<std::int32_t> positions = {0, 1, 2, 7, 7, -40};
  for (const bool per_batch : {false, true}) {
    std::vector<float> expected(8);
    float* const rows[] = {expected.data()};
    for (std::int64_t row = 0; row < kBatch * kHeads * kTokens; ++row) {
      const std::int64_t entry = per_batch ? row / (kHeads * kTokens) : 0;
      const std::int32_t at = positions[static_cast<std::size_t>(entry * kTokens + row % kTokens)];
      rotate.turn_grad(Side::key, static_cast<int>(row / kTokens % kHeads), {&at, 1},
                       x.data() + row * 4, d_out.data() + row * 8, rows);
    }
    std::vector<float> grad(8);
    float* const grads[] = {grad.data()};
    rotate_grad(rotate,
                {.x = x.data(),
                 .out = nullptr,
                 .batch = kBatch,
                 .heads = kHeads,
                 .tokens = kTokens,
                 .positions = positions.data(),
                 .positions_per_batch = per_batch,
                 .axes = 1,
                 .side = Side::key,
                 .inverse = false},
                d_out.data(), grads);
    CHECK(bit_differences(grad, expected) == "");
  }
}

TEST_CASE("hook gradients: biases and factors are summed over heads, queries and keys") {
  const std::vector<std::int32_t> queries = {1, 3};
  const std::vector<std::int32_t> keys = {1, 2, 3};
  const auto t5 = Values("t5")
                      .set("heads", 2)
                      .set("buckets", 4)
                      .set("bidirectional", 0)
                      .give("table", std::vector<float>(8))
                      .make();
  // Buckets of query − key, at least 0: query 1 has 0, 0, 0; query 3 has 2, 1, 0.
  std::vector<float> table(8);
  float* const grads[] = {table.data()};
  const std::vector<float> d_biases = {1, 2, 4, 8, 16, 32, 100, 200, 400, 800, 1600, 3200};
  bias_grad(*t5->bias(), {queries.data(), 2}, {keys.data(), 3}, d_biases.data(), grads);
  CHECK(table == std::vector<float>{39, 3900, 16, 1600, 8, 800, 0, 0});

  const auto ssmax =
      Values("ssmax").set("heads", 2).give("strengths", {1, 1}).give("biases", {0, 0}).make();
  std::vector<float> strengths(2);
  std::vector<float> biases(2);
  float* const both[] = {strengths.data(), biases.data()};
  const std::vector<float> d_factors = {1, 10, 100, 1000};
  scale_grad(*ssmax->scale(), 2, {queries.data(), 2}, d_factors.data(), both);
  CHECK(biases == std::vector<float>{11, 1100});
  CHECK(strengths[0] == doctest::Approx(21 * std::log(2.0)));  // ln 2 + 10 ln 4
  CHECK(strengths[1] == doctest::Approx(2100 * std::log(2.0)));
}

}  // namespace
}  // namespace posenc::test
