// Sinusoids and rotations of other implementations.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "golden/golden.hpp"
#include "made.hpp"
#include "position/registry.hpp"
#include "position/rotation.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// Index of a word of a case among the choices of a parameter.
double choice(const GoldenCase& c, const char* encoding, std::size_t parameter, const char* word) {
  const auto& choices = described(encoding)->parameters[parameter].choices;
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const char* name) { return c.word(word) == name; });
  REQUIRE(found != choices.end());
  return static_cast<double>(found - choices.begin());
}

TEST_CASE("golden: sinusoidal") {
  for (const GoldenCase& c : golden("sinusoidal")) {
    CAPTURE(c.name);
    const bool image = c.tensor("positions").shape.size() == 2;
    const auto axes = static_cast<int>(image ? c.size("positions", 1) : 1);
    Options options = {{"width", c.number("width")},
                       {"layout", choice(c, "sinusoidal", 2, "layout")},
                       {"denominator", choice(c, "sinusoidal", 3, "denominator")},
                       {"order", choice(c, "sinusoidal", 4, "order")},
                       {"axes", axes}};
    const bool normalised = c.numbers.contains("position_scale");
    if (normalised) {
      options.emplace_back("offset", c.number("offset"));
      options.emplace_back("positionScale", kept(c.numbers.at("position_scale")));
    }
    const auto encoding = made("sinusoidal", options);
    const auto positions = c.integers("positions");
    std::vector<float> rows(c.tensor("rows").values.size(), kUnwritten);
    encoding->embed()->rows({positions.data(), c.size("positions", 0), axes}, rows.data());
    // DETR divides and multiplies in float32.
    const double tolerance = normalised ? 6e-7 : 3e-7;
    CHECK(differences(rows, c.tensor("rows").values, {tolerance, 0}) == "");
  }
}

TEST_CASE("golden: rope_apply") {
  for (const GoldenCase& c : golden("rope_apply")) {
    CAPTURE(c.name);
    const std::int64_t head_dim = c.size("x", 3);
    const auto encoding =
        make_encoding("rope", {static_cast<double>(head_dim), c.number("rotary_dim"),
                               c.number("base"), choice(c, "rope", 3, "layout")});
    const auto x = c.floats("x");
    const auto positions = c.integers("positions");
    std::vector<float> out(x.size(), kUnwritten);
    const RotateCall call{.x = x.data(),
                          .out = out.data(),
                          .batch = c.size("x", 0),
                          .heads = c.size("x", 1),
                          .tokens = c.size("x", 2),
                          .positions = positions.data(),
                          .positions_per_batch = false,
                          .axes = 1,
                          .side = Side::query,
                          .inverse = false};
    CHECK(rotate_tensor(*encoding->rotate(), call) == Status::ok);
    CHECK(differences(out, c.tensor("rotated").values, {1e-6, 0}) == "");
    if (!c.has("scores")) continue;

    AttentionCase attention;
    attention.batch = c.size("x", 0);
    attention.heads = c.size("x", 1);
    attention.kv_heads = c.size("key", 1);
    attention.queries = c.size("x", 2);
    attention.keys = c.size("key", 2);
    attention.head_dim = head_dim;
    attention.fill(0);
    attention.query = x;
    attention.key = c.floats("key");
    attention.query_positions = attention.key_positions = positions;
    attention.scale = 1.0F;
    attention.encodings = {encoding.get()};
    CHECK(differences(run(attention).scores, c.tensor("scores").values, {5e-6, 2e-5}) == "");
  }
}

TEST_CASE("golden: onnx_rotary") {
  for (const GoldenCase& c : golden("onnx_rotary")) {
    CAPTURE(c.name);
    const std::int64_t heads = c.size("x", 1);
    const std::int64_t tokens = c.size("x", 2);
    const std::int64_t head_dim = c.size("x", 3);
    // The base does not matter: cosines and sines are given.
    const auto encoding =
        make_encoding("rope", {static_cast<double>(head_dim), c.number("rotary_dim"), 10000,
                               choice(c, "rope", 3, "layout")});
    const auto x = c.floats("x");
    const auto cos = c.floats("cos");
    const auto sin = c.floats("sin");
    std::vector<float> out(x.size(), kUnwritten);
    for (std::int64_t row = 0; row < c.size("x", 0) * heads; ++row) {
      const std::int64_t table = row / heads * tokens * encoding->rotate()->rotary_dim() / 2;
      const std::int64_t at = row * tokens * head_dim;
      rotate_rows(*encoding->rotate(), x.data() + at, cos.data() + table, sin.data() + table,
                  tokens, out.data() + at);
    }
    CHECK(differences(out, c.tensor("rotated").values, {1e-6, 1e-6}) == "");
  }
}

}  // namespace
}  // namespace posenc::test
