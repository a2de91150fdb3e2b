// Shaw's relative vectors: values by hand, in attention.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "one_number.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

Values given(double reach) { return Values("shaw").set("headDim", 1).set("maxDistance", reach); }

TEST_CASE("shaw: a query meets each key plus the vector of its place") {
  // Rows: the key comes before, is the same token, comes after.
  const auto encoding = given(1).give("keys", {10, 20, 30}).make();
  struct Row {
    std::int32_t query, key;
    float score;  // 2·(5 + a)
  };
  for (const Row row : {Row{1, 0, 30},
                        {1, 1, 50},
                        {0, 1, 70},
                        {9, 0, 30},
                        {0, 9, 70},
                        {-7, -6, 70},
                        {kMaxPosition, -kMaxPosition, 30}}) {
    CAPTURE(row.query);
    CAPTURE(row.key);
    CHECK(attend(*encoding, 2, row.query, {5}, {row.key}).scores[0] == row.score);
  }
}

TEST_CASE("shaw: the other direction and the term of the key are those of BERT") {
  const auto back = given(1).give("keys", {10, 20, 30}).set("direction", 1);
  const std::vector<std::int32_t> positions = {2, 3, 4};
  CHECK(attend(*back.make(), 2, 3, {5, 5, 5}, positions).scores == std::vector<float>{70, 50, 30});
  // relative_key_query: q·k + q·a + k·a.
  const auto both = Values(back).set("keyTerm", 1).make();
  CHECK(attend(*both, 2, 3, {5, 5, 5}, positions).scores ==
        std::vector<float>{10 + 7 * 30, 10 + 7 * 20, 10 + 7 * 10});
}

TEST_CASE("shaw: values get vectors of their own") {
  // A query of zeros weighs all keys alike.
  const auto encoding = given(1).give("values", {100, 200, 300}).make();
  const auto result = attend(*encoding, 0, 5, {7, 8, 9, 10}, {3, 4, 5, 6}, {1, 2, 3, 4});
  CHECK(result.output[0] == doctest::Approx((101 + 102 + 203 + 304) / 4.0));
  const auto with_keys = given(0).give("values", {100}).give("keys", {-1}).make();
  CHECK(attend(*with_keys, 2, 5, {1, 1}, {0, 1}, {3, 5}).output[0] == doctest::Approx(104));
}

TEST_CASE("shaw: a maxDistance of 0 has one vector, which softmax does not see") {
  const auto encoding = given(0).give("keys", {3}).make();
  CHECK(attend(*encoding, 2, 5, {1, -1}, {0, 9}).scores == std::vector<float>{8, 4});
}

TEST_CASE("shaw: what does not fit is refused") {
  const std::vector<float> three(3);
  struct Row {
    Values values;
    const char* fault;
  };
  const Row rows[] = {
      {Values("shaw").set("headDim", 1), "maxDistance: required"},
      {given(1), "keys: given, unless values are"},
      {given(2).give("keys", three),
       "keys: (2 · maxDistance + 1) · headDim numbers, per head or once"},
      {given(1).give("keys", three).set("heads", 2),
       "keys: (2 · maxDistance + 1) · headDim numbers, per head or once"},
      {given(1).give("values", three).set("valueDim", 2),
       "values: (2 · maxDistance + 1) · valueDim numbers, per head or once"},
      {given(1).give("values", three).set("keyTerm", 1), "keyTerm: false without keys"},
  };
  for (const Row& row : rows) CHECK(row.values.fault() == row.fault);
  CHECK(given(1).give("keys", std::vector<float>(6)).set("heads", 2).fault() == "");

  AttentionCase c;
  c.fill(1);
  const auto values =
      given(1).set("headDim", 8).set("valueDim", 4).give("values", std::vector<float>(12));
  const auto encoding = values.make();
  c.encodings = {encoding.get()};
  CHECK(run(c).status == Status::shape);
  c.value_dim = 4;
  c.fill(1);
  CHECK(run(c).status == Status::ok);
}

}  // namespace
}  // namespace posenc::test
