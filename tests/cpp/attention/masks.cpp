// Who sees whom: causality and windows by position, padding, rows that see nothing.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "attention/kernels.hpp"
#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "masked_cases.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

AttentionCase plain(std::int64_t queries, std::int64_t keys, unsigned seed = 1) {
  AttentionCase c;
  c.queries = queries;
  c.keys = keys;
  c.fill(seed);
  return c;
}

/// Positions of the keys that query `m` of head 0 gives weight to.
std::vector<std::int32_t> seen(const AttentionCase& c, std::int64_t m) {
  const auto result = run(c);
  std::vector<std::int32_t> keys;
  for (std::int64_t n = 0; n < c.keys; ++n) {
    if (result.weights[static_cast<std::size_t>(m * c.keys + n)] > 0) {
      keys.push_back(c.key_positions[static_cast<std::size_t>(n)]);
    }
  }
  return keys;
}

using Keys = std::vector<std::int32_t>;

TEST_CASE("causal: a query sees keys at or before its position") {
  AttentionCase c = plain(3, 5);  // queries at 2, 3, 4
  c.causal = true;
  CHECK(seen(c, 0) == Keys{0, 1, 2});
  CHECK(seen(c, 1) == Keys{0, 1, 2, 3});
  CHECK(seen(c, 2) == Keys{0, 1, 2, 3, 4});
  c.query_positions = {0, 1, 2};  // the top-left alignment
  CHECK(seen(c, 0) == Keys{0});
  CHECK(seen(c, 2) == Keys{0, 1, 2});
  c.query_positions = {-1, 100, 3};
  CHECK(seen(c, 0) == Keys{});
  CHECK(seen(c, 1) == Keys{0, 1, 2, 3, 4});
  c.key_positions = {40, 3, 7, -2, 3};  // any order, gaps, equal ones
  CHECK(seen(c, 0) == Keys{-2});
  CHECK(seen(c, 1) == Keys{40, 3, 7, -2, 3});
  CHECK(seen(c, 2) == Keys{3, -2, 3});
}

TEST_CASE("a window of W keeps W keys, the token itself included") {
  // Libraries differ by one (huggingface/transformers#39408, vllm-project/vllm#3385 and others).
  AttentionCase c = plain(1, 11);  // the query at 10
  c.causal = true;
  struct Row {
    std::int64_t window;
    Keys keys;
  };
  const Row rows[] = {{1, {10}},
                      {2, {9, 10}},
                      {4, {7, 8, 9, 10}},
                      {11, count_from(0, 11)},
                      {12, count_from(0, 11)},
                      {0, count_from(0, 11)}};
  for (const Row& row : rows) {
    CAPTURE(row.window);
    c.window = row.window;
    CHECK(seen(c, 0) == row.keys);
  }
}

TEST_CASE("a window that is not causal reaches as far to both sides") {
  AttentionCase c = plain(11, 11);
  c.window = 3;
  CHECK(seen(c, 5) == Keys{3, 4, 5, 6, 7});
  CHECK(seen(c, 0) == Keys{0, 1, 2});
  CHECK(seen(c, 10) == Keys{8, 9, 10});
  c.window = 1;
  CHECK(seen(c, 5) == Keys{5});
}

TEST_CASE("windows go by position, not by slot") {
  AttentionCase c = plain(1, 6);
  c.causal = true;
  c.window = 10;
  c.key_positions = {0, 5, 20, 25, 29, 31};
  c.query_positions = {30};
  CHECK(seen(c, 0) == Keys{25, 29});
}

TEST_CASE("windows and causality hold across blocks of keys and queries") {
  const std::int64_t tokens = 2 * kKeyBlock + 17;
  std::vector<std::int64_t> windows = {kKeyBlock - 1, kKeyBlock, kKeyBlock + 1, tokens};
  // Every distance between a panel of queries and the edge of a block of keys.
  for (std::int64_t window = 1; window <= 2 * kPanel + 2; ++window) windows.push_back(window);
  for (const bool causal : {true, false}) {
    for (const std::int64_t window : windows) {
      CAPTURE(causal);
      CAPTURE(window);
      AttentionCase c = plain(tokens, tokens, 3);
      c.causal = causal;
      c.window = window;
      CHECK(stage_differences(run(c), expected(c)) == "");
    }
  }
}

