// Gradients over whole tensors are the sums of those of their rows.
#include "position/hook_gradients.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "no_memory.hpp"
#include "position/gradient.hpp"
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
    REQUIRE(rotate_grad(rotate,
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
                        d_out.data(), grads) == Status::ok);
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

TEST_CASE("hook gradients: without memory they say so and add nothing" *
          doctest::skip(!can_run_out())) {
  constexpr std::int64_t kCount = 65536;
  constexpr std::int64_t kDim = 4096;
  std::vector<float> grad(kCount);
  float* const grads[] = {grad.data()};
  const std::int32_t position = 0;
  const Positions token{&position, 1};
  const auto d_out = random_floats(kCount, 1);
  const auto check = [&](const std::function<Status()>& call) {
    Status status = Status::ok;
    without_memory([&] { status = call(); });
    CHECK(status == Status::memory);
    CHECK(all_zero(grad.data(), kCount));
    CHECK(call() == Status::ok);
    CHECK_FALSE(all_zero(grad.data(), kCount));
    std::fill(grad.begin(), grad.end(), 0.0F);
  };
  const auto sinusoidal = Values("sinusoidal").set("width", kCount).give("scale", {1}).make();
  check([&] { return sinusoidal->embed()->rows_grad(token, d_out.data(), grads); });

  const auto x = random_floats(kDim, 2);
  const std::vector<float> pairs(kCount, 0.5F);
  const auto selective = Values("selective_rope").set("headDim", kDim).give("angles", pairs).make();
  constexpr std::int64_t kHeads = kCount / (kDim / 2);
  const auto nd = Values("rope_nd")
                      .set("headDim", kDim)
                      .set("axes", 1)
                      .set("heads", kHeads)
                      .give("mixed", pairs)
                      .make();
  const std::int32_t there = 1;
  const auto check_rotation = [&](const Encoding& encoding, const std::int32_t* at) {
    const RotateCall call{.x = x.data(),
                          .out = nullptr,
                          .batch = 1,
                          .heads = 1,
                          .tokens = 1,
                          .positions = at,
                          .positions_per_batch = false,
                          .axes = 1,
                          .side = Side::query,
                          .inverse = false};
    check([&] { return rotate_grad(*encoding.rotate(), call, d_out.data(), grads); });
  };
  check_rotation(*selective, &position);
  check_rotation(*nd, &there);
}

TEST_CASE("hook gradients: a row whose gradient is 0 says nothing, be it NaN") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> four = {0.1F, 0.2F, 0.3F, 0.4F};
  const std::vector<float> below = {-0.1F, -0.2F, -0.3F, -0.4F};
  const std::vector<std::shared_ptr<const Encoding>> encodings = {
      Values("selective_rope").set("headDim", 4).give("angles", four).make(),
      Values("rope_nd").set("headDim", 4).set("axes", 1).give("mixed", {1, 2}).make(),
      Values("pope").set("headDim", 4).give("phases", below).make(),
      Values("fope")
          .set("headDim", 4)
          .set("frequencyCount", 2)
          .give("cosines", four)
          .give("sines", four)
          .make(),
  };
  const std::vector<std::int32_t> positions = {0, 1};
  for (const auto& encoding : encodings) {
    const Rotate& rotate = *encoding->rotate();
    auto x = random_floats(2 * 4, 3);
    auto d_out = random_floats(2 * rotate.turned_dim(), 4);
    std::fill_n(d_out.begin(), rotate.turned_dim(), 0.0F);
    const auto gradients = [&] {
      std::vector<float> sums(12);
      float* const grads[] = {sums.data(), sums.data() + 4};
      CHECK(rotate.turn_grad(Side::key, 0, {positions.data(), 2}, x.data(), d_out.data(), grads) ==
            Status::ok);
      std::vector<float> cos(static_cast<std::size_t>(rotate.table_width()));
      std::vector<float> sin(cos.size());
      rotate.table(Side::key, {positions.data(), 1}, cos.data(), sin.data());
      rotate.input_grad(Side::key, 0, x.data(), cos.data(), sin.data(), d_out.data(), 1,
                        sums.data() + 8);
      return sums;
    };
    const auto clean = gradients();
    CHECK_FALSE(all_zero(clean.data(), 4));
    std::fill_n(x.begin(), 4, kNan);
    CHECK(bit_differences(gradients(), clean) == "");
  }
}

}  // namespace
}  // namespace posenc::test
