// Biases of image windows: which cell of the table a pair of tokens meets, and how the perceptron
// of Swin V2 fills the cells.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "made.hpp"
#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

struct Token {
  std::int32_t y, x;
};

float bias(const Encoding& encoding, int head, Token query, Token key) {
  float out = kUnwritten;
  encoding.bias()->row(head, {&query.y, 1, 2}, {&key.y, 1, 2}, &out);
  return out;
}

/// Swin with one head whose table holds the cells' own numbers.
struct Cells {
  Cells(int height, int width)
      : table(own_numbers((2 * height - 1) * (2 * width - 1))),
        encoding(make_encoding(
            "swin", {1, static_cast<double>(height), static_cast<double>(width), table.value()})) {}

  static std::vector<float> own_numbers(int cells) {
    std::vector<float> own;
    for (int c = 0; c < cells; ++c) own.push_back(static_cast<float>(c));
    return own;
  }
  int of(Token query, Token key) const { return static_cast<int>(bias(*encoding, 0, query, key)); }

  Tensor table;
  std::unique_ptr<Encoding> encoding;
};

TEST_CASE("the cells of a window of 2 × 2 are those of the paper's code") {
  const Cells cells(2, 2);
  const int expected[4][4] = {{4, 3, 1, 0}, {5, 4, 2, 1}, {7, 6, 4, 3}, {8, 7, 5, 4}};
  for (int m = 0; m < 4; ++m) {
    for (int n = 0; n < 4; ++n) {
      CHECK(cells.of({m / 2, m % 2}, {n / 2, n % 2}) == expected[m][n]);
    }
  }
}

TEST_CASE("heads are the columns of the table") {
  const Tensor table(std::vector<float>{1, 2, 3});
  const auto encoding = make_encoding("swin", {3, 1, 1, table.value()});
  for (int head = 0; head < 3; ++head) {
    CHECK(bias(*encoding, head, {0, 0}, {0, 0}) == static_cast<float>(head + 1));
  }
}

TEST_CASE("what lies beyond a window counts as its edge") {
  const Cells cells(2, 3);
  CHECK(cells.of({5, 0}, {0, 0}) == cells.of({1, 0}, {0, 0}));
  CHECK(cells.of({0, 0}, {0, kMaxPosition}) == cells.of({0, 0}, {0, 2}));
  CHECK(cells.of({-kMaxPosition, 0}, {kMaxPosition, 0}) == cells.of({0, 0}, {1, 0}));
}

/// Swin V2 with one head and one unit that passes on y or x.
struct Coordinate {
  Coordinate(bool of_x, double size, double pretrained)
      : w1(of_x ? std::vector<float>{0, 1} : std::vector<float>{1, 0}),
        encoding(make_encoding("swin_cpb", {1, size, size, pretrained, pretrained, 1, w1.value(),
                                            zero.value(), one.value()})) {}
  /// The coordinate that the perceptron gets, of positive ones.
  double of(Token query, Token key) const {
    const double share = static_cast<double>(bias(*encoding, 0, query, key)) / 16;
    return std::log(share / (1 - share));
  }

  Tensor one{{1.0F}}, zero{{0.0F}}, w1;
  std::unique_ptr<Encoding> encoding;
};

TEST_CASE("coordinates are logarithms that reach log2(9)/3 at the edge of the trained window") {
  const double edge = std::log2(9.0) / 3;
  for (const bool of_x : {false, true}) {
    const auto apart = [of_x](std::int32_t d) { return of_x ? Token{0, d} : Token{d, 0}; };
    const Coordinate own(of_x, 8, 0);
    CHECK(own.of(apart(7), {0, 0}) == doctest::Approx(edge).epsilon(1e-5));
    CHECK(own.of(apart(0), {0, 0}) == doctest::Approx(0).epsilon(1e-5));
    CHECK(own.of(apart(0), apart(7)) == doctest::Approx(0).epsilon(1e-5));  // negative: no unit
    const Coordinate smaller(of_x, 8, 4);
    CHECK(smaller.of(apart(3), {0, 0}) == doctest::Approx(edge).epsilon(1e-5));
    CHECK(smaller.of(apart(7), {0, 0}) ==
          doctest::Approx(std::log2(1 + 56.0 / 3) / 3).epsilon(1e-5));
  }
}

TEST_CASE("a window of one token has the bias of no distance") {
  const Coordinate single(false, 1, 0);
  CHECK(bias(*single.encoding, 0, {0, 0}, {0, 0}) == 8.0F);
}

TEST_CASE("positions of a single axis are refused, by both windows") {
  const Cells cells(2, 2);
  const Coordinate continuous(false, 2, 0);
  for (const Encoding* encoding : {cells.encoding.get(), continuous.encoding.get()}) {
    CHECK(encoding->domain().axes == 2);
    CHECK_FALSE(knows(*encoding, {0, 1}));
    CHECK(knows(*encoding, {0, 1}, 2));
    AttentionCase c;
    c.queries = c.keys = 4;
    c.fill(1);
    c.encodings = {encoding};
    CHECK(run(c, {.zero_axes = false}).status == Status::position);
    c.axes = 2;
    c.query_positions = c.key_positions = {0, 0, 0, 1, 1, 0, 1, 1};
    CHECK(run(c).status == Status::ok);
  }
}

TEST_CASE("what does not fit is refused") {
  const Tensor nine(std::vector<float>(9));
  const double x = nine.value();
  struct Row {
    const char* encoding;
    std::vector<double> values;
    int parameter;
    const char* rule;
  };
  const Row rows[] = {
      {"swin", {1, 2, 3, x}, 3, "(2·height − 1) · (2·width − 1) · heads numbers"},
      {"swin_cpb", {1, 2, 2, 0, 0, 9, x, x, x}, 6, "2 · hidden numbers"},
  };
  for (const Row& row : rows) {
    auto values = row.values;
    const Fault fault = resolve(*described(row.encoding), values);
    CHECK(fault.parameter == row.parameter);
    CHECK(std::string(fault.rule) == row.rule);
  }
}

}  // namespace
}  // namespace posenc::test