TEST_CASE("windows of any size are allowed") {
  AttentionCase c = plain(3, 200);
  const std::vector<float> whole = run(c).output;
  for (const std::int64_t window :
       {std::int64_t{1} << 30, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31,
        (std::int64_t{1} << 32) + 1, std::numeric_limits<std::int64_t>::max()}) {
    CAPTURE(window);
    c.window = window;
    // A mask on one key makes the engine look at every key.
    c.key_mask.assign(200, 1);
    CHECK(bit_differences(run(c).output, whole) == "");
    c.key_mask[150] = 0;
    CHECK(stage_differences(run(c), expected(c)) == "");
  }
}

TEST_CASE("the farthest positions are compared without overflow") {
  AttentionCase c = plain(2, 3);
  c.query_positions = {kMaxPosition, -kMaxPosition};
  c.key_positions = {-kMaxPosition, 0, kMaxPosition};
  c.causal = true;
  CHECK(seen(c, 0) == Keys{-kMaxPosition, 0, kMaxPosition});
  CHECK(seen(c, 1) == Keys{-kMaxPosition});
  c.causal = false;
  c.window = 5;
  CHECK(seen(c, 0) == Keys{kMaxPosition});
  CHECK(seen(c, 1) == Keys{-kMaxPosition});
  c.window = std::int64_t{1} << 31;  // one less than the distance of the farthest needs
  CHECK(seen(c, 0) == Keys{0, kMaxPosition});
  CHECK(seen(c, 1) == Keys{-kMaxPosition, 0});
  c.window += 1;
  CHECK(seen(c, 0) == c.key_positions);
  CHECK(seen(c, 1) == c.key_positions);
}

TEST_CASE("encodings act at the farthest positions as well") {
  for (const Sample& sample : attention_samples(8, 1)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    if (!unbounded(*encoding)) continue;
    AttentionCase c = plain(1, 1);
    c.encodings = {encoding.get()};
    c.query_positions = {kMaxPosition};
    c.key_positions = {-kMaxPosition};
    const auto result = run(c);
    CHECK(result.weights == std::vector<float>{1.0F});
    const Reference& r = sample.reference;
    const double bias = r.bias ? r.bias(0, kMaxPosition, -kMaxPosition) : 0;
    const double weight = r.weight ? r.weight(0, kMaxPosition, -kMaxPosition) : 1;
    const double difference = result.biased[0] - weight * result.scores[0];
    CHECK(difference == doctest::Approx(bias).epsilon(1e-6));
  }
}

TEST_CASE("padding hides keys, shared by the batch or of each entry") {
  AttentionCase c;
  c.batch = 2;
  c.heads = 2;
  c.queries = 3;
  c.keys = 130;
  c.fill(7);
  for (int n = 0; n < 130; ++n) c.key_mask.push_back(n % 3 == 0 ? 1 : 0);
  CHECK(stage_differences(run(c), expected(c)) == "");
  for (int n = 0; n < 130; ++n) c.key_mask.push_back(n < 97 ? 0 : 255);  // any value but 0 is real
  CHECK(stage_differences(run(c), expected(c)) == "");
}

TEST_CASE("every stage under every mask is that of the float64 reference") {
  for (const MaskedCase& masked : masked_cases()) {
    CAPTURE(masked.label);
    const auto result = run(masked.problem);
    CHECK(stage_differences(result, expected(masked.problem)) == "");
    CHECK(differences(run(masked.problem, {.taps = false}).output, result.output) == "");
  }
}

TEST_CASE("under every mask a query alone is as among others, key by key order") {
  for (const MaskedCase& masked : masked_cases()) {
    CAPTURE(masked.label);
    const AttentionCase& c = masked.problem;
    if (!c.shown.values.empty() || !c.added.values.empty()) continue;  // rows of the whole
    const auto all = run(c, {.taps = false});
    for (std::int64_t m = 0; m < c.queries; m += 9) {
      const auto alone = run(slice(c, m, 1, 0, c.keys), {.taps = false});
      CHECK(differences(alone.output, output_rows(c, all, m, 1)) == "");
    }
  }
}

