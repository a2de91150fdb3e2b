// ALiBi: slopes in the paper's order, and biases by position.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "position/registry.hpp"
#include "reference.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::unique_ptr<Encoding> alibi(int heads) {
  const auto index = static_cast<std::size_t>(find_encoding("alibi"));
  std::vector<double> values = {static_cast<double>(heads)};
  REQUIRE(resolve(*registry()[index], values).status == Status::ok);
  return registry()[index]->make(values);
}

std::vector<float> bias_row(const Encoding& encoding, int head, std::int32_t query,
                            const std::vector<std::int32_t>& keys) {
  std::vector<float> out(keys.size(), kUnwritten);
  encoding.bias()->row(head, query, {keys.data(), static_cast<std::int64_t>(keys.size())},
                       out.data());
  return out;
}

std::vector<float> slopes(int heads) {
  const auto encoding = alibi(heads);
  std::vector<float> out;
  for (int h = 0; h < heads; ++h) out.push_back(-bias_row(*encoding, h, 0, {1})[0]);
  return out;
}

TEST_CASE("slopes are those of the paper, in its order") {
  struct Row {
    int heads;
    std::vector<double> slopes;
  };
  // ml-explore/mlx#343: 2^(−8(h+1)/H) for H = 12 is wrong. paiml/aprender#2143: the first slope is
  // not 1. huggingface/transformers#28380: six heads.
  const Row rows[] = {
      {1, {.00390625}},
      {2, {.0625, .00390625}},
      {3, {.0625, .00390625, .25}},
      {4, {.25, .0625, .015625, .00390625}},
      {6, {.25, .0625, .015625, .00390625, .5, .125}},
      {8, {.5, .25, .125, .0625, .03125, .015625, .0078125, .00390625}},
      {12,
       {.5, .25, .125, .0625, .03125, .015625, .0078125, .00390625, .70710678, .35355339, .17677670,
        .08838835}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.heads);
    CHECK(differences(slopes(row.heads), row.slopes, {0, 1e-7}) == "");
  }
}

TEST_CASE("slopes of any number of heads are those of the authors' recursion") {
  for (int heads = 1; heads <= 200; ++heads) {
    CAPTURE(heads);
    CHECK(differences(slopes(heads), alibi_slopes(heads), {0, 1e-6}) == "");
  }
  CHECK(differences(slopes(4096), alibi_slopes(4096), {0, 1e-6}) == "");
}

TEST_CASE("the bias falls with the distance, on both sides") {
  const auto encoding = alibi(1);  // slope 2^-8
  const auto row = bias_row(*encoding, 0, 3, {0, 1, 2, 3, 4, 5});
  const double a = 1.0 / 256;
  CHECK(differences(row, std::vector<double>{-3 * a, -2 * a, -a, 0, -a, -2 * a}, {0, 0}) == "");
}

TEST_CASE("queries that are the last of the keys have the bias |i + Tk − Tq − j|") {
  // Dao-AILab/flash-attention#907: training and inference took different corners.
  const auto encoding = alibi(2);
  for (std::int32_t i = 0; i < 2; ++i) {
    const auto row = bias_row(*encoding, 1, i + 5 - 2, count_from(0, 5));
    for (std::int32_t j = 0; j < 5; ++j) {
      CHECK(row[static_cast<std::size_t>(j)] == -0.00390625 * std::abs(i + 5 - 2 - j));
    }
  }
}

TEST_CASE("padding counts only through positions (BLOOM, huggingface/transformers#17866)") {
  // Mask 0 0 1 1 1 gives the real tokens the positions 0, 1, 2; up to a constant of the row the
  // bias is slope·position.
  const auto encoding = alibi(1);
  const auto row = bias_row(*encoding, 0, 2, {0, 0, 0, 1, 2});
  const double a = 1.0 / 256;
  CHECK(differences(row, std::vector<double>{-2 * a, -2 * a, -2 * a, -a, 0}, {0, 0}) == "");
}

TEST_CASE("bias by distance and bias by row agree") {
  for (const int heads : {1, 3, 8}) {
    const auto encoding = alibi(heads);
    REQUIRE(encoding->bias()->toeplitz());
    CHECK(encoding->bias()->heads() == heads);
    for (int head = 0; head < heads; ++head) {
      std::vector<float> by_distance(41);
      encoding->bias()->by_distance(head, -20, 41, by_distance.data());
      // Distances −20 … 20 are query 100 against keys 120 … 80.
      std::vector<std::int32_t> keys = count_from(80, 41);
      std::reverse(keys.begin(), keys.end());
      CHECK(bit_differences(by_distance, bias_row(*encoding, head, 100, keys)) == "");
    }
  }
}

TEST_CASE("the largest distance does not overflow") {
  const auto encoding = alibi(1);
  const double farthest = -std::ldexp(1.0, 31) / 256;
  CHECK(bias_row(*encoding, 0, kMaxPosition, {-kMaxPosition})[0] == farthest);
  CHECK(bias_row(*encoding, 0, -kMaxPosition, {kMaxPosition})[0] == farthest);
  float value = 0.0F;
  encoding->bias()->by_distance(0, -2 * std::int64_t{kMaxPosition}, 1, &value);
  CHECK(value == farthest);
}

}  // namespace
}  // namespace posenc::test
