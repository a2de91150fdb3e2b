// RoPE over several axes: blocks of axes, spectra and coordinates, trained frequencies.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr double kPi = std::numbers::pi;

double choice(const char* option, const char* word) { return choice_of("rope_nd", option, word); }

/// Angle of each pair at a position, modulo 2π.
std::vector<double> angles(const Encoding& encoding, const std::vector<std::int32_t>& position) {
  const Rotate& rotate = *encoding.rotate();
  const auto count = static_cast<std::size_t>(rotate.table_width());
  std::vector<float> cos(count);
  std::vector<float> sin(count);
  rotate.table(Side::query, {position.data(), 1, static_cast<int>(position.size())}, cos.data(),
               sin.data());
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(std::atan2(sin[i], cos[i]));
  return out;
}

void check_angles(const Options& options, const std::vector<std::int32_t>& position,
                  const std::vector<double>& expected) {
  const auto actual = angles(*made("rope_nd", options), position);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(std::remainder(actual[i] - expected[i], 2 * kPi)) < 1e-6);
  }
}

TEST_CASE("each axis turns its own block of pairs") {
  check_angles({{"headDim", 8}}, {3, 5}, {3, 0.03, 5, 0.05});
  check_angles({{"headDim", 13}, {"axes", 3}}, {1, 2, 3}, {1, 0.01, 2, 0.02, 3, 0.03});
  // FLUX: 16, 56 and 56 dimensions; here in small.
  check_angles({{"headDim", 10}, {"axes", 3}, {"axisDims", kept<double>({2, 4, 4})}}, {1, 2, 3},
               {1, 2, 0.02, 3, 0.03});
  check_angles({{"headDim", 8}, {"base", 100}, {"spectrum", choice("spectrum", "shared")}}, {3, 5},
               {3, 3 * std::pow(100, -0.5), 5 * std::pow(100, -0.25), 5 * std::pow(100, -0.75)});
}

TEST_CASE("pixel frequencies are sequences from π to π·maxFrequency/2") {
  check_angles({{"headDim", 12},
                {"axes", 1},
                {"maxFrequency", 10},
                {"spectrum", choice("spectrum", "linear")}},
               {1}, {kPi, 1.8 * kPi, 2.6 * kPi, 3.4 * kPi, 4.2 * kPi, 5 * kPi});
  check_angles({{"headDim", 6},
                {"axes", 1},
                {"maxFrequency", 8},
                {"spectrum", choice("spectrum", "logarithmic")}},
               {1}, {kPi, 2 * kPi, 4 * kPi});
  check_angles({{"headDim", 2}, {"axes", 1}, {"spectrum", choice("spectrum", "linear")}}, {1},
               {kPi});
}

TEST_CASE("coordinates of a grid") {
  const auto with = [](const char* word) {
    return Options{{"headDim", 4},
                   {"coordinates", choice("coordinates", word)},
                   {"sizes", kept<double>({5, 1})},
                   {"referenceSizes", kept<double>({10, 3})},
                   {"gridOffset", 0.5}};
  };
  check_angles(with("endpoints"), {0, 0}, {-1, -1});
  check_angles(with("endpoints"), {4, 0}, {1, -1});
  check_angles(with("endpoints"), {1, 0}, {-0.5, -1});
  check_angles(with("centres"), {0, 0}, {-1.6 * kPi, 0});
  check_angles(with("centres"), {2, 0}, {0, 0});
  check_angles(with("reference"), {3, 0}, {7, 1.5});
  check_angles(with("index"), {3, 2}, {3, 2});
}

TEST_CASE("one axis turns by the bits of rope") {
  const std::vector<float> x = random_floats(64, 1);
  for (const double layout : {0, 1}) {
    const Options options = {{"headDim", 64}, {"layout", layout}};
    Options one = options;
    one.emplace_back("axes", 1);
    CHECK(bit_differences(turned(*made("rope_nd", one), x, {123457}),
                          turned(*made("rope", options), x, {123457})) == "");
  }
}

