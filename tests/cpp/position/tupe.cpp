// TUPE: values by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "one_number.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

/// Three positions, one head of one number: logits are products over √2.
Values given() {
  return Values("tupe")
      .set("heads", 1)
      .set("headDim", 1)
      .give("queries", {2, 3, 5})
      .give("keys", {7, 11, 13});
}

/// Biases times √2 of all queries against all keys.
std::vector<double> biases(const Encoding& encoding) {
  std::vector<double> all;
  const auto keys = count_from(0, 3);
  for (std::int32_t query = 0; query < 3; ++query) {
    float row[3];
    encoding.bias()->row(0, {&query, 1}, {keys.data(), 3}, row);
    for (const float x : row) all.push_back(x * std::sqrt(2.0));
  }
  return all;
}

void check(const Values& values, const std::vector<double>& expected) {
  const auto actual = biases(*values.make());
  for (std::size_t i = 0; i < 9; ++i) CHECK(actual[i] == doctest::Approx(expected[i]));
}

TEST_CASE("tupe: positions meet positions, and relative biases are added") {
  check(given(), {14, 22, 26, 21, 33, 39, 35, 55, 65});
  const auto root = static_cast<float>(std::sqrt(2.0));
  // Keys before, at and after the query; distance 2 counts as 1.
  check(given().give("relative", {100 / root, 200 / root, 300 / root}),
        {214, 322, 326, 121, 233, 339, 135, 155, 265});
}

TEST_CASE("tupe: the first token is untied") {
  const auto root = static_cast<float>(std::sqrt(2.0));
  const Values untied =
      given().give("firstToOthers", {-1 / root}).give("othersToFirst", {-2 / root});
  check(untied, {-1, -1, -1, -2, 33, 39, -2, 55, 65});
}

TEST_CASE("tupe: content keeps half of the variance") {
  CHECK(given().make()->score_scale(64) == doctest::Approx(1 / std::sqrt(128.0)));
}

TEST_CASE("tupe: attention refuses positions outside the tables") {
  const auto encoding = given().make();
  for (const std::int32_t outside : {-1, 3, kMaxPosition}) {
    CHECK(attend(*encoding, 1, outside, {1}, {0}).status == Status::position);
    CHECK(attend(*encoding, 1, 0, {1, 1}, {0, outside}).status == Status::position);
  }
  CHECK(attend(*encoding, 1, 2, {1, 1}, {0, 2}).status == Status::ok);
}

TEST_CASE("tupe: what does not fit is refused") {
  CHECK(given().set("headDim", 2).fault() == "queries: heads · rows · headDim numbers");
  CHECK(given().give("keys", {1, 2}).fault() == "keys: as many as queries");
  CHECK(given().give("relative", {1, 2}).fault() == "relative: heads · (an odd count) numbers");
  CHECK(given().give("firstToOthers", {1, 2}).fault() == "firstToOthers: one number per head");
  CHECK(given().give("othersToFirst", {1, 2}).fault() == "othersToFirst: one number per head");
}

}  // namespace
}  // namespace posenc::test
