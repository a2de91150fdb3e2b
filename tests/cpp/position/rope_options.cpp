// RoPE's options: given frequencies, factors, slices of a head, keys that are values, float32.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

enum : std::uint8_t { kHalf, kInterleaved };

TEST_CASE("given frequencies replace those of the base") {
  const std::vector<double> given = {1.5, -0.25, 0, 1e-3};
  const auto encoding = made("rope", {{"headDim", 10}, {"frequencies", kept(given)}});
  CHECK(encoding->rotate()->rotary_dim() == 8);
  const auto frequencies = encoding->frequencies();
  CHECK(std::vector<double>(frequencies.begin(), frequencies.end()) == given);
  const std::vector<float> x = random_floats(10, 1);
  auto expected = widen(x);
  for (std::size_t i = 0; i < 4; ++i) {
    const double cos = std::cos(77 * given[i]);
    const double sin = std::sin(77 * given[i]);
    expected[i] = x[i] * cos - x[i + 4] * sin;
    expected[i + 4] = x[i + 4] * cos + x[i] * sin;
  }
  CHECK(differences(turned(*encoding, x, {77}), expected, {1e-6, 0}) == "");
}

TEST_CASE("p-RoPE is a table of frequencies that ends in zeros (Gemma 4)") {
  // Barbero 2024 with p = 0.5 and 8 dimensions: exponents over all dimensions, then zeros. In the
  // half layout the pairs that stand still are (2, 6) and (3, 7).
  const auto encoding = made(
      "rope", {{"headDim", 8}, {"frequencies", kept<double>({1, 0.1, 0, 0})}, {"layout", kHalf}});
  const std::vector<float> x = random_floats(8, 2);
  const auto y = turned(*encoding, x, {123456});
  for (const std::size_t d : {2U, 3U, 6U, 7U}) CHECK(y[d] == x[d]);
  for (const std::size_t d : {0U, 1U, 4U, 5U}) CHECK(y[d] != x[d]);
}

TEST_CASE("a factor multiplies what turns, and the inverse divides by it") {
  const double factor = 1.3689;  // YaRN, 40-fold
  for (const int layout : {kHalf, kInterleaved}) {
    const Options plain = {{"headDim", 37}, {"rotaryDim", 22}, {"layout", layout}};
    Options scaled = plain;
    scaled.emplace_back("attentionFactor", factor);
    const auto encoding = made("rope", scaled);
    CHECK(encoding->attention_factor() == factor);
    const std::vector<float> x = random_floats(3 * 37, 3);
    const std::vector<std::int32_t> positions = {0, 5, 5000};
    auto expected = widen(turned(*made("rope", plain), x, positions));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (i % 37 < 22) expected[i] *= factor;
    }
    const auto there = turned(*encoding, x, positions);
    CHECK(differences(there, expected, {1e-6, 0}) == "");
    CHECK(differences(turned(*encoding, there, positions, {.inverse = true}),
                      std::span<const float>(x), {1e-6, 0}) == "");
  }
}

TEST_CASE("factor 1 at position 0 changes no bit (ml-explore/mlx-lm#1507)") {
  const std::vector<float> x = random_floats(16, 4);
  CHECK(bit_differences(turned(*made("rope", {{"headDim", 16}, {"attentionFactor", 1}}), x, {0}),
                        x) == "");
}

TEST_CASE("with an offset the last dimensions turn as a head of their own (MLA)") {
  // DeepSeek-V2: 128 dimensions without position, then 64 that turn.
  for (const int layout : {kHalf, kInterleaved}) {
    const auto encoding = made("rope", {{"headDim", 192}, {"offset", 128}, {"layout", layout}});
    CHECK(encoding->rotate()->rotary_dim() == 64);
    const auto slice = made("rope", {{"headDim", 64}, {"layout", layout}});
    const std::vector<float> x = random_floats(192, 5);
    const auto y = turned(*encoding, x, {321});
    CHECK(bit_differences(part(y, 0, 128), part(x, 0, 128)) == "");
    const auto tail = part(x, 128, 64);
    CHECK(bit_differences(part(y, 128, 64), turned(*slice, {tail.begin(), tail.end()}, {321})) ==
          "");
  }
  // A slice in the middle.
  const auto middle = made("rope", {{"headDim", 9}, {"offset", 3}, {"rotaryDim", 4}});
  const std::vector<float> x = random_floats(9, 6);
  const auto y = turned(*middle, x, {3});
  for (const std::size_t d : {0U, 1U, 2U, 7U, 8U}) CHECK(y[d] == x[d]);
  for (const std::size_t d : {3U, 4U, 5U, 6U}) CHECK(y[d] != x[d]);
}

