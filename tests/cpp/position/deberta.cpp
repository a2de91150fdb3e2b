// DeBERTa: values by hand, in attention.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "one_number.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

/// Span 2: rows for distances ≤ −2, −1, 0, ≥ 1.
Values given() {
  return Values("deberta")
      .set("heads", 1)
      .set("headDim", 1)
      .set("maxDistance", 2)
      .give("keys", {10, 20, 30, 40})
      .give("queries", {1000, 2000, 3000, 4000});
}

TEST_CASE("deberta: each of c2p, p2c and p2p is switched on its own") {
  // huggingface/transformers#14621, #15732: p2p was computed and never used, or crashed without
  // c2p.
  for (int terms = 0; terms < 8; ++terms) {
    CAPTURE(terms);
    const auto encoding =
        given().set("c2p", terms & 1).set("p2c", terms >> 1 & 1).set("p2p", terms >> 2).make();
    const auto scores = attend(*encoding, 2, 5, {3, 3, 3, 3, 3}, {9, 7, 6, 5, -9}).scores;
    std::vector<float> expected;
    for (const float row : {1.0F, 1.0F, 2.0F, 3.0F, 4.0F}) {
      const float key = 10 * row;
      const float query = 1000 * row;
      expected.push_back(6 + ((terms & 1) != 0 ? 2 * key : 0) + ((terms & 2) != 0 ? 3 * query : 0) +
                         ((terms & 4) != 0 ? query * key : 0));
    }
    CHECK(scores == expected);
  }
}

TEST_CASE("deberta: a term that is off needs no table") {
  const Values bare = Values("deberta")
                          .set("heads", 1)
                          .set("headDim", 1)
                          .set("maxDistance", 2)
                          .set("c2p", 0)
                          .set("p2c", 0);
  CHECK(attend(*bare.make(), 2, 1, {3}, {0}).scores[0] == 6);
  const auto keys = Values(bare).set("c2p", 1).give("keys", {10, 20, 30, 40}).make();
  CHECK(attend(*keys, 2, 1, {3}, {0}).scores[0] == 6 + 2 * 40);
}

TEST_CASE("deberta: the scale counts the terms") {
  struct Row {
    double c2p, p2c, p2p, terms;
  };
  for (const Row row : {Row{0, 0, 0, 1}, {1, 0, 0, 2}, {1, 1, 0, 3}, {0, 0, 1, 2}, {1, 1, 1, 4}}) {
    const auto encoding =
        given().set("c2p", row.c2p).set("p2c", row.p2c).set("p2p", row.p2p).make();
    CHECK(encoding->score_scale(64) == doctest::Approx(1 / std::sqrt(64 * row.terms)));
  }
}

TEST_CASE("deberta: buckets of versions 2 and 3 stay apart up to half, then grow") {
  const auto encoding = Values("deberta")
                            .set("heads", 1)
                            .set("headDim", 1)
                            .set("buckets", 256)
                            .give("keys", std::vector<float>(512))
                            .give("queries", std::vector<float>(512))
                            .make();
  struct Row {
    std::int64_t distance, bucket;
  };
  // 128 + ⌈127 · ln(distance/128) / ln(511/128)⌉ of version 3's 256 buckets and 512 positions.
  for (const Row row : {Row{0, 0},
                        {-1, -1},
                        {128, 128},
                        {-128, -128},
                        {129, 129},
                        {256, 192},
                        {-256, -192},
                        {511, 255},
                        {-511, -255},
                        {100000, 255},
                        {-100000, -255}}) {
    CAPTURE(row.distance);
    CHECK(encoding->content()->row(row.distance) - 256 == row.bucket);
  }
}

TEST_CASE("deberta: what does not fit is refused") {
  const std::vector<float> two(2);
  struct Row {
    Values values;
    const char* fault;
  };
  const char* const size = "keys: heads · 2 · span · headDim numbers";
  const Row rows[] = {
      {given().give("keys", two), size},
      {given().set("maxDistance", 64).set("buckets", 4), size},
      {given().give("queries", two), "queries: heads · 2 · span · headDim numbers"},
      {given().give("keys", std::vector<float>{}), "keys: given for c2p and p2p"},
      {given().give("queries", std::vector<float>{}), "queries: given for p2c and p2p"},
      {given().set("buckets", 1), "buckets: 0, or at least 2"},
      {given().set("buckets", 2), "maxDistance: more than buckets / 2 + 1"},
      {given().set("maxDistance", 3).set("buckets", 2), ""},
  };
  for (const Row& row : rows) CHECK(row.values.fault() == row.fault);
}

}  // namespace
}  // namespace posenc::test
