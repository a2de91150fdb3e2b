// Transformer-XL: values by hand, in attention.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "one_number.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

constexpr float kU = 3;
constexpr float kV = 4;

Values given(double reach) {
  return Values("transformer_xl")
      .set("heads", 1)
      .set("headDim", 1)
      .set("maxDistance", reach)
      .give("contentBias", {kU})
      .give("positionBias", {kV});
}

TEST_CASE("transformer_xl: (q + u)·k + (q + v)·r by distance") {
  const auto encoding = given(2).give("vectors", {10, 20, 30}).make();
  const auto scores = attend(*encoding, 2, 9, {5, 5, 5, 5, 5}, {9, 8, 7, 6, -1000}).scores;
  CHECK(scores == std::vector<float>{25 + 60, 25 + 120, 25 + 180, 25 + 180, 25 + 180});
}

TEST_CASE("transformer_xl: keys of the future have rows of their own in XLNet") {
  const auto encoding = given(1).set("bidirectional", 1).give("vectors", {10, 20, 30}).make();
  const auto scores = attend(*encoding, 2, 9, {5, 5, 5, 5}, {99, 10, 9, 8}).scores;
  CHECK(scores == std::vector<float>{25 + 60, 25 + 60, 25 + 120, 25 + 180});
}

TEST_CASE("transformer_xl: r is a projected sinusoid, sines first") {
  // Two heads of one number, width 4: w = 1, 1/100.
  const auto encoding = Values("transformer_xl")
                            .set("heads", 2)
                            .set("headDim", 1)
                            .set("maxDistance", 3)
                            .give("contentBias", {0, 0})
                            .give("positionBias", {0, 0})
                            .give("projection", {1, 10, 100, 1000, 0, 0, 0, 1})
                            .make();
  for (int distance = 0; distance <= 3; ++distance) {
    const double d = distance;
    const double first =
        std::sin(d) + 10 * std::sin(d / 100) + 100 * std::cos(d) + 1000 * std::cos(d / 100);
    const Content& content = *encoding->content();
    CHECK(content.query_vectors(0)[content.row(distance)] == doctest::Approx(first).epsilon(1e-6));
    CHECK(content.query_vectors(1)[content.row(distance)] ==
          doctest::Approx(std::cos(d / 100)).epsilon(1e-6));
  }
}

TEST_CASE("transformer_xl: a segment memory is keys with earlier positions") {
  AttentionCase c;
  c.queries = c.keys = 12;
  c.heads = c.kv_heads = 2;
  c.fill(3);
  c.causal = true;
  const auto encoding = Values("transformer_xl")
                            .set("heads", 2)
                            .set("headDim", 8)
                            .set("maxDistance", 12)
                            .give("contentBias", random_floats(16, 1))
                            .give("positionBias", random_floats(16, 2))
                            .give("projection", random_floats(16 * 10, 3))
                            .make();
  c.encodings = {encoding.get()};
  const auto whole = run(c);
  // The second segment of 4 tokens at positions 0 … 3, after a memory of 8 at −8 … −1.
  AttentionCase segment = slice(c, 8, 4, 0, 12);
  segment.query_positions = count_from(0, 4);
  segment.key_positions = count_from(-8, 12);
  CHECK(differences(run(segment).output, std::span<const float>(output_rows(c, whole, 8, 4))) ==
        "");
}

TEST_CASE("transformer_xl: what does not fit is refused") {
  const std::vector<float> two(2);
  struct Row {
    Values values;
    const char* fault;
  };
  const Row rows[] = {
      {given(1), "projection: given, or vectors instead"},
      {given(1).give("vectors", two).give("projection", two),
       "projection: given, or vectors instead"},
      {given(1).give("projection", {1, 2, 3}),
       "projection: heads · headDim · (an even width) numbers"},
      {given(2).give("vectors", two), "vectors: heads · rows · headDim numbers"},
      {given(1).give("vectors", two).set("bidirectional", 1),
       "vectors: heads · rows · headDim numbers"},
      {given(1).give("vectors", two).give("contentBias", two),
       "contentBias: heads · headDim numbers"},
      {given(1).give("vectors", two).give("positionBias", std::vector<float>{}),
       "positionBias: heads · headDim numbers"},
      {given(1).give("vectors", two), ""},
  };
  for (const Row& row : rows) CHECK(row.values.fault() == row.fault);
}

}  // namespace
}  // namespace posenc::test
