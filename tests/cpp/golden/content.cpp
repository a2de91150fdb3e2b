// Content terms of other implementations: Shaw, Transformer-XL, DeBERTa, CoPE.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention_case.hpp"
#include "golden/golden.hpp"
#include "table.hpp"
#include "values.hpp"

namespace posenc::test {
namespace {

/// An attention problem with the shapes of `query` (batch, heads, queries, head_dim) and `key`.
AttentionCase problem(const GoldenCase& c) {
  AttentionCase p;
  p.batch = c.size("query", 0);
  p.heads = c.size("query", 1);
  p.kv_heads = c.size("key", 1);
  p.queries = c.size("query", 2);
  p.keys = c.size("key", 2);
  p.head_dim = p.value_dim = c.size("query", 3);
  p.fill(0);
  p.query = c.floats("query");
  p.key = c.floats("key");
  p.scale = static_cast<float>(c.number("scale"));
  return p;
}

TEST_CASE("golden: shaw") {
  for (const GoldenCase& c : golden("shaw")) {
    CAPTURE(c.name);
    const double reach = c.number("max_distance");
    const auto encoding =
        Values("shaw")
            .set("headDim", 1)
            .set("maxDistance", reach)
            .give("keys", std::vector<float>(static_cast<std::size_t>(2 * reach + 1)))
            .make();
    const std::int64_t queries = c.size("rows", 0);
    const std::int64_t keys = c.size("rows", 1);
    std::vector<std::int32_t> rows;
    for (std::int64_t m = keys - queries; m < keys; ++m) {
      for (std::int64_t n = 0; n < keys; ++n) {
        rows.push_back(static_cast<std::int32_t>(encoding->content()->row(m - n)));
      }
    }
    CHECK(rows == c.integers("rows"));
  }
}

TEST_CASE("golden: transformer_xl") {
  int attended = 0;
  for (const GoldenCase& c : golden("transformer_xl")) {
    CAPTURE(c.name);
    if (c.has("rows")) {
      const auto encoding =
          Values("sinusoidal").set("width", c.number("width")).set("layout", 1).make();
      const auto positions = c.integers("positions");
      std::vector<float> rows(c.tensor("rows").values.size(), kUnwritten);
      encoding->embed()->rows({positions.data(), c.size("positions", 0)}, rows.data());
      CHECK(differences(rows, c.tensor("rows").values, {1e-6, 1e-5}) == "");
      continue;
    }
    AttentionCase p = problem(c);
    p.value = c.floats("value");
    p.causal = true;
    const auto encoding = Values("transformer_xl")
                              .set("heads", static_cast<double>(p.heads))
                              .set("headDim", static_cast<double>(p.head_dim))
                              .set("maxDistance", static_cast<double>(c.size("vectors", 1) - 1))
                              .give("contentBias", c.floats("u"))
                              .give("positionBias", c.floats("v"))
                              .give("vectors", c.floats("vectors"))
                              .make();
    p.encodings = {encoding.get()};
    auto result = run(p);
    CHECK(differences(result.output, c.tensor("output").values, {1e-5, 1e-5}) == "");
    std::vector<double> scores = c.tensor("scores").values;
    const auto& hidden = c.tensor("hidden").values;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (hidden[i % hidden.size()] != 0) scores[i] = result.scores[i] = 0;
    }
    CHECK(differences(result.scores, scores, {1e-5, 1e-5}) == "");
    ++attended;
  }
  CHECK(attended > 0);
}

TEST_CASE("golden: deberta buckets") {
  int compared = 0;
  for (const GoldenCase& c : golden("deberta")) {
    if (!c.has("distances")) continue;
    CAPTURE(c.name);
    const double buckets = c.number("buckets");
    for (const char* clamp : {"microsoft", "huggingface"}) {
      const auto size = static_cast<std::size_t>(2 * buckets);
      const auto encoding = Values("deberta")
                                .set("heads", 1)
                                .set("headDim", 1)
                                .set("buckets", buckets)
                                .set("maxDistance", c.number("max_distance"))
                                .give("keys", std::vector<float>(size))
                                .give("queries", std::vector<float>(size))
                                .set("clamp", clamp[0] == 'h' ? 1 : 0)
                                .make();
      const auto span = static_cast<std::int32_t>(buckets);
      std::vector<std::int32_t> rows;
      std::vector<std::int32_t> expected;
      for (const std::int32_t distance : c.integers("distances")) {
        rows.push_back(static_cast<std::int32_t>(encoding->content()->row(distance)));
      }
      for (const std::int32_t bucket : c.integers(clamp)) {
        expected.push_back(std::clamp(bucket + span, 0, 2 * span - 1));
      }
      CHECK(rows == expected);
      ++compared;
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("golden: deberta, each term on its own (huggingface/transformers#14621, #15732)") {
  int compared = 0;
  for (const GoldenCase& c : golden("deberta")) {
    if (!c.has("query")) continue;
    CAPTURE(c.name);
    AttentionCase p = problem(c);
    for (int terms = 0; terms < 4; ++terms) {
      const auto encoding = Values("deberta")
                                .set("heads", static_cast<double>(p.heads))
                                .set("headDim", static_cast<double>(p.head_dim))
                                .set("buckets", c.number("buckets"))
                                .set("maxDistance", c.number("max_distance"))
                                .give("keys", c.floats("keys"))
                                .give("queries", c.floats("queries"))
                                .set("c2p", terms & 1)
                                .set("p2c", terms >> 1)
                                .make();
      std::vector<double> expected = c.tensor("c2c").values;
      const auto& c2p = c.tensor("c2p").values;
      const auto& p2c = c.tensor("p2c").values;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += ((terms & 1) != 0 ? c2p[i] : 0) + ((terms & 2) != 0 ? p2c[i] : 0);
      }
      p.encodings = {encoding.get()};
      CHECK(differences(run(p).scores, expected) == "");
      if (terms != 3) continue;
      CHECK(differences(run(p).scores, c.tensor("total").values) == "");
      CHECK(encoding->score_scale(p.head_dim) == doctest::Approx(c.number("scale")));
    }
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("golden: cope") {
  for (const GoldenCase& c : golden("cope")) {
    CAPTURE(c.name);
    // The logits are given: each query gets a coordinate of its own, in which keys hold them.
    const std::int64_t tokens = c.size("query", 2);
    const std::int64_t width = c.size("query", 3);
    const std::int64_t counts = c.size("vectors", 0);
    AttentionCase p;
    p.batch = c.size("query", 0);
    p.heads = p.kv_heads = c.size("query", 1);
    p.queries = p.keys = tokens;
    p.head_dim = width + tokens;
    p.fill(0);
    p.causal = true;
    p.scale = 1.0F;
    std::vector<double> expected = c.tensor("logits").values;
    std::vector<float> vectors;
    for (std::int64_t i = 0; i < counts * p.head_dim; ++i) {
      const std::int64_t d = i % p.head_dim;
      const auto at = static_cast<std::size_t>(i / p.head_dim * width + d);
      vectors.push_back(d < width ? c.floats("vectors")[at] : 0.0F);
    }
    for (std::int64_t row = 0; row < p.batch * p.heads * tokens; ++row) {
      const std::int64_t head = row / tokens;
      for (std::int64_t d = 0; d < p.head_dim; ++d) {
        const auto at = static_cast<std::size_t>(row * p.head_dim + d);
        const bool own = d >= width;
        const auto from = static_cast<std::size_t>((head * tokens + d - width) * tokens);
        const double logit = own ? expected[from + static_cast<std::size_t>(row % tokens)] : 0;
        p.key[at] = std::isfinite(logit) ? static_cast<float>(logit) : 0.0F;
        p.query[at] = own ? (d - width == row % tokens ? 1.0F : 0.0F)
                          : c.floats("query")[static_cast<std::size_t>(row * width + d)];
      }
    }
    const auto encoding = Values("cope")
                              .set("headDim", static_cast<double>(p.head_dim))
                              .give("vectors", vectors)
                              .make();
    p.encodings = {encoding.get()};
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += c.tensor("added").values[i];
    CHECK(differences(run(p).logits, expected) == "");
  }
}

}  // namespace
}  // namespace posenc::test
