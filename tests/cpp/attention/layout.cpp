// Attention over keys and queries that lie among others, entries of different length, keys that
// were turned before, and nothing at all.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "attention/backward.hpp"
#include "attention_case.hpp"
#include "position/rotation.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr std::int32_t kNowhere = std::numeric_limits<std::int32_t>::min();

template <class T>
void append(std::vector<T>& x, const std::vector<T>& y) {
  x.insert(x.end(), y.begin(), y.end());
}

/// `tokens` rows of each head in the place of `rows`, the rest filled.
template <class T>
std::vector<T> spread(const std::vector<T>& x, std::int64_t heads, std::int64_t tokens,
                      std::int64_t width, std::int64_t rows, T filling) {
  std::vector<T> out;
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto head = part(x, h * tokens * width, tokens * width);
    out.insert(out.end(), head.begin(), head.end());
    out.resize(out.size() + static_cast<std::size_t>((rows - tokens) * width), filling);
  }
  return out;
}

AttentionCase small(std::int64_t queries, std::int64_t keys) {
  AttentionCase c;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = queries;
  c.keys = keys;
  c.head_dim = 10;
  c.value_dim = 6;
  c.fill(61);
  return c;
}

template <class Law>
void with_every_encoding(AttentionCase c, Law law) {
  for (const Sample& sample :
       attention_samples(c.head_dim, static_cast<int>(c.heads), c.value_dim)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    c.encodings = {encoding.get()};
    law(c, sample.reference);
  }
}

/// A problem over data that lies `kRows` apart, which must outlive it.
struct Spread {
  static constexpr std::int64_t kRows = 150;

  explicit Spread(const AttentionCase& c)
      : axes(c.encodings.empty() ? 1 : axes_read(c.encodings[0]->domain())),
        query(spread(c.query, c.batch * c.heads, c.queries, c.head_dim, kRows, kNan)),
        key(spread(c.key, c.batch * c.kv_heads, c.keys, c.head_dim, kRows, kNan)),
        value(spread(c.value, c.batch * c.kv_heads, c.keys, c.value_dim, kRows, kNan)),
        query_positions(with_zeros(c.query_positions, axes)),
        key_positions(
            spread(with_zeros(c.key_positions, axes), c.batch, c.keys, axes, kRows, kNowhere)),
        output(static_cast<std::size_t>(c.batch * c.heads * kRows * c.value_dim), kUnwritten) {
    REQUIRE(collect(c.encodings, p.terms) == Status::ok);
    p.batch = c.batch;
    p.heads = c.heads;
    p.kv_heads = c.kv_heads;
    p.queries = c.queries;
    p.keys = c.keys;
    p.head_dim = c.head_dim;
    p.value_dim = c.value_dim;
    p.query = query.data();
    p.key = key.data();
    p.value = value.data();
    p.output = output.data();
    p.scale = c.scale;
    p.masks = c.masks();
    p.axes = axes;
    p.query_positions = query_positions.data();
    p.query_positions_per_batch = std::ssize(c.query_positions) != c.queries;
    p.key_positions = key_positions.data();
    p.key_positions_per_batch = true;
    p.query_rows = p.key_rows = kRows;
  }

  int axes;
  std::vector<float> query, key, value;
  std::vector<std::int32_t> query_positions, key_positions;
  std::vector<float> output;
  AttentionProblem p;
};

TEST_CASE("queries and keys may lie among others") {
  with_every_encoding(small(17, 110), [](const AttentionCase& c, const Reference& /*reference*/) {
    Spread apart(c);
    REQUIRE(attention(apart.p) == Status::ok);
    const auto together = spread(run(c, {.taps = false}).output, c.heads, c.queries, c.value_dim,
                                 Spread::kRows, kUnwritten);
    CHECK(bit_differences(apart.output, together) == "");
  });
}

