// RoPE: values of both layouts, partial rotation, precision far out, shifts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "position/registry.hpp"
#include "position/rotation.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

enum : std::uint8_t { kHalf, kInterleaved };

std::unique_ptr<Encoding> rope(double head_dim, double rotary_dim, int layout = kHalf,
                               double base = 10000) {
  const auto index = static_cast<std::size_t>(find_encoding("rope"));
  std::vector<double> values = {head_dim, rotary_dim, base, static_cast<double>(layout)};
  REQUIRE(resolve(*registry()[index], values).status == Status::ok);
  return registry()[index]->make(values);
}

/// One row turned to a position.
std::vector<float> turned(const Encoding& encoding, const std::vector<float>& row,
                          std::int32_t position, bool inverse = false) {
  std::vector<float> out(row.size(), kUnwritten);
  const RotateCall call{.x = row.data(),
                        .out = out.data(),
                        .batch = 1,
                        .heads = 1,
                        .tokens = 1,
                        .positions = &position,
                        .positions_per_batch = false,
                        .axes = 1,
                        .side = Side::query,
                        .inverse = inverse};
  CHECK(rotate_tensor(*encoding.rotate(), call) == Status::ok);
  return out;
}

TEST_CASE("the two layouts turn 1 2 3 4 like this (huggingface/nanotron#427)") {
  const std::vector<float> x = {1, 2, 3, 4};
  CHECK(differences(turned(*rope(4, 4, kInterleaved), x, 1),
                    std::vector<double>{-1.14263966, 1.92207560, 2.95985067, 4.02979950}) == "");
  CHECK(differences(turned(*rope(4, 4, kHalf), x, 1),
                    std::vector<double>{-1.98411064, 1.95990067, 2.46237790, 4.01979967}) == "");
}

TEST_CASE("position 0 changes no bit") {
  for (const int layout : {kHalf, kInterleaved}) {
    const std::vector<float> x = random_floats(34, 5);
    CHECK(bit_differences(turned(*rope(34, 34, layout), x, 0), x) == "");
  }
}

TEST_CASE("frequencies divide by the rotary width, not by the head's") {
  struct Row {
    double head_dim, rotary_dim;
    std::vector<float> frequencies;
  };
  const Row rows[] = {
      {8, 8, {1, .1F, .01F, .001F}},
      {8, 4, {1, .01F}},  // GPT-J, GPT-NeoX
      {64, 2, {1}},
  };
  for (const Row& row : rows) {
    const auto encoding = rope(row.head_dim, row.rotary_dim);
    CHECK(differences(row.frequencies, encoding->frequencies(), {0, 1e-7}) == "");
    CHECK(encoding->rotate()->rotary_dim() == row.rotary_dim);
    CHECK(encoding->rotate()->head_dim() == row.head_dim);
  }
  CHECK(rope(8, 8)->attention_factor() == 1.0);
}

TEST_CASE("dimensions past rotary_dim pass bit by bit (microsoft/onnxruntime#29261)") {
  for (const int layout : {kHalf, kInterleaved}) {
    std::vector<float> x = random_floats(11, 8);
    x[8] = std::nanf("");
    x[9] = -0.0F;
    const auto y = turned(*rope(11, 4, layout), x, 1000);
    CHECK(std::memcmp(y.data() + 4, x.data() + 4, 7 * sizeof(float)) == 0);
    CHECK(y[0] != x[0]);
    CHECK(y[3] != x[3]);
  }
}

TEST_CASE("pairs are the ones of the layout, for every width") {
  // A 1 in one dimension spreads to its partner alone.
  for (const std::int64_t rotary_dim : {2, 4, 6, 8, 10, 16, 18, 22, 62, 64, 66}) {
    for (const int layout : {kHalf, kInterleaved}) {
      CAPTURE(rotary_dim);
      CAPTURE(layout);
      const std::int64_t width = rotary_dim + 3;
      const auto encoding =
          rope(static_cast<double>(width), static_cast<double>(rotary_dim), layout);
      for (std::int64_t i = 0; i < rotary_dim; ++i) {
        std::vector<float> x(static_cast<std::size_t>(width), 0.0F);
        x[static_cast<std::size_t>(i)] = 1.0F;
        const std::int64_t half = rotary_dim / 2;
        const bool first = layout == kHalf ? i < half : i % 2 == 0;
        const std::int64_t partner =
            layout == kHalf ? (first ? i + half : i - half) : (first ? i + 1 : i - 1);
        const std::int64_t pair = layout == kHalf ? i % half : i / 2;
        const double angle = 7 * encoding->frequencies()[static_cast<std::size_t>(pair)];
        std::vector<double> expected(x.size(), 0.0);
        expected[static_cast<std::size_t>(i)] = std::cos(angle);
        expected[static_cast<std::size_t>(partner)] = first ? std::sin(angle) : -std::sin(angle);
        CHECK(differences(turned(*encoding, x, 7), expected, {2e-7, 0}) == "");
      }
    }
  }
}

