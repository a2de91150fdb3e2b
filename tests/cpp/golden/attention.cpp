// Attention of PyTorch and of the ONNX operator.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "finite_differences.hpp"
#include "golden/golden.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

double optional_number(const GoldenCase& c, const char* key, double otherwise = 0.0) {
  return c.numbers.contains(key) ? c.number(key) : otherwise;
}

template <class T>
Dense<T> dense(const GoldenCase& c, const char* key) {
  Dense<T> d;
  if (!c.has(key)) return d;
  for (std::size_t i = 0; i < 4; ++i) d.shape[i] = c.size(key, i);
  for (const double x : c.tensor(key).values) d.values.push_back(static_cast<T>(x));
  return d;
}

void read_masks(const GoldenCase& c, AttentionCase& a) {
  const auto integer = [&](const char* key, double otherwise) {
    return static_cast<std::int64_t>(optional_number(c, key, otherwise));
  };
  a.causal = optional_number(c, "causal") != 0;
  a.window = integer("window", 0);
  a.before = integer("before", -1);
  a.after = integer("after", -1);
  a.chunk = integer("chunk", 0);
}

AttentionCase case_of(const GoldenCase& c) {
  AttentionCase a;
  a.batch = c.size("query", 0);
  a.heads = c.size("query", 1);
  a.kv_heads = c.size("key", 1);
  a.queries = c.size("query", 2);
  a.keys = c.size("key", 2);
  a.head_dim = c.size("query", 3);
  a.value_dim = c.size("value", 3);
  a.query = c.floats("query");
  a.key = c.floats("key");
  a.value = c.floats("value");
  a.key_positions = count_from(0, a.keys);
  a.query_positions =
      c.has("query_positions") ? c.integers("query_positions") : count_from(0, a.queries);
  if (c.has("key_mask")) {
    for (const double x : c.tensor("key_mask").values) a.key_mask.push_back(x != 0 ? 1 : 0);
  }
  if (c.has("sink_logits")) a.sink_logits = c.floats("sink_logits");
  a.shown = dense<std::uint8_t>(c, "mask");
  a.added = dense<float>(c, "bias");
  read_masks(c, a);
  a.softcap = static_cast<float>(optional_number(c, "softcap"));
  a.scale = static_cast<float>(c.number("scale"));
  return a;
}

/// Differences from what the case expects, where it does: NaN there means "not specified".
std::string compare(const GoldenCase& c, const char* stage, const std::vector<float>& actual) {
  if (!c.has(stage)) return "";
  auto values = c.tensor(stage).values;
  REQUIRE(values.size() == actual.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) && std::isfinite(actual[i])) values[i] = actual[i];
  }
  return differences(actual, values);
}

void check_gradients(const GoldenCase& c, const AttentionCase& problem) {
  Gradients g;
  g.d_output = c.floats("d_output");
  CHECK(run(problem, {.taps = false, .gradients = &g}).status == Status::ok);
  CHECK(differences(g.query, c.tensor("d_query").values, kGradientBounds) == "");
  CHECK(differences(g.key, c.tensor("d_key").values, kGradientBounds) == "");
  CHECK(differences(g.value, c.tensor("d_value").values, kGradientBounds) == "");
  if (!c.has("d_bias")) return;
  CHECK(differences(g.added, c.tensor("d_bias").values, kGradientBounds) == "");
}

int check_case(const GoldenCase& c) {
  CAPTURE(c.name);
  const AttentionCase problem = case_of(c);
  const auto result = run(problem);
  CHECK(result.status == Status::ok);
  CHECK(c.has("output"));
  CHECK(compare(c, "output", result.output) == "");
  CHECK(compare(c, "scores", result.scores) == "");
  CHECK(compare(c, "capped", result.capped) == "");
  CHECK(compare(c, "logits", result.logits) == "");
  CHECK(compare(c, "weights", result.weights) == "");
  if (!c.has("d_output")) return 0;
  check_gradients(c, problem);
  return 1;
}

TEST_CASE("golden: sdpa (PyTorch), forward and back") {
  int gradients = 0;
  for (const GoldenCase& c : golden("sdpa")) gradients += check_case(c);
  CHECK(gradients >= 18);
}

TEST_CASE("golden: onnx_attention") {
  for (const GoldenCase& c : golden("onnx_attention")) check_case(c);
}

TEST_CASE("golden: attention_extra (Hugging Face's masks, gpt-oss)") {
  for (const GoldenCase& c : golden("attention_extra")) {
    if (c.has("output")) {
      check_case(c);
      continue;
    }
    CAPTURE(c.name);
    AttentionCase a;
    a.queries = c.size("shown", 0);
    a.keys = c.size("shown", 1);
    a.fill(1);
    read_masks(c, a);
    const auto weights = run(a).weights;
    std::vector<float> shown;
    for (const float w : weights) shown.push_back(w > 0 ? 1.0F : 0.0F);
    CHECK(bit_differences(shown, c.floats("shown")) == "");
  }
}

}  // namespace
}  // namespace posenc::test
