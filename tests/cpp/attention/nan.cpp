// NaN and infinity: what is hidden never leaks (pytorch/pytorch#101967), what is visible does not
// vanish.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kPoisons[] = {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity,
                              3e38F};

void poison_key(AttentionCase& c, std::int64_t n, float poison) {
  for (std::int64_t h = 0; h < c.kv_heads; ++h) {
    std::fill_n(c.key_row(0, h, n), c.head_dim, poison);
    std::fill_n(c.value_row(0, h, n), c.value_dim, poison);
  }
}

AttentionCase causal(std::int64_t tokens, unsigned seed) {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = tokens;
  c.keys = tokens;
  c.head_dim = 8;
  c.value_dim = 7;
  c.fill(seed);
  c.causal = true;
  return c;
}

TEST_CASE("padding may hold anything") {
  const std::int64_t tokens = kKeyBlock + 40;
  for (const Sample& sample : attention_samples(8, 2)) {
    const auto encoding = sample.make();
    CAPTURE(sample.label);
    AttentionCase c = causal(tokens, 1);
    c.encodings = {encoding.get()};
    c.key_mask.assign(static_cast<std::size_t>(tokens), 1);
    // Some of a block that is partly visible, and a whole block.
    for (const std::int64_t n : {0, 3, 4, 5, 50, 95, 96, 135})
      c.key_mask[static_cast<std::size_t>(n)] = 0;
    for (const float softcap : {0.0F, 5.0F}) {
      c.softcap = softcap;
      const auto clean = run(c);
      for (const float poison : kPoisons) {
        AttentionCase dirty = c;
        for (std::int64_t n = 0; n < tokens; ++n) {
          if (c.key_mask[static_cast<std::size_t>(n)] == 0) poison_key(dirty, n, poison);
        }
        const auto result = run(dirty);
        CHECK(bit_differences(result.output, clean.output) == "");
        CHECK(bit_differences(result.weights, clean.weights) == "");
        CHECK(bit_differences(result.logits, clean.logits) == "");
        CHECK(bit_differences(run(dirty, {.taps = false}).output, clean.output) == "");
      }
    }
  }
}

TEST_CASE("a single hidden number is found wherever it stands") {
  // 5 values of 9 keys are no whole number of registers.
  AttentionCase c;
  c.queries = 3;
  c.keys = 9;
  c.value_dim = 5;
  c.fill(11);
  for (std::int64_t n = 0; n < c.keys; ++n) {
    c.key_mask.assign(9, 1);
    c.key_mask[static_cast<std::size_t>(n)] = 0;
    const auto clean = run(c);
    for (std::int64_t d = 0; d < c.value_dim; ++d) {
      AttentionCase dirty = c;
      dirty.value_row(0, 0, n)[d] = kInfinity;
      CHECK(bit_differences(run(dirty).output, clean.output) == "");
    }
  }
}

TEST_CASE("the future may hold anything") {
  // The poisoned key hides behind causality in the middle of a tile: earlier queries do not notice
  // it.
  for (const std::int64_t poisoned : {0, 1, 6, 63, 64, 95, 96, 100, 135}) {
    CAPTURE(poisoned);
    const AttentionCase c = causal(kKeyBlock + 40, 2);
    const auto clean = run(c);
    for (const float poison : kPoisons) {
      AttentionCase dirty = c;
      poison_key(dirty, poisoned, poison);
      const auto result = run(dirty);
      CHECK(bit_differences(output_rows(c, result, 0, poisoned),
                            output_rows(c, clean, 0, poisoned)) == "");
    }
  }
}

TEST_CASE("what lies outside the window may hold anything") {
  AttentionCase c = causal(kKeyBlock + 40, 3);
  c.window = 10;
  const auto clean = run(c);
  for (const std::int64_t poisoned : {0, 20, 95, 96}) {
    CAPTURE(poisoned);
    for (const float poison : kPoisons) {
      AttentionCase dirty = c;
      poison_key(dirty, poisoned, poison);
      const auto result = run(dirty);
      const std::int64_t after = poisoned + c.window;
      CHECK(bit_differences(output_rows(c, result, 0, poisoned),
                            output_rows(c, clean, 0, poisoned)) == "");
      CHECK(bit_differences(output_rows(c, result, after, c.queries - after),
                            output_rows(c, clean, after, c.queries - after)) == "");
    }
  }
}

TEST_CASE("a row that sees nothing stays 0 among NaN") {
  AttentionCase c = causal(5, 4);
  c.key_mask.assign(5, 0);
  for (std::int64_t n = 0; n < 5; ++n) poison_key(c, n, kPoisons[0]);
  CHECK(run(c).output == std::vector<float>(2 * 5 * 7, 0.0F));
}

TEST_CASE("a NaN in a visible key or value comes out, in the rows that see it") {
  for (const std::int64_t poisoned : {0, 5, 63, 95, 96, 130}) {
    CAPTURE(poisoned);
    const AttentionCase c = causal(kKeyBlock + 40, 5);
    AttentionCase in_key = c;
    in_key.key_row(0, 0, poisoned)[3] = kPoisons[0];
    AttentionCase in_value = c;
    in_value.value_row(0, 0, poisoned)[6] = kPoisons[0];
    const auto by_key = run(in_key);
    const auto by_value = run(in_value);
    for (std::int64_t m = 0; m < c.queries; ++m) {
      const auto key_row = output_rows(c, by_key, m, 1);
      const auto value_row = output_rows(c, by_value, m, 1);
      const auto is_nan = [](float x) { return std::isnan(x); };
      const bool sees = m >= poisoned;
      CHECK(std::count_if(key_row.begin(), key_row.end(), is_nan) == (sees ? 14 : 0));
      CHECK(std::count_if(value_row.begin(), value_row.end(), is_nan) == (sees ? 2 : 0));
      CHECK(std::isnan(value_row[6]) == sees);
    }
  }
}

TEST_CASE("a NaN in a query stays in its row") {
  AttentionCase c = causal(20, 6);
  const auto clean = run(c);
  c.query_row(0, 1, 9)[0] = kPoisons[0];
  const auto result = run(c);
  for (std::int64_t row = 0; row < 40; ++row) {
    const auto part_of = [&](const Stages<float>& r) { return part(r.output, row * 7, 7); };
    if (row == 29) {
      for (const float x : part_of(result)) CHECK(std::isnan(x));
    } else {
      CHECK(bit_differences(part_of(result), part_of(clean)) == "");
    }
  }
}

TEST_CASE("scores beyond the range of the exponential are no trouble") {
  AttentionCase c = causal(100, 7);
  c.scale = 3000.0F;
  const auto result = run(c);
  for (const float x : result.output) CHECK(std::isfinite(x));
  // One key takes all: the one with the largest score (a tie would take float64 scores to tell).
  for (std::int64_t row = 0; row < 200; ++row) {
    const auto scores = part(result.logits, row * 100, 100);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    CHECK(result.weights[static_cast<std::size_t>(row * 100 + best)] > 0.49F);
  }
}

}  // namespace
}  // namespace posenc::test
