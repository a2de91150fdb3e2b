// Counting by gates on the way back, by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "position/gates.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

struct Gradients {
  std::vector<float> scores, by_count;
};

/// `kept` numbers lie between those of one key and the next.
Gradients backward(const std::vector<float>& scores, const std::vector<float>& by_count,
                   const std::vector<float>& d_out, std::size_t stride = 1) {
  const auto spread = [&](const std::vector<float>& x) {
    std::vector<float> out(x.size() * stride, kUnwritten);
    for (std::size_t i = 0; i < x.size(); ++i) out[i * stride] = x[i];
    return out;
  };
  const auto s = spread(scores);
  const auto d = spread(d_out);
  std::vector<float> d_scores(s.size(), kUnwritten);
  Gradients out{{}, std::vector<float>(by_count.size(), 1.0F)};
  gated_row_grad({.keys = static_cast<std::int64_t>(scores.size()),
                  .rows = static_cast<std::int64_t>(by_count.size()),
                  .stride = static_cast<std::int64_t>(stride),
                  .scores = s.data(),
                  .by_count = by_count.data(),
                  .d_out = d.data()},
                 d_scores.data(), out.by_count.data());
  for (std::size_t i = 0; i < d_scores.size(); ++i) {
    if (i % stride == 0) {
      out.scores.push_back(d_scores[i]);
    } else {
      CHECK(d_scores[i] == kUnwritten);
    }
  }
  return out;
}

TEST_CASE("gates: where a sum lies between the rows") {
  struct Row {
    double sum;
    std::int64_t below, above;
    float part;
  };
  for (const Row row : {Row{0, 0, 1, 0},
                        {0.25, 0, 1, 0.25F},
                        {1, 1, 2, 0},
                        {1.5, 1, 2, 0.5F},
                        {2, 2, 2, 0},
                        {9.5, 2, 2, 0}}) {
    const GateCount count(row.sum, 2);
    CHECK(count.below == row.below);
    CHECK(count.above == row.above);
    CHECK(count.part == row.part);
  }
  CHECK(GateCount(0.5, 0).above == 0);
}

TEST_CASE("gates: a score opens the gates of all keys up to its own") {
  // Gates of one half: counts 1.5, 1, 0.5. Slopes of a at these: 30, 30, 10.
  const std::vector<float> by_count = {0, 10, 40};
  for (const std::size_t stride : {1U, 3U}) {
    const auto d = backward({0, 0, 0}, by_count, {1, 2, 4}, stride);
    CHECK(d.scores ==
          std::vector<float>{1 + 0.25F * 30, 2 + 0.25F * (30 + 60), 4 + 0.25F * (30 + 60 + 40)});
    CHECK(d.by_count == std::vector<float>{1 + 2, 1 + 0.5F + 2 + 2, 1 + 0.5F});
  }
}

TEST_CASE("gates: the last row has no slope") {
  const auto d = backward({0, 0, 0}, {5, 9}, {1, 2, 4});
  // Counts 1, 1, 0.5: only the last key's count grows.
  CHECK(d.scores == std::vector<float>{1, 2, 4 + 0.25F * 16});
  CHECK(d.by_count == std::vector<float>{1 + 2, 1 + 1 + 2 + 2});
}

TEST_CASE("gates: what is hidden has no part, and does not see what is not a number") {
  const auto d = backward({0, kHidden, 0}, {0, 10, 40}, {1, 0, 4});
  CHECK(d.scores == std::vector<float>{1 + 0.25F * 30, 0, 4 + 0.25F * (30 + 40)});
  const float nan = std::nanf("");
  const auto bad = backward({nan, kHidden, 0}, {0, 10, 40}, {nan, 0, 4});
  CHECK(std::isnan(bad.scores[0]));
  CHECK(bad.scores[1] == 0);
}

}  // namespace
}  // namespace posenc::test