TEST_CASE("positions far out are as exact as near ones") {
  // EleutherAI/gpt-neox#1003: with float16 tables the angle below was 1045.0.
  // huggingface/transformers#29285 and others: bfloat16 angles are wrong by radians; float32 ones
  // by 1e-3 at position 131071.
  const auto encoding = rope(32, 32);
  std::vector<float> cos(16);
  std::vector<float> sin(16);
  for (const std::int32_t position : {1857, 131071, 16777216}) {
    encoding->rotate()->table(Side::query, {&position, 1}, cos.data(), sin.data());
    for (std::size_t i = 0; i < 16; ++i) {
      const double angle = position * encoding->frequencies()[i];
      CHECK(std::abs(cos[i] - std::cos(angle)) <= 2e-7);
      CHECK(std::abs(sin[i] - std::sin(angle)) <= 2e-7);
    }
    if (position == 1857) CHECK(std::abs(cos[1] - std::cos(1044.268)) < 1e-3);
  }
}

TEST_CASE("neighbours far out turn differently") {
  // huggingface/transformers#28685: 256 and 257 were one position; huggingface/diffusers#13922:
  // 65536 … 66047 were.
  const std::vector<float> x = {1, 0, 0, 0};
  for (const std::int32_t position : {256, 65536, 1 << 24, kMaxPosition - 1}) {
    const auto a = turned(*rope(4, 4), x, position);
    const auto b = turned(*rope(4, 4), x, position + 1);
    CHECK(std::hypot(a[0] - b[0], a[2] - b[2]) == doctest::Approx(2 * std::sin(0.5)).epsilon(1e-5));
  }
}

TEST_CASE("a table depends on where it starts (lucidrains/rotary-embedding-torch#11)") {
  const auto encoding = rope(16, 16);
  const auto table = [&](std::int32_t first) {
    std::vector<float> cos(32);
    std::vector<float> sin(32);
    const auto positions = count_from(first, 4);
    encoding->rotate()->table(Side::key, {positions.data(), 4}, cos.data(), sin.data());
    return cos;
  };
  const auto at_0 = table(0);
  const auto at_7 = table(7);
  CHECK(at_0 != at_7);
  CHECK(bit_differences(part(table(3), 32 - 8, 8), part(table(6), 0, 8)) == "");
  CHECK(bit_differences(table(0), at_0) == "");
}

TEST_CASE("a cached key is moved by a turn of its shift (ggml-org/llama.cpp#4889)") {
  for (const int layout : {kHalf, kInterleaved}) {
    const auto encoding = rope(80, 32, layout);
    const std::vector<float> x = random_floats(80, 2);
    const auto moved = turned(*encoding, turned(*encoding, x, 100), -5);
    CHECK(differences(moved, turned(*encoding, x, 95), {2e-6, 0}) == "");
    CHECK(bit_differences(part(moved, 32, 48), part(x, 32, 48)) == "");
  }
}

TEST_CASE("many shifts of a cache drift little (ggml-org/llama.cpp#4097)") {
  const auto encoding = rope(64, 64);
  std::vector<float> x = random_floats(64, 4);
  const auto at_once = turned(*encoding, x, -100);
  for (int i = 0; i < 100; ++i) x = turned(*encoding, x, -1);
  CHECK(differences(x, std::span<const float>(at_once), {1e-4, 0}) == "");
}

TEST_CASE("a product of query and key depends on their distance (ML-GSAI/LLaDA#120)") {
  const std::vector<float> q = random_floats(64, 10);
  const std::vector<float> k = random_floats(64, 11);
  for (const int layout : {kHalf, kInterleaved}) {
    const auto encoding = rope(64, 64, layout);
    const auto score = [&](std::int32_t at_query, std::int32_t at_key) {
      const auto a = turned(*encoding, q, at_query);
      const auto b = turned(*encoding, k, at_key);
      double sum = 0.0;
      for (std::size_t d = 0; d < a.size(); ++d) sum += static_cast<double>(a[d]) * b[d];
      return sum;
    };
    for (const std::int32_t shift : {7, -300, 65536, 1 << 24}) {
      CHECK(std::abs(score(20 + shift, 11 + shift) - score(20, 11)) < 1e-5);
    }
    CHECK(std::abs(score(20, 11) - score(11, 20)) > 1e-2);
    CHECK(std::abs(score(20, 11) - score(20, 12)) > 1e-2);
  }
}

}  // namespace
}  // namespace posenc::test
