// Remapped distances: what each method reads, where its regimes meet, known scores.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "table.hpp"
#include "tensor.hpp"

namespace posenc::test {
namespace {

constexpr double kSelfExtend = 0;
constexpr double kRerope = 1;
constexpr double kLeaky = 2;
constexpr double kDualChunk = 3;

/// The distance that a model sees of query m and key n ≤ m: with one pair that turns by a small
/// angle per position, it is the angle of the product of two equal vectors.
double distance(const Encoding& encoding, std::int32_t m, std::int32_t n) {
  constexpr double kFrequency = 1e-3;
  const Rotate& rotate = *encoding.rotate();
  int regime = 0;
  for (int later = 1; later < rotate.regimes(); ++later) {
    if (n <= rotate.last_key(later, m)) regime = later;
  }
  float cos[2];
  float sin[2];
  rotate.regime_table(regime, Side::query, {&m, 1}, cos, sin);
  rotate.regime_table(regime, Side::key, {&n, 1}, cos + 1, sin + 1);
  return (std::atan2(sin[0], cos[0]) - std::atan2(sin[1], cos[1])) / kFrequency;
}

std::unique_ptr<Encoding> slow(Options options) {
  options.emplace_back("headDim", 2);
  options.emplace_back("frequencies", kept<double>({1e-3}));
  return made("rope_remapped", options);
}

TEST_CASE("distances are those of the papers") {
  // Self-Extend's example: ten tokens, window 4, groups of 2, no distance above 6.
  const auto self_extend = slow({{"method", kSelfExtend}, {"window", 4}, {"group", 2}});
  const double first_column[] = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6};
  for (std::int32_t m = 0; m < 10; ++m) {
    CHECK(distance(*self_extend, m, 0) == doctest::Approx(first_column[m]).epsilon(1e-3));
    CHECK(distance(*self_extend, m, m) == doctest::Approx(0).epsilon(1e-3));
  }
  const auto rerope = slow({{"method", kRerope}, {"window", 6}});
  const auto leaky = slow({{"method", kLeaky}, {"window", 6}, {"factor", 4}});
  for (std::int32_t m = 0; m < 20; ++m) {
    CHECK(distance(*rerope, m, 0) == doctest::Approx(m < 6 ? m : 6).epsilon(1e-3));
    CHECK(distance(*leaky, m, 0) == doctest::Approx(m < 6 ? m : 6 + (m - 6) / 4.0).epsilon(1e-3));
  }
  // Dual chunk attention, section 3: s = 6, c = 10, twelve tokens; row 11 of the matrix M.
  const auto dual = slow({{"method", kDualChunk}, {"chunk", 6}, {"farthest", 9}});
  const double last_row[] = {9, 8, 7, 6, 5, 4, 5, 4, 3, 2, 1, 0};
  for (std::int32_t n = 0; n < 12; ++n) {
    CHECK(distance(*dual, 11, n) == doctest::Approx(last_row[n]).epsilon(1e-3));
  }
  CHECK(distance(*dual, 6, 5) == doctest::Approx(1).epsilon(1e-3));  // neighbours stay so
  CHECK(distance(*dual, 13, 0) == doctest::Approx(9).epsilon(1e-3));
}

TEST_CASE("near attention is RoPE to the last bit") {
  AttentionCase c;
  c.heads = 2;
  c.queries = c.keys = 100;
  c.fill(1);
  c.causal = true;
  const auto rope = made("rope", {{"headDim", 8}});
  c.encodings = {rope.get()};
  const auto plain = run(c).output;
  const Options methods[] = {{{"method", kSelfExtend}, {"window", 100}, {"group", 3}},
                             {{"method", kRerope}, {"window", 100}},
                             {{"method", kLeaky}, {"window", 100}, {"factor", 8}},
                             {{"method", kDualChunk}, {"chunk", 100}, {"farthest", 150}}};
  for (Options options : methods) {
    options.emplace_back("headDim", 8);
    const auto encoding = made("rope_remapped", options);
    c.encodings = {encoding.get()};
    CHECK(bit_differences(run(c).output, plain) == "");
  }
}

TEST_CASE("a query without near keys has one regime, far ones") {
  AttentionCase c;
  c.queries = 3;
  c.keys = 40;
  c.fill(2);
  c.query_positions = {200, 201, 202};
  const auto encoding = made("rope_remapped", {{"headDim", 8}, {"method", kRerope}, {"window", 9}});
  c.encodings = {encoding.get()};
  // All keys stand at 0 and all queries at 9.
  AttentionCase fixed = c;
  const auto rope = made("rope", {{"headDim", 8}});
  fixed.encodings = {rope.get()};
  fixed.query_positions.assign(3, 9);
  fixed.key_positions.assign(40, 0);
  CHECK(bit_differences(run(c).scores, run(fixed).scores) == "");
}

TEST_CASE("each method takes its own options") {
  struct Row {
    Options options;
    const char* option;
    const char* rule;
  };
  const Row rows[] = {
      {{{"headDim", 8}}, "method", "required"},
      {{{"headDim", 8}, {"method", 4}}, "method", "within its range"},
      {{{"headDim", 8}, {"method", kSelfExtend}}, "window", "required by this method"},
      {{{"headDim", 8}, {"method", kSelfExtend}, {"window", 4}},
       "group",
       "required by this method"},
      {{{"headDim", 8}, {"method", kRerope}, {"window", 4}, {"group", 2}},
       "group",
       "not for this method"},
      {{{"headDim", 8}, {"method", kRerope}, {"window", 0}}, "window", "within its range"},
      {{{"headDim", 8}, {"method", kLeaky}, {"window", 4}, {"factor", 0.5}},
       "factor",
       "within its range"},
      {{{"headDim", 8}, {"method", kDualChunk}, {"window", 4}}, "window", "not for this method"},
      {{{"headDim", 8}, {"method", kDualChunk}, {"chunk", 4}},
       "farthest",
       "required by this method"},
      {{{"headDim", 8}, {"method", kDualChunk}, {"chunk", 4}, {"farthest", 3}},
       "farthest",
       "from chunk to 2 * chunk - 1"},
      {{{"headDim", 8}, {"method", kDualChunk}, {"chunk", 4}, {"farthest", 8}},
       "farthest",
       "from chunk to 2 * chunk - 1"},
      {{{"headDim", 8}, {"method", kRerope}, {"window", 4}, {"rotaryDim", 3}},
       "rotaryDim",
       "an even number"},
  };
  for (const Row& row : rows) {
    const Refusal fault = refusal("rope_remapped", row.options);
    CHECK(std::string(fault.option) == row.option);
    CHECK(std::string(fault.rule) == row.rule);
  }
}

TEST_CASE("content terms and several regimes do not go together") {
  AttentionCase c;
  c.queries = c.keys = 4;
  c.fill(3);
  const auto encoding = made("rope_remapped", {{"headDim", 8}, {"method", kRerope}, {"window", 2}});
  const auto shaw = made(
      "shaw", {{"headDim", 8}, {"maxDistance", 1}, {"keys", kept(std::vector<float>(24, 0.5F))}});
  c.encodings = {encoding.get(), shaw.get()};
  CHECK(run(c).status == Status::unsupported);
}

}  // namespace
}  // namespace posenc::test