/// Keys that are values, as in DeepSeek-V4.
AttentionCase shared_values(double shift) {
  AttentionCase c;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = 21;
  c.keys = 110;
  c.head_dim = c.value_dim = 12;
  c.fill(7);
  c.value = c.key;
  c.causal = true;
  for (auto& p : c.query_positions) p += static_cast<std::int32_t>(shift);
  for (auto& p : c.key_positions) p += static_cast<std::int32_t>(shift);
  return c;
}

TEST_CASE("turned back, the output only knows distances (AMD-AGI/Primus#928)") {
  const auto encoding = made(
      "rope", {{"headDim", 12}, {"offset", 4}, {"layout", kInterleaved}, {"turnsOutputBack", 1}});
  AttentionCase here = shared_values(0);
  here.encodings = {encoding.get()};
  const auto expected = run(here);
  CHECK(expected.status == Status::ok);
  for (const double shift : {9.0, -700.0, 1e5}) {
    AttentionCase there = shared_values(shift);
    there.encodings = {encoding.get()};
    CHECK(differences(run(there).output, std::span<const float>(expected.output), {5e-6, 0}) == "");
  }

  // By the definition: Σ weight · R(n − m) v, with weights of plain RoPE.
  const auto plain = made("rope", {{"headDim", 12}, {"offset", 4}, {"layout", kInterleaved}});
  AttentionCase weights = here;
  weights.encodings = {plain.get()};
  const auto w = run(weights).weights;
  std::vector<double> output;
  for (std::int64_t h = 0; h < 4; ++h) {
    for (std::int64_t m = 0; m < 21; ++m) {
      std::vector<double> sum(12, 0.0);
      for (std::int64_t n = 0; n < 110; ++n) {
        const float* row = here.value_row(0, h / 2, n);
        const auto distance = static_cast<std::int32_t>(n - (89 + m));
        const auto value = turned(*plain, {row, row + 12}, {distance});
        for (std::size_t d = 0; d < 12; ++d) {
          sum[d] +=
              static_cast<double>(w[static_cast<std::size_t>((h * 21 + m) * 110 + n)]) * value[d];
        }
      }
      output.insert(output.end(), sum.begin(), sum.end());
    }
  }
  CHECK(differences(expected.output, output) == "");

  AttentionCase narrow = here;
  narrow.value_dim = 6;
  CHECK(run(narrow).status == Status::shape);
}

TEST_CASE("float32 angles are those of float32 arithmetic") {
  const auto encoding = made("rope", {{"headDim", 64}, {"angles", 1}});
  const auto exact = made("rope", {{"headDim", 64}});
  const std::int32_t position = 1048575;
  std::vector<float> cos(32);
  std::vector<float> sin(32);
  encoding->rotate()->table(Side::query, {&position, 1}, cos.data(), sin.data());
  double worst = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const float angle = 1048575.0F * static_cast<float>(encoding->frequencies()[i]);
    CHECK(std::abs(cos[i] - std::cos(static_cast<double>(angle))) < 1e-7);
    CHECK(std::abs(sin[i] - std::sin(static_cast<double>(angle))) < 1e-7);
    const double angle64 = position * exact->frequencies()[i];
    worst = std::max(worst, std::abs(cos[i] - std::cos(angle64)));
    CHECK(encoding->frequencies()[i] == doctest::Approx(exact->frequencies()[i]).epsilon(1.3e-7));
  }
  CHECK(worst > 1e-3);
}

TEST_CASE("options that do not fit are refused") {
  struct Row {
    Options options;
    const char *option, *rule;
  };
  const double frequencies = kept<double>({1, 0.5, 0.25});
  const Row rows[] = {
      {{{"headDim", 4}, {"frequencies", frequencies}}, "rotaryDim", "at most headDim"},
      {{{"headDim", 8}, {"rotaryDim", 4}, {"frequencies", frequencies}},
       "frequencies",
       "rotaryDim / 2 numbers"},
      {{{"headDim", 8}, {"frequencies", kept<double>({1, std::nan("")})}},
       "frequencies",
       "numbers within their range"},
      {{{"headDim", 8}, {"offset", 7}}, "offset", "at most headDim - 2"},
      {{{"headDim", 8}, {"offset", 4}, {"rotaryDim", 6}}, "rotaryDim", "at most headDim - offset"},
      {{{"headDim", 8}, {"attentionFactor", 0}}, "attentionFactor", "within its range"},
      {{{"headDim", 8}, {"angles", 2}}, "angles", "within its range"},
  };
  for (const Row& row : rows) {
    const Refusal refused = refusal("rope", row.options);
    CHECK(std::string(refused.option) == row.option);
    CHECK(std::string(refused.rule) == row.rule);
  }
}

}  // namespace
}  // namespace posenc::test