TEST_CASE("entries may have different numbers of keys") {
  // 0, 5, 96 and all of 110 keys, of which the first are there.
  const std::vector<std::int64_t> counts = {0, 5, 96, 110};
  AttentionCase one = small(3, 110);
  one.causal = false;
  with_every_encoding(one, [&](const AttentionCase& c, const Reference& /*reference*/) {
    AttentionCase batch = c;
    batch.batch = 4;
    for (int copy = 0; copy < 3; ++copy) {
      append(batch.query, c.query);
      append(batch.key, c.key);
      append(batch.value, c.value);
      append(batch.key_positions, c.key_positions);
    }
    Spread apart(batch);
    apart.p.key_counts = counts.data();
    apart.p.query_rows = 0;
    apart.query = batch.query;
    apart.p.query = apart.query.data();
    std::vector<float> logits(static_cast<std::size_t>(4 * 4 * 3 * 110), kUnwritten);
    std::vector<float> weights = logits;
    apart.p.taps = {.logits = logits.data(), .weights = weights.data()};
    // Whatever lies behind the last key of an entry is never read.
    for (std::int64_t b = 0; b < 4; ++b) {
      const std::int64_t first = counts[static_cast<std::size_t>(b)];
      for (std::int64_t n = first; n < Spread::kRows; ++n) {
        for (std::int64_t h = 0; h < 2; ++h) {
          const std::int64_t row = (b * 2 + h) * Spread::kRows + n;
          std::fill_n(apart.key.begin() + row * 10, 10, kNan);
          std::fill_n(apart.value.begin() + row * 6, 6, kNan);
        }
        std::fill_n(apart.key_positions.begin() + (b * Spread::kRows + n) * apart.axes, apart.axes,
                    kNowhere);
      }
    }
    REQUIRE(attention(apart.p) == Status::ok);
    for (std::int64_t b = 0; b < 4; ++b) {
      const std::int64_t count = counts[static_cast<std::size_t>(b)];
      CAPTURE(count);
      const AttentionCase alone = slice(c, 0, 3, 0, count);
      const auto expected_rows = run(alone);
      REQUIRE(expected_rows.status == Status::ok);
      CHECK(bit_differences(part(apart.output, b * 4 * 3 * 6, 4 * 3 * 6), expected_rows.output) ==
            "");
      const auto tap = [&](const std::vector<float>& x) { return part(x, b * 12 * 110, 12 * 110); };
      CHECK(bit_differences(tap(logits),
                            spread(expected_rows.logits, 12, count, 1, 110, kHidden)) == "");
      CHECK(bit_differences(tap(weights), spread(expected_rows.weights, 12, count, 1, 110, 0.0F)) ==
            "");
    }
  });
}

TEST_CASE("keys may have been turned before") {
  with_every_encoding(small(5, 101), [](const AttentionCase& c, const Reference& /*reference*/) {
    const Rotate* rotate = c.encodings[0]->rotate();
    if (rotate == nullptr) return;
    AttentionCase turned = c;
    if (rotate->regimes() == 1 && rotate->turned_dim() == c.head_dim) {
      const int axes = axes_read(c.encodings[0]->domain());
      const auto positions = with_zeros(c.key_positions, axes);
      REQUIRE(rotate_tensor(*rotate, {.x = c.key.data(),
                                      .out = turned.key.data(),
                                      .batch = 1,
                                      .heads = c.kv_heads,
                                      .tokens = c.keys,
                                      .positions = positions.data(),
                                      .positions_per_batch = false,
                                      .axes = axes,
                                      .side = Side::key,
                                      .inverse = false}) == Status::ok);
    }
    Spread apart(turned);
    apart.p.keys_turned = true;
    if (rotate->regimes() > 1 || rotate->turned_dim() != c.head_dim) {
      CHECK(attention(apart.p) == Status::unsupported);
      return;
    }
    REQUIRE(attention(apart.p) == Status::ok);
    const auto together = spread(run(c, {.taps = false}).output, c.heads, c.queries, c.value_dim,
                                 Spread::kRows, kUnwritten);
    CHECK(differences(apart.output, std::span<const float>(together)) == "");
  });
}

TEST_CASE("nothing to attend to gives 0, and no queries nothing") {
  for (const std::int64_t queries : {0, 3}) {
    for (const std::int64_t keys : {0, 5}) {
      CAPTURE(queries);
      CAPTURE(keys);
      AttentionCase c = small(queries, keys);
      c.query_positions = count_from(2, queries);
      with_every_encoding(c, [](AttentionCase p, const Reference& reference) {
        CHECK(stage_differences(run(p), expected(p, reference)) == "");
        p.sink_logits.assign(4, 0.5F);
        CHECK(stage_differences(run(p), expected(p, reference)) == "");
      });
    }
  }
}

TEST_CASE("impossible layouts are refused") {
  const AttentionCase c = small(3, 9);
  const std::vector<std::int64_t> counts = {10};
  const std::vector<std::int64_t> negative = {-1};
  struct Row {
    const char* label;
    void (*change)(AttentionProblem&);
  };
  const Row rows[] = {
      {"fewer rows than queries", [](AttentionProblem& p) { p.query_rows = 2; }},
      {"fewer rows than keys", [](AttentionProblem& p) { p.key_rows = 8; }},
      {"rows below 0", [](AttentionProblem& p) { p.key_rows = -9; }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    Spread apart(c);
    row.change(apart.p);
    CHECK(attention(apart.p) == Status::shape);
  }
  for (const auto& count : {counts, negative}) {
    Spread apart(c);
    apart.p.key_counts = count.data();
    CHECK(attention(apart.p) == Status::shape);
  }
  // Gradients go by whole arrays.
  Spread apart(c);
  CHECK(attention_backward(apart.p, {}) == Status::unsupported);
}

}  // namespace
}  // namespace posenc::test