TEST_CASE("axis-half: each axis turns halves of its own block (Gemma 4's vision encoder)") {
  // Each block is rope of its own. Gemma 4: base 100, the column first; here 72 and 24 dimensions.
  for (const auto& size : {std::pair{72, 2}, std::pair{24, 3}, std::pair{26, 3}}) {
    const int head_dim = size.first;
    const int axes = size.second;
    CAPTURE(head_dim);
    const int block = 2 * (head_dim / (2 * axes));
    const auto encoding = made("rope_nd", {{"headDim", head_dim},
                                           {"axes", axes},
                                           {"base", 100},
                                           {"layout", choice("layout", "axis-half")}});
    const auto rope = made("rope", {{"headDim", block}, {"base", 100}});
    const std::vector<float> x = random_floats(head_dim, 5);
    const std::vector<std::int32_t> all = {41, 7, 3};
    const std::vector<std::int32_t> position(all.begin(), all.begin() + axes);
    std::vector<float> expected;
    for (int axis = 0; axis < axes; ++axis) {
      const auto own = part(x, axis * block, block);
      const auto y =
          turned(*rope, {own.begin(), own.end()}, {position[static_cast<std::size_t>(axis)]});
      expected.insert(expected.end(), y.begin(), y.end());
    }
    for (std::size_t d = expected.size(); d < x.size(); ++d) expected.push_back(x[d]);  // the rest
    const auto y = turned(*encoding, x, position, {.axes = axes});
    CHECK(differences(y, std::span<const float>(expected), {1e-6, 0}) == "");
    const auto back = turned(*encoding, y, position, {.axes = axes, .inverse = true});
    CHECK(differences(back, std::span<const float>(x), {1e-6, 0}) == "");
  }
}

TEST_CASE("axis-half needs blocks, all of one size") {
  const double layout = choice("layout", "axis-half");
  const Refusal unequal =
      refusal("rope_nd", {{"headDim", 12}, {"axisDims", kept<double>({4, 8})}, {"layout", layout}});
  CHECK(std::string(unequal.option) == "axisDims");
  CHECK(std::string(unequal.rule) == "equal for the layout axis-half");
  const Refusal mixed = refusal(
      "rope_nd", {{"headDim", 8}, {"mixed", kept(random_floats(8, 1))}, {"layout", layout}});
  CHECK(std::string(mixed.option) == "mixed");
  CHECK(std::string(mixed.rule) == "not with the layout axis-half");
}

/// Scores of two queries and keys on a grid depend on differences of rows and of columns.
void check_relative(const Encoding& encoding, std::int64_t heads) {
  const std::vector<float> q = random_floats(heads * 20, 2);
  const std::vector<float> k = random_floats(heads * 20, 3);
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto score = [&](std::int32_t row, std::int32_t column) {
      const auto a = turned(encoding, q, {row + 3, column - 2}, {.axes = 2, .heads = heads});
      const auto b = turned(encoding, k, {row, column}, {.axes = 2, .heads = heads});
      return dot(part(a, head * 20, 20), part(b, head * 20, 20));
    };
    CHECK(score(100, -40) == doctest::Approx(score(0, 0)).epsilon(1e-5).scale(10));
  }
}

