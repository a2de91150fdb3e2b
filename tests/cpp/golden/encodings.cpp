// Sinusoids, rotations and biases of other implementations.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "golden/golden.hpp"
#include "position/registry.hpp"
#include "position/rotation.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

std::unique_ptr<Encoding> make(const char* name, std::vector<double> values) {
  const Description& d = *registry()[static_cast<std::size_t>(find_encoding(name))];
  REQUIRE(resolve(d, values).status == Status::ok);
  return d.make(values);
}

/// Index of a word of a case among the choices of a parameter.
double choice(const GoldenCase& c, const char* encoding, std::size_t parameter, const char* word) {
  const Description& d = *registry()[static_cast<std::size_t>(find_encoding(encoding))];
  const auto& choices = d.parameters[parameter].choices;
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const char* name) { return c.word(word) == name; });
  REQUIRE(found != choices.end());
  return static_cast<double>(found - choices.begin());
}

TEST_CASE("golden: sinusoidal") {
  for (const GoldenCase& c : golden("sinusoidal")) {
    CAPTURE(c.name);
    const auto encoding =
        make("sinusoidal",
             {c.number("width"), 10000, choice(c, "sinusoidal", 2, "layout"),
              choice(c, "sinusoidal", 3, "denominator"), choice(c, "sinusoidal", 4, "order")});
    const auto positions = c.integers("positions");
    std::vector<float> rows(c.tensor("rows").values.size(), kUnwritten);
    encoding->embed()->rows({positions.data(), c.size("positions", 0)}, rows.data());
    CHECK(differences(rows, c.tensor("rows").values, {3e-7, 0}) == "");
  }
}

TEST_CASE("golden: rope_apply") {
  for (const GoldenCase& c : golden("rope_apply")) {
    CAPTURE(c.name);
    const std::int64_t head_dim = c.size("x", 3);
    const auto encoding = make("rope", {static_cast<double>(head_dim), c.number("rotary_dim"),
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
    const auto encoding = make("rope", {static_cast<double>(head_dim), c.number("rotary_dim"),
                                        10000, choice(c, "rope", 3, "layout")});
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

/// Biases of one head: (queries, keys).
std::vector<float> biases(const Encoding& encoding, int head, std::int64_t queries,
                          const std::vector<std::int32_t>& keys) {
  std::vector<float> out;
  for (std::int64_t m = 0; m < queries; ++m) {
    std::vector<float> row(keys.size(), kUnwritten);
    encoding.bias()->row(head, static_cast<std::int32_t>(m),
                         {keys.data(), static_cast<std::int64_t>(keys.size())}, row.data());
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

TEST_CASE("golden: alibi slopes of 1 to 128 heads") {
  std::int64_t compared = 0;
  for (const GoldenCase& c : golden("alibi")) {
    if (!c.has("slopes")) continue;
    for (int heads = 1; heads <= 128; ++heads) {
      const auto encoding = make("alibi", {static_cast<double>(heads)});
      std::vector<float> slopes;
      for (int head = 0; head < heads; ++head) {
        slopes.push_back(-biases(*encoding, head, 1, {1})[0]);
      }
      CHECK(differences(slopes, part(c.tensor("slopes").values, compared, heads), {0, 1e-7}) == "");
      compared += heads;
    }
  }
  CHECK(compared == 128 * 129 / 2);
}

TEST_CASE("golden: alibi biases") {
  for (const GoldenCase& c : golden("alibi")) {
    if (c.has("slopes")) continue;
    CAPTURE(c.name);
    const auto heads = static_cast<std::int64_t>(c.number("heads"));
    const auto tokens = static_cast<std::int64_t>(c.number("tokens"));
    const auto encoding = make("alibi", {c.number("heads")});
    for (int head = 0; head < heads; ++head) {
      const std::vector<float> ours = biases(*encoding, head, tokens, count_from(0, tokens));
      if (c.has("symmetric")) {
        const auto& symmetric = c.tensor("symmetric").values;
        CHECK(differences(ours, part(symmetric, head * tokens * tokens, tokens * tokens)) == "");
        auto lower = ours;
        for (std::int64_t i = 0; i < tokens * tokens; ++i) {
          if (i % tokens > i / tokens) lower[static_cast<std::size_t>(i)] = 0.0F;
        }
        const auto& causal = c.tensor("causal").values;
        CHECK(differences(lower, part(causal, head * tokens * tokens, tokens * tokens)) == "");
      }
      // Of the last query, up to what its row has in common.
      std::vector<float> last(ours.end() - tokens, ours.end());
      const float common = last[0];
      for (float& x : last) x -= common;
      CHECK(differences(last, part(c.tensor("keys_only").values, head * tokens, tokens)) == "");
      if (!c.has("padded")) continue;
      const std::int64_t batch = c.size("padded", 0);
      for (std::int64_t b = 0; b < batch; ++b) {
        // Positions are places among the real tokens; padding stands at 0.
        std::vector<std::int32_t> positions;
        std::int32_t real = 0;
        for (std::int64_t n = 0; n < tokens; ++n) {
          const bool shown = c.tensor("mask").values[static_cast<std::size_t>(b * tokens + n)] != 0;
          positions.push_back(shown ? real++ : 0);
        }
        std::vector<float> row(positions.size());
        encoding->bias()->row(head, real - 1, {positions.data(), tokens}, row.data());
        const float at_0 = biases(*encoding, head, 1, {real - 1})[0];
        for (float& x : row) x -= at_0;
        const auto& padded = c.tensor("padded").values;
        CHECK(differences(row, part(padded, (b * heads + head) * tokens, tokens)) == "");
      }
    }
  }
}

}  // namespace
}  // namespace posenc::test
