// M-RoPE: which axis turns which pair, text, what is refused.
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

enum : std::uint8_t { kChunked, kInterleaved };

/// The axis of every pair, by turning along one axis at a time.
std::string axes_of(const Encoding& encoding, int axes) {
  const Rotate& rotate = *encoding.rotate();
  const auto pairs = static_cast<std::size_t>(rotate.rotary_dim() / 2);
  std::string names(pairs, '?');
  for (int axis = 0; axis < axes; ++axis) {
    std::vector<std::int32_t> position(static_cast<std::size_t>(axes), 0);
    position[static_cast<std::size_t>(axis)] = 1000;
    std::vector<float> cos(pairs);
    std::vector<float> sin(pairs);
    rotate.table(Side::query, {position.data(), 1, axes}, cos.data(), sin.data());
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = 1000 * encoding.frequencies()[i];
      if (std::abs(sin[i] - std::sin(angle)) > 1e-6) continue;
      names[i] = names[i] == '?' ? "THW"[axis] : '!';
    }
  }
  return names;
}

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST_CASE("sections are chunks, or dealt out in turn up to their size (vllm-gaudi#1437)") {
  const auto axes = [](double pairs, const std::vector<double>& sections, double order) {
    return axes_of(
        *made("mrope",
              {{"headDim", 2 * pairs},
               {"sections", kept(sections)},
               {"order", order},
               {"frequencies", kept(std::vector<double>(static_cast<std::size_t>(pairs), 0.7))}}),
        3);
  };
  CHECK(axes(64, {16, 24, 24}, kChunked) ==
        repeated("T", 16) + repeated("H", 24) + repeated("W", 24));
  CHECK(axes(64, {24, 20, 20}, kInterleaved) == repeated("THW", 20) + "TTTT");
  CHECK(axes(8, {4, 2, 2}, kInterleaved) == "THWTHWTT");
  CHECK(axes(4, {2, 1, 1}, kChunked) == "TTHW");
}

TEST_CASE("text is turned by the same bits as by rope (ml-explore/mlx-lm#1768)") {
  const std::vector<float> x = random_floats(2 * 5 * 128, 1);
  const std::vector<std::int32_t> positions = {0, 1, 77, 5000, 1 << 24};
  std::vector<std::int32_t> three;
  for (const std::int32_t p : positions) three.insert(three.end(), {p, p, p});
  for (const double layout : {0, 1}) {
    const Options options = {{"headDim", 128}, {"base", 5e6}, {"layout", layout}};
    const auto expected = turned(*made("rope", options), x, positions, {.heads = 2});
    for (const double order : {kChunked, kInterleaved}) {
      Options with_sections = options;
      with_sections.emplace_back("sections", kept<double>({24, 20, 20}));
      with_sections.emplace_back("order", order);
      const auto encoding = made("mrope", with_sections);
      CHECK(bit_differences(turned(*encoding, x, three, {.axes = 3, .heads = 2}), expected) == "");
      CHECK(bit_differences(turned(*encoding, x, positions, {.heads = 2}), expected) == "");
    }
  }
}

TEST_CASE("scaled frequencies and a factor reach the table") {
  const auto encoding = made("mrope", {{"headDim", 4},
                                       {"sections", kept<double>({1, 1})},
                                       {"frequencies", kept<double>({0.5, 0.25})},
                                       {"attentionFactor", 2}});
  const std::vector<std::int32_t> position = {3, 8};
  const auto y = turned(*encoding, {1, 1, 0, 0}, position, {.axes = 2});
  CHECK(differences(y,
                    std::vector<double>{2 * std::cos(1.5), 2 * std::cos(2.0), 2 * std::sin(1.5),
                                        2 * std::sin(2.0)},
                    {1e-6, 0}) == "");
  CHECK(encoding->attention_factor() == 2);
}

TEST_CASE("positions need a coordinate per section, or one for all") {
  const auto encoding = made("mrope", {{"headDim", 8}, {"sections", kept<double>({2, 1, 1})}});
  CHECK(knows(*encoding, {1, 2, 3}, 1));
  CHECK_FALSE(knows(*encoding, {1, 2, 3, 4}, 2));
  CHECK(knows(*encoding, {1, 2, 3}, 3));
  CHECK(knows(*encoding, {1, 2, 3, 4}, 4));
}

TEST_CASE("attention passes coordinates on, and refuses too few") {
  const auto encoding = made("mrope", {{"headDim", 8}, {"sections", kept<double>({2, 1, 1})}});
  const auto alibi = made("alibi", {{"heads", 1}});
  AttentionCase c;
  c.keys = 3;
  c.fill(2);
  c.encodings = {encoding.get(), alibi.get()};
  CHECK(run(c).status == Status::ok);

  AttentionCase image = c;
  image.axes = 3;
  image.query_positions = {2, 5, 7};
  image.key_positions = {0, 0, 0, 1, 1, 4, 1, 2, 3};
  const auto result = run(image);
  const auto q = turned(*encoding, c.query, image.query_positions, {.axes = 3});
  const auto k = turned(*encoding, c.key, image.key_positions, {.axes = 3});
  for (std::int64_t n = 0; n < 3; ++n) {
    CHECK(result.scores[static_cast<std::size_t>(n)] ==
          doctest::Approx(static_cast<double>(c.scale) * dot(q, part(k, n * 8, 8))).epsilon(1e-5));
  }

  image.axes = 2;
  image.query_positions.resize(2);
  image.key_positions.resize(6);
  CHECK(run(image).status == Status::position);
}

TEST_CASE("sections that do not fit are refused") {
  const auto rule = [](const std::vector<double>& sections, double order = kChunked) {
    const Refusal refused =
        refusal("mrope", {{"headDim", 16}, {"sections", kept(sections)}, {"order", order}});
    CHECK(std::string(refused.option) == "sections");
    return std::string(refused.rule);
  };
  CHECK(rule({}) == "one number per axis, 1 to 8 axes");
  CHECK(rule({4, 2, 1}) == "rotaryDim / 2 in all");
  CHECK(rule({4, 2.5, 1.5}) == "whole numbers");
  CHECK(rule({-1, 4, 5}) == "numbers within their range");
  CHECK(rule({2, 2, 4}, kInterleaved) == "no axis larger than the first");
  CHECK(std::string(refusal("mrope", {{"headDim", 16}}).option) == "sections");
}

}  // namespace
}  // namespace posenc::test
