// Members of RoPE's family in other implementations: xPos, several axes, float32 tables.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "golden/golden.hpp"
#include "made.hpp"
#include "position/given_table.hpp"
#include "position/rotation.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

TEST_CASE("golden: mrope") {
  for (const GoldenCase& c : golden("mrope")) {
    if (!c.has("x")) continue;  // a layout: positions are made in TypeScript
    CAPTURE(c.name);
    const auto encoding =
        made("mrope", {{"headDim", static_cast<double>(c.size("x", 3))},
                       {"rotaryDim", c.number("rotary_dim")},
                       {"base", c.number("base")},
                       {"layout", choice_of("mrope", "layout", c.word("layout").c_str())},
                       {"sections", kept(c.numbers.at("sections"))},
                       {"order", choice_of("mrope", "order", c.word("order").c_str())}});
    const auto out = turned(*encoding, c.floats("x"), c.integers("positions"),
                            {.axes = 3, .heads = c.size("x", 1)});
    CHECK(differences(out, c.tensor("rotated").values, {2e-6, 0}) == "");
  }
}

TEST_CASE("golden: onnx_rotary, by tables from outside") {
  for (const GoldenCase& c : golden("onnx_rotary")) {
    CAPTURE(c.name);
    const auto cos = c.floats("cos");
    const auto sin = c.floats("sin");
    const GivenTable table(c.size("x", 3), static_cast<std::int64_t>(c.number("rotary_dim")),
                           c.word("layout") == "half" ? PairLayout::half : PairLayout::interleaved,
                           cos.data(), sin.data());
    auto x = c.floats("x");
    // Every token of every batch entry has a row of its own.
    const auto rows = count_from(0, c.size("cos", 0) * c.size("cos", 1));
    CHECK(rotate_tensor(table, {.x = x.data(),
                                .out = x.data(),
                                .batch = c.size("x", 0),
                                .heads = c.size("x", 1),
                                .tokens = c.size("x", 2),
                                .positions = rows.data(),
                                .positions_per_batch = true,
                                .axes = 1,
                                .side = Side::query,
                                .inverse = false}) == Status::ok);
    CHECK(differences(x, c.tensor("rotated").values) == "");
  }
}

TEST_CASE("golden: rope2d") {
  for (const GoldenCase& c : golden("rope2d")) {
    CAPTURE(c.name);
    const auto word = [&](const char* option) {
      return choice_of("rope_nd", option, c.word(option).c_str());
    };
    Options options = {{"headDim", static_cast<double>(c.size("x", 3))},
                       {"base", c.number("base")},
                       {"maxFrequency", c.number("max_frequency")},
                       {"layout", word("layout")},
                       {"spectrum", word("spectrum")},
                       {"coordinates", word("coordinates")},
                       {"sizes", kept(c.numbers.at("sizes"))}};
    if (c.numbers.contains("reference_sizes")) {
      options.emplace_back("referenceSizes", kept(c.numbers.at("reference_sizes")));
      options.emplace_back("gridOffset", c.number("grid_offset"));
    }
    const auto out = turned(*made("rope_nd", options), c.floats("x"), c.integers("positions"),
                            {.axes = 2, .heads = c.size("x", 1)});
    // Angles up to 112π in float32 are good to 2e-5.
    const double tolerance = c.word("spectrum") == "logarithmic" ? 1e-4 : 1e-5;
    CHECK(differences(out, c.tensor("rotated").values, {tolerance, 0}) == "");
  }
}

TEST_CASE("golden: xpos") {
  for (const GoldenCase& c : golden("xpos")) {
    CAPTURE(c.name);
    const std::int64_t heads = c.size("q", 1);
    const std::int64_t tokens = c.size("q", 2);
    const std::int64_t head_dim = c.size("q", 3);
    const auto positions = count_from(0, tokens);
    const auto with_centre = [&](double centre) {
      return made("xpos", {{"headDim", static_cast<double>(head_dim)},
                           {"scaleBase", c.number("scale_base")},
                           {"centre", centre}});
    };
    const auto encoding = with_centre(c.number("centre"));
    const auto q = turned(*encoding, c.floats("q"), positions, {.heads = heads});
    const auto k = turned(*encoding, c.floats("k"), positions, {.side = Side::key, .heads = heads});
    CHECK(differences(q, c.tensor("rotated_q").values, {1e-6, 0}) == "");
    CHECK(differences(k, c.tensor("rotated_k").values, {1e-6, 0}) == "");

    // The factor of q is the length of its (cos, sin).
    const std::int64_t pairs = head_dim / 2;
    std::vector<float> cos(static_cast<std::size_t>(tokens * pairs));
    std::vector<float> sin(cos.size());
    encoding->rotate()->table(Side::query, {positions.data(), tokens}, cos.data(), sin.data());
    for (std::size_t i = 0; i < cos.size(); ++i) cos[i] = std::hypot(cos[i], sin[i]);
    CHECK(differences(cos, c.tensor("scale").values, {1e-6, 0}) == "");

    AttentionCase attention;
    attention.heads = attention.kv_heads = heads;
    attention.queries = attention.keys = tokens;
    attention.head_dim = head_dim;
    attention.fill(0);
    attention.query = c.floats("q");
    attention.key = c.floats("k");
    attention.scale = 1.0F;
    // The centre cancels.
    for (const double centre : {c.number("centre"), 0.0, -5.0}) {
      const auto same = with_centre(centre);
      attention.encodings = {same.get()};
      CHECK(differences(run(attention).scores, c.tensor("scores").values, {5e-6, 2e-5}) == "");
    }
  }
}

TEST_CASE("golden: tables of Hugging Face's code in float32") {
  for (const GoldenCase& c : golden("rope_float32")) {
    CAPTURE(c.name);
    const auto& frequencies = c.tensor("frequencies").values;
    const auto head_dim = 2.0 * static_cast<double>(frequencies.size());
    const auto positions = c.integers("positions");
    const auto check = [&](const Options& more) {
      Options options = {{"headDim", head_dim},
                         {"attentionFactor", c.number("attention_factor")},
                         {"angles", choice_of("rope", "angles", "float32")}};
      options.insert(options.end(), more.begin(), more.end());
      auto encoding = made("rope", options);
      std::vector<float> cos(c.tensor("cos").values.size(), kUnwritten);
      std::vector<float> sin(cos.size(), kUnwritten);
      encoding->rotate()->table(Side::query, {positions.data(), c.size("positions", 0)}, cos.data(),
                                sin.data());
      CHECK(differences(cos, c.tensor("cos").values, {2e-7, 0}) == "");
      CHECK(differences(sin, c.tensor("sin").values, {2e-7, 0}) == "");
      return encoding;
    };
    check({{"frequencies", kept(frequencies)}});
    if (!c.numbers.contains("base")) continue;
    // Frequencies made here are those of the reference to the last bit.
    const auto own = check({{"base", c.number("base")}});
    const auto made_here = own->frequencies();
    CHECK(std::vector<double>(made_here.begin(), made_here.end()) == frequencies);
  }
}

}  // namespace
}  // namespace posenc::test