TEST_CASE("trained frequencies: every pair knows every axis, every head has its own") {
  // (axes, heads, pairs) = (2, 3, 10)
  std::vector<float> mixed = random_floats(60, 4);
  const auto make = [](const std::vector<float>& trained) {
    return made("rope_nd",
                {{"headDim", 20}, {"heads", 3}, {"layout", 0}, {"mixed", kept(trained)}});
  };
  const auto encoding = make(mixed);
  CHECK(encoding->frequencies().empty());
  const auto actual = angles(*encoding, {7, -4});
  for (std::size_t i = 0; i < 30; ++i) {
    const double expected = 7.0 * mixed[i] - 4.0 * mixed[30 + i];
    CHECK(std::abs(std::remainder(actual[i] - expected, 2 * kPi)) < 1e-6);
  }
  check_relative(*encoding, 3);
  check_relative(*made("rope_nd", {{"headDim", 20}}), 2);

  // Heads as if each were alone.
  const std::vector<float> x = random_floats(3 * 2 * 20, 5);
  const std::vector<std::int32_t> positions = {7, -4, 100, 30};
  const auto all = turned(*encoding, x, positions, {.axes = 2, .heads = 3});
  for (std::int64_t head = 0; head < 3; ++head) {
    std::vector<float> own;
    for (const std::int64_t axis : {0, 1}) {
      const auto taken = part(mixed, (axis * 3 + head) * 10, 10);
      own.insert(own.end(), taken.begin(), taken.end());
    }
    const auto alone = made("rope_nd", {{"headDim", 20}, {"layout", 0}, {"mixed", kept(own)}});
    const auto rows = part(x, head * 40, 40);
    CHECK(bit_differences(turned(*alone, {rows.begin(), rows.end()}, positions, {.axes = 2}),
                          part(all, head * 40, 40)) == "");
  }
  CHECK(differences(turned(*encoding, all, positions, {.axes = 2, .heads = 3, .inverse = true}),
                    std::span<const float>(x), {1e-6, 0}) == "");

  for (const int head : {0, 2}) {
    check_turn_grad(mixed, {.head = head, .axes = 2, .positions = {1, 0, 2, -3, 0, 4}}, make);
  }
}

TEST_CASE("heads of attention read their own tables") {
  const auto encoding =
      made("rope_nd",
           {{"headDim", 6}, {"axes", 1}, {"heads", 4}, {"mixed", kept(random_floats(12, 6))}});
  AttentionCase c;
  c.heads = c.kv_heads = 4;
  c.queries = 40;
  c.keys = 100;
  c.head_dim = 6;
  c.fill(7);
  c.encodings = {encoding.get()};
  Reference reference;
  reference.turn = [&](Side, int head, std::span<const float> row, std::int64_t position) {
    std::vector<float> rows(24, 0.0F);
    std::copy(row.begin(), row.end(), rows.begin() + head * 6);
    const auto y = turned(*encoding, rows, {static_cast<std::int32_t>(position)}, {.heads = 4});
    return widen(part(y, head * 6, 6));
  };
  CHECK(stage_differences(run(c), expected(c, reference)) == "");
}

TEST_CASE("options that do not fit are refused") {
  struct Row {
    Options options;
    const char* option;
  };
  const double sizes = kept<double>({3, 4});
  const Row rows[] = {
      {{{"headDim", 3}}, "headDim"},
      {{{"headDim", 8}, {"axisDims", kept<double>({4})}}, "axisDims"},
      {{{"headDim", 8}, {"axisDims", kept<double>({4, 6})}}, "axisDims"},
      {{{"headDim", 8}, {"axisDims", kept<double>({3, 5})}}, "axisDims"},
      {{{"headDim", 8}, {"axisDims", kept<double>({2, 4})}, {"spectrum", 1}}, "axisDims"},
      {{{"headDim", 8}, {"coordinates", 1}}, "sizes"},
      {{{"headDim", 8}, {"coordinates", 3}, {"sizes", sizes}}, "referenceSizes"},
      {{{"headDim", 8}, {"heads", 2}}, "heads"},
      {{{"headDim", 8}, {"mixed", kept(random_floats(7, 1))}}, "mixed"},
      {{{"headDim", 8}, {"mixed", kept(random_floats(10, 1))}}, "mixed"},
      {{{"headDim", 8}, {"mixed", kept(random_floats(8, 1))}, {"axisDims", kept<double>({4, 4})}},
       "axisDims"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.option);
    CHECK(std::string(refusal("rope_nd", row.options).option) == row.option);
  }
  CHECK_FALSE(knows(*made("rope_nd", {{"headDim", 8}}), {1, 2}));
}

}  // namespace
}  // namespace posenc::test
