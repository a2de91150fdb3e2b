// CoPE: counts by hand, and the order of keys that it needs.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "attention/rows.hpp"
#include "one_number.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

constexpr float kOpen = 100;  // σ(±100) is 1 or 0 to float precision

Values given(std::vector<float> vectors) {
  return Values("cope").set("headDim", 1).give("vectors", std::move(vectors));
}

TEST_CASE("cope: a query counts the open gates back to a key, itself included") {
  const auto encoding = given({0, 10, 20, 30}).make();
  // Gates 1, 0, 1, 1, 0, 1: counts from the right 4, 3, 3, 2, 1, 1, of which 3 is the last row.
  const float o = kOpen;
  const auto scores = attend(*encoding, 1, 5, {o, -o, o, o, -o, o}, {0, 1, 2, 3, 4, 5}).scores;
  CHECK(scores == std::vector<float>{o + 30, -o + 30, o + 30, o + 20, -o + 10, o + 10});
}

TEST_CASE("cope: between whole counts, vectors are interpolated") {
  // Scores of 0 are gates of one half: counts 1.5, 1, 0.5.
  const auto encoding = given({0, 10, 40}).make();
  CHECK(attend(*encoding, 1, 2, {0, 0, 0}, {0, 1, 2}).scores == std::vector<float>{25, 10, 5});
}

TEST_CASE("cope: what a query cannot see opens no gate") {
  AttentionCase c;
  c.head_dim = c.value_dim = 1;
  c.queries = 1;
  c.keys = 4;
  c.fill(1);
  c.query = {1};
  c.key = {kOpen, kOpen, std::numeric_limits<float>::quiet_NaN(), kOpen};
  c.key_mask = {1, 1, 0, 1};
  c.query_positions = {1};
  c.key_positions = {0, 1, -99, 2};
  c.causal = true;
  c.scale = 1.0F;
  const auto encoding = given({0, 10, 20, 30}).make();
  c.encodings = {encoding.get()};
  const auto logits = run(c).logits;
  CHECK(logits[0] == kOpen + 20);
  CHECK(logits[1] == kOpen + 10);
}

TEST_CASE("cope: only the gates see the scale, not the vectors") {
  const auto encoding = given({0, 8}).make();
  AttentionCase c;
  c.head_dim = c.value_dim = 1;
  c.fill(1);
  c.query = {3};
  c.key = {4};
  c.scale = 0.5F;
  c.encodings = {encoding.get()};
  const double gate = 1 / (1 + std::exp(-6.0));
  CHECK(run(c).scores[0] == doctest::Approx(6 + gate * 24));
}

TEST_CASE("cope: keys out of order are refused") {
  const auto encoding = given({0, 10}).make();
  CHECK(attend(*encoding, 1, 2, {0, 0}, {1, 0}).status == Status::unsupported);
  CHECK(attend(*encoding, 1, 2, {0, 0}, {0, 0}).status == Status::ok);
  // Across blocks as well; the order of padding does not matter.
  AttentionCase c;
  c.head_dim = c.value_dim = 1;
  c.keys = kKeyBlock + 2;
  c.fill(1);
  c.encodings = {encoding.get()};
  CHECK(run(c).status == Status::ok);
  c.key_positions[static_cast<std::size_t>(kKeyBlock)] = 5;
  CHECK(run(c).status == Status::unsupported);
  c.key_mask.assign(static_cast<std::size_t>(c.keys), 1);
  c.key_mask[static_cast<std::size_t>(kKeyBlock)] = 0;
  CHECK(run(c).status == Status::ok);
}

TEST_CASE("cope: what does not fit is refused") {
  const std::string size = "vectors: counts · headDim numbers, per head or once";
  CHECK(given({1, 2, 3}).set("headDim", 2).fault() == size);
  CHECK(given({1, 2, 3}).set("heads", 2).fault() == size);
  CHECK(given({}).fault() == size);
  CHECK(given({1, 2, 3}).set("heads", 3).fault() == "");
}

}  // namespace
}  // namespace posenc::test
