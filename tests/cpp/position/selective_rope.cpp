// Selective RoPE: sums of angles of tokens.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::unique_ptr<Encoding> selective(double head_dim, double heads,
                                    const std::vector<float>& angles) {
  return made("selective_rope",
              {{"headDim", head_dim}, {"heads", heads}, {"angles", kept(angles)}});
}

TEST_CASE("a token turns by the angles of all tokens up to itself") {
  // (heads, tokens, pairs) = (2, 3, 2)
  const std::vector<float> angles = {0.5, 1, 0.25, -1, 2, 4, 0, 0.125, 3, 0, 1, 1};
  const std::vector<double> sums = {0.5, 1, 0.75, 0, 2.75, 4, 0, 0.125, 3, 0.125, 4, 1.125};
  const auto encoding = selective(4, 2, angles);
  const std::vector<float> x = random_floats(2 * 3 * 4, 1);
  const auto y = turned(*encoding, x, {0, 1, 2}, {.heads = 2});
  std::vector<double> expected;
  for (std::size_t row = 0; row < 6; ++row) {
    const double* sum = sums.data() + row * 2;
    const float* v = x.data() + row * 4;
    expected.push_back(v[0] * std::cos(sum[0]) - v[2] * std::sin(sum[0]));
    expected.push_back(v[1] * std::cos(sum[1]) - v[3] * std::sin(sum[1]));
    expected.push_back(v[2] * std::cos(sum[0]) + v[0] * std::sin(sum[0]));
    expected.push_back(v[3] * std::cos(sum[1]) + v[1] * std::sin(sum[1]));
  }
  CHECK(differences(y, expected, {1e-6, 0}) == "");
}

TEST_CASE("equal angles for every token are rope") {
  AttentionCase c;
  c.heads = 2;
  c.queries = c.keys = 60;
  c.head_dim = 4;
  c.value_dim = 3;
  c.fill(2);
  c.causal = true;
  std::vector<float> angles;
  for (int t = 0; t < 60; ++t) angles.insert(angles.end(), {1.0F, 0.01F});
  const auto encoding = selective(4, 1, angles);
  const auto rope = made("rope", {{"headDim", 4}});
  c.encodings = {rope.get()};
  const auto expected = run(c).output;
  c.encodings = {encoding.get()};
  CHECK(differences(run(c).output, std::span<const float>(expected)) == "");
}

TEST_CASE("sums are exact over many tokens") {
  const auto encoding = selective(2, 1, std::vector<float>(100000, 0.7F));
  const auto y = turned(*encoding, {1, 0}, {99999});
  const double angle = 100000 * static_cast<double>(0.7F);
  CHECK(differences(y, std::vector<double>{std::cos(angle), std::sin(angle)}, {3e-7, 0}) == "");
}

TEST_CASE("positions are rows of the data") {
  const auto encoding = selective(2, 1, {1, 2, 3});
  CHECK(knows(*encoding, {0, 1, 2, 1}));
  CHECK_FALSE(knows(*encoding, {3}));
  CHECK_FALSE(knows(*encoding, {-1}));
  AttentionCase c;
  c.head_dim = 2;
  c.keys = 3;
  c.fill(4);
  c.encodings = {encoding.get()};
  CHECK(run(c).status == Status::ok);
  c.query_positions = {3};
  CHECK(run(c).status == Status::position);
}

TEST_CASE("gradients reach every earlier token") {
  for (const int head : {0, 1}) {
    check_turn_grad(random_floats(2 * 4 * 3, 3), {.head = head, .positions = {0, 3, 2, 2}},
                    [](const std::vector<float>& trained) { return selective(7, 2, trained); });
  }
}

TEST_CASE("options that do not fit are refused") {
  CHECK(std::string(refusal("selective_rope", {{"headDim", 4}}).option) == "angles");
  CHECK(std::string(refusal("selective_rope", {{"headDim", 4}, {"angles", kept<float>({1, 2, 3})}})
                        .option) == "angles");
}

}  // namespace
}  // namespace posenc::test