TEST_CASE("chunks, sinks and both sides of a window by hand") {
  AttentionCase c = plain(1, 11);  // the query at 10
  c.chunk = 4;
  CHECK(seen(c, 0) == Keys{8, 9, 10});
  c.key_positions = count_from(-5, 11);
  c.query_positions = {-1};
  for (const std::int64_t all : {std::int64_t{1} << 30, std::int64_t{1} << 53}) {
    c.chunk = all;  // one of what is before 0, one of the others
    CHECK(seen(c, 0) == Keys{-5, -4, -3, -2, -1});
  }
  c.chunk = 4;
  c.key_positions = count_from(0, 11);
  c.query_positions = {10};
  c.sinks = 2;
  CHECK(seen(c, 0) == Keys{0, 1, 8, 9, 10});
  c.chunk = 0;
  c.before = 1;
  CHECK(seen(c, 0) == Keys{0, 1, 9, 10});
  c.sinks = 0;
  c.query_positions = {5};
  CHECK(seen(c, 0) == Keys{4, 5, 6, 7, 8, 9, 10});
  c.after = 2;
  CHECK(seen(c, 0) == Keys{4, 5, 6, 7});
  c.before = -1;
  c.after = 0;
  CHECK(seen(c, 0) == Keys{0, 1, 2, 3, 4, 5});
  c.global_keys.assign(11, 0);
  c.global_keys[9] = 1;
  CHECK(seen(c, 0) == Keys{0, 1, 2, 3, 4, 5, 9});
  c.causal = true;  // which nothing is exempt from
  CHECK(seen(c, 0) == Keys{0, 1, 2, 3, 4, 5});
  c.key_segments = {0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2};
  c.query_segments = {1};
  CHECK(seen(c, 0) == Keys{2, 3, 4, 5});
}

TEST_CASE("statistics give the weights back") {
  AttentionCase c = plain(5, 130);
  c.causal = true;
  c.query_positions = {-1, 0, 50, 128, 129};
  const auto result = run(c);
  for (std::int64_t m = 0; m < 5; ++m) {
    const RowStatistics& row = result.statistics[static_cast<std::size_t>(m)];
    CHECK((row.sum == 0.0F) == (m == 0));
    for (std::int64_t n = 0; n < 130 && m > 0; ++n) {
      const auto i = static_cast<std::size_t>(m * 130 + n);
      const double shifted = static_cast<double>(result.logits[i]) - row.offset - row.maximum;
      CHECK(std::exp(shifted) / row.sum == doctest::Approx(result.weights[i]).epsilon(1e-5));
    }
  }
}

TEST_CASE("a row that sees nothing is 0, and its weights are") {
  const auto zeros = [](std::int64_t count) {
    return std::vector<float>(static_cast<std::size_t>(count), 0.0F);
  };
  for (const std::int64_t keys : {std::int64_t{1}, std::int64_t{5}, kKeyBlock + 1}) {
    AttentionCase hidden = plain(2, keys);
    hidden.key_mask.assign(static_cast<std::size_t>(keys), 0);
    AttentionCase before = plain(2, keys);
    before.query_positions = {-5, -1};
    before.causal = true;
    AttentionCase far_off = plain(2, keys);
    far_off.query_positions = {1000, 2000};
    far_off.window = 10;
    for (const AttentionCase& c : {hidden, before, far_off}) {
      const auto result = run(c);
      CHECK(result.output == zeros(2 * c.value_dim));
      CHECK(result.weights == zeros(2 * keys));
      CHECK(stage_differences(result, expected(c)) == "");
      CHECK(run(c, {.taps = false}).output == zeros(2 * c.value_dim));
    }
  }
}

TEST_CASE("rows that see nothing stand beside rows that see something") {
  AttentionCase c = plain(6, 100);
  c.causal = true;
  c.window = 4;
  c.query_positions = {-1, 0, 500, 50, 102, 103};
  const auto result = run(c);
  CHECK(stage_differences(result, expected(c)) == "");
  for (const std::int64_t m : {0, 2, 5}) {
    CHECK(output_rows(c, result, m, 1) == std::vector<float>(8, 0.0F));
  }
  for (const std::int64_t m : {1, 3, 4}) {
    CHECK(output_rows(c, result, m, 1) != std::vector<float>(8, 0.0F));
  }
}

}  // namespace
}  // namespace posenc::test
