// Biases of other implementations.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "golden/golden.hpp"
#include "made.hpp"
#include "position/registry.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// Biases of one head: (queries, keys).
std::vector<float> biases(const Encoding& encoding, int head,
                          const std::vector<std::int32_t>& queries,
                          const std::vector<std::int32_t>& keys) {
  std::vector<float> out;
  for (const std::int32_t query : queries) {
    std::vector<float> row(keys.size(), kUnwritten);
    encoding.bias()->row(head, {&query, 1}, {keys.data(), static_cast<std::int64_t>(keys.size())},
                         row.data());
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

/// Square matrices with 0 after the diagonal.
std::vector<float> lower_triangles(std::vector<float> x, std::int64_t tokens) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at % tokens > at / tokens % tokens) x[i] = 0.0F;
  }
  return x;
}

TEST_CASE("golden: alibi slopes of 1 to 128 heads") {
  std::int64_t compared = 0;
  for (const GoldenCase& c : golden("alibi")) {
    if (!c.has("slopes")) continue;
    for (int heads = 1; heads <= 128; ++heads) {
      const auto h = static_cast<double>(heads);
      const auto slopes = [&](double bias_max) {
        const auto encoding = make_encoding("alibi", {h, h, bias_max});
        std::vector<float> out;
        for (int head = 0; head < heads; ++head) {
          out.push_back(-biases(*encoding, head, {0}, {1})[0]);
        }
        return out;
      };
      const auto expected = [&](const char* name) {
        return part(c.tensor(name).values, compared, heads);
      };
      CHECK(differences(slopes(8), expected("slopes"), {0, 1e-7}) == "");
      CHECK(differences(slopes(16), expected("slopes_max16"), {0, 2e-6}) == "");
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
    const auto encoding = make_encoding("alibi", {c.number("heads")});
    for (int head = 0; head < heads; ++head) {
      const std::vector<float> ours =
          biases(*encoding, head, count_from(0, tokens), count_from(0, tokens));
      if (c.has("symmetric")) {
        const auto& symmetric = c.tensor("symmetric").values;
        CHECK(differences(ours, part(symmetric, head * tokens * tokens, tokens * tokens)) == "");
        const auto& causal = c.tensor("causal").values;
        CHECK(differences(lower_triangles(ours, tokens),
                          part(causal, head * tokens * tokens, tokens * tokens)) == "");
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
        const std::int32_t query = real - 1;
        encoding->bias()->row(head, {&query, 1}, {positions.data(), tokens}, row.data());
        const float at_0 = biases(*encoding, head, {0}, {real - 1})[0];
        for (float& x : row) x -= at_0;
        const auto& padded = c.tensor("padded").values;
        CHECK(differences(row, part(padded, (b * heads + head) * tokens, tokens)) == "");
      }
    }
  }
}

/// Biases of all heads: (heads, queries, keys).
std::vector<float> all_biases(const Encoding& encoding, const std::vector<std::int32_t>& queries,
                              const std::vector<std::int32_t>& keys) {
  std::vector<float> out;
  for (int head = 0; head < encoding.bias()->heads(); ++head) {
    const auto one = biases(encoding, head, queries, keys);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

/// Biases of all heads among the tokens of a window of height × width, row by row.
std::vector<float> window_biases(const Encoding& encoding, const GoldenCase& c) {
  std::vector<std::int32_t> positions;
  for (int y = 0; y < static_cast<int>(c.number("height")); ++y) {
    for (int x = 0; x < static_cast<int>(c.number("width")); ++x) {
      positions.push_back(y);
      positions.push_back(x);
    }
  }
  const auto tokens = static_cast<std::int64_t>(positions.size()) / 2;
  const Positions all{positions.data(), tokens, 2};
  std::vector<float> out;
  for (int head = 0; head < encoding.bias()->heads(); ++head) {
    for (std::int64_t m = 0; m < tokens; ++m) {
      std::vector<float> row(static_cast<std::size_t>(tokens), kUnwritten);
      encoding.bias()->row(head, all.from(m, 1), all, row.data());
      out.insert(out.end(), row.begin(), row.end());
    }
  }
  return out;
}

/// Numbers of a case as the tensor of a parameter.
Tensor tensor(const GoldenCase& c, const char* name) { return Tensor(c.floats(name)); }

TEST_CASE("golden: t5_bias") {
  for (const GoldenCase& c : golden("t5_bias")) {
    CAPTURE(c.name);
    if (c.has("bias")) {
      const Tensor table = tensor(c, "table");
      const auto encoding =
          make_encoding("t5", {static_cast<double>(c.size("bias", 0)), c.number("buckets"),
                               c.number("max_distance"), c.number("bidirectional"), table.value()});
      const auto first = static_cast<std::int64_t>(c.number("first_query"));
      const auto ours = all_biases(*encoding, count_from(first, c.size("bias", 1)),
                                   count_from(0, c.size("bias", 2)));
      CHECK(bit_differences(ours, c.floats("bias")) == "");
      continue;
    }
    // A table of the buckets' own numbers shows the bucket.
    std::vector<float> own;
    for (int b = 0; b < static_cast<int>(c.number("buckets")); ++b) {
      own.push_back(static_cast<float>(b));
    }
    const Tensor table(std::move(own));
    const auto encoding = make_encoding("t5", {1, c.number("buckets"), c.number("max_distance"),
                                               c.number("bidirectional"), table.value()});
    CHECK(bit_differences(biases(*encoding, 0, {0}, c.integers("relative")), c.floats("bucket")) ==
          "");
  }
}

TEST_CASE("golden: kerple") {
  for (const GoldenCase& c : golden("kerple")) {
    CAPTURE(c.name);
    const std::int64_t heads = c.size("scores", 1);
    const std::int64_t tokens = c.size("scores", 2);
    Options options = {{"heads", static_cast<double>(heads)},
                       {"kernel", choice_of("kerple", "kernel", c.word("kernel").c_str())}};
    const std::pair<const char*, const char*> tensors[] = {{"r1", "r1"},
                                                           {"r2", "r2"},
                                                           {"weightScale", "weight_scale"},
                                                           {"weightPower", "weight_power"}};
    for (const auto& [option, name] : tensors) {
      if (c.has(name)) options.emplace_back(option, kept(c.floats(name)));
    }
    const auto encoding = made("kerple", options);
    REQUIRE(encoding->bias()->weighs());
    std::vector<float> ours;
    for (std::int64_t i = 0; i < c.size("scores", 0) * heads * tokens * tokens; i += tokens) {
      const auto head = static_cast<int>(i / (tokens * tokens) % heads);
      const auto query = static_cast<std::int32_t>(i / tokens % tokens);
      // Keys after the query count as keys at it.
      std::vector<std::int32_t> keys = count_from(0, tokens);
      for (std::int32_t& key : keys) key = std::min(key, query);
      std::vector<float> bias(keys.size(), kUnwritten);
      std::vector<float> weights(keys.size(), kUnwritten);
      encoding->bias()->row(head, {&query, 1}, {keys.data(), tokens}, bias.data());
      encoding->bias()->weights_row(head, {&query, 1}, {keys.data(), tokens}, weights.data());
      for (std::size_t n = 0; n < keys.size(); ++n) {
        const double score = c.tensor("scores").values[static_cast<std::size_t>(i) + n];
        ours.push_back(static_cast<float>(score) * weights[n] + bias[n]);
      }
    }
    CHECK(differences(ours, c.tensor("result").values) == "");
  }
}

TEST_CASE("golden: sandwich") {
  for (const GoldenCase& c : golden("sandwich")) {
    CAPTURE(c.name);
    const auto encoding =
        make_encoding("sandwich", {static_cast<double>(c.size("bias", 0)), c.number("width")});
    const auto positions = count_from(0, c.size("bias", 1));
    CHECK(differences(all_biases(*encoding, positions, positions), c.tensor("bias").values) == "");
  }
}

TEST_CASE("golden: fire") {
  for (const GoldenCase& c : golden("fire")) {
    CAPTURE(c.name);
    const Tensor w1 = tensor(c, "w1");
    const Tensor b1 = tensor(c, "b1");
    const Tensor w2 = tensor(c, "w2");
    const Tensor b2 = tensor(c, "b2");
    const Tensor scale({static_cast<float>(c.number("c"))});
    const Tensor multiplier({static_cast<float>(c.number("length_multiplier"))});
    const auto encoding = make_encoding(
        "fire", {static_cast<double>(c.size("bias", 0)), static_cast<double>(c.size("b1", 0)),
                 c.number("initial_length"), c.number("epsilon"), w1.value(), b1.value(),
                 w2.value(), b2.value(), scale.value(), multiplier.value()});
    const auto positions = count_from(0, c.size("bias", 1));
    CHECK(differences(all_biases(*encoding, positions, positions), c.tensor("bias").values) == "");
  }
}

TEST_CASE("golden: dynamic_position_bias") {
  for (const GoldenCase& c : golden("dynamic_position_bias")) {
    CAPTURE(c.name);
    const auto heads = static_cast<double>(c.size("bias", 0));
    const bool window = c.word("kind") == "swin_cpb";
    std::vector<Tensor> weights;
    weights.reserve(6);
    std::vector<double> values =
        window ? std::vector<double>{heads,
                                     c.number("height"),
                                     c.number("width"),
                                     c.number("pretrained_height"),
                                     c.number("pretrained_width"),
                                     static_cast<double>(c.size("b1", 0))}
               : std::vector<double>{heads, c.number("width"), c.number("depth"),
                                     c.number("log_distance")};
    for (const char* name : {"w1", "b1", "hidden_w", "hidden_b", "w2", "b2"}) {
      if (!c.has(name)) continue;
      weights.push_back(tensor(c, name));
      values.push_back(weights.back().value());
    }
    const auto encoding = make_encoding(window ? "swin_cpb" : "dynamic_bias", values);
    if (window) {
      CHECK(differences(window_biases(*encoding, c), c.tensor("bias").values) == "");
      continue;
    }
    const std::int64_t queries = c.size("bias", 1);
    const std::int64_t keys = c.size("bias", 2);
    CHECK(
        differences(all_biases(*encoding, count_from(keys - queries, queries), count_from(0, keys)),
                    c.tensor("bias").values) == "");
  }
}

TEST_CASE("golden: swin") {
  for (const GoldenCase& c : golden("swin")) {
    CAPTURE(c.name);
    const Tensor table = tensor(c, "table");
    const auto encoding =
        make_encoding("swin", {static_cast<double>(c.size("bias", 0)), c.number("height"),
                               c.number("width"), table.value()});
    CHECK(bit_differences(window_biases(*encoding, c), c.floats("bias")) == "");
  }
}

}  // namespace
}  // namespace posenc::test
