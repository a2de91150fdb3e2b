// Attention of PyTorch and of the ONNX operator.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "golden/golden.hpp"
#include "table.hpp"
#include "test_encodings.hpp"

namespace posenc::test {
namespace {

double optional_number(const GoldenCase& c, const char* key) {
  return c.numbers.contains(key) ? c.number(key) : 0.0;
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
  a.causal = c.number("causal") != 0;
  a.window = static_cast<std::int64_t>(optional_number(c, "window"));
  a.softcap = static_cast<float>(optional_number(c, "softcap"));
  a.scale = static_cast<float>(c.number("scale"));
  return a;
}

/// One batch entry of `c`: the tables that it may have as bias and mask belong to an entry.
struct Entry {
  Entry(const GoldenCase& c, const AttentionCase& whole, std::int64_t b) : problem(whole) {
    problem.batch = 1;
    const auto take = [&](auto& x, std::int64_t size) {
      if (static_cast<std::int64_t>(x.size()) != whole.batch * size) return;
      const auto taken = part(x, b * size, size);
      x = std::vector(taken.begin(), taken.end());
    };
    take(problem.query, whole.heads * whole.queries * whole.head_dim);
    take(problem.key, whole.kv_heads * whole.keys * whole.head_dim);
    take(problem.value, whole.kv_heads * whole.keys * whole.value_dim);
    take(problem.query_positions, whole.queries);
    take(problem.key_mask, whole.keys);
    const std::int32_t first = problem.query_positions.front();
    const auto number_at = [&c, whole, b, first](const char* tensor, int head, std::int32_t query,
                                                 std::int32_t key) {
      const std::int64_t row = (b * whole.heads + head) * whole.queries + query - first;
      return c.tensor(tensor).values[static_cast<std::size_t>(row * whole.keys + key)];
    };
    if (c.has("bias")) {
      bias = std::make_unique<BiasEncoding>(
          static_cast<int>(whole.heads),
          [number_at](int head, std::int32_t query, std::int32_t key) {
            return static_cast<float>(number_at("bias", head, query, key));
          });
      problem.encodings.push_back(bias.get());
    }
    if (c.has("mask")) {
      mask = std::make_unique<MaskEncoding>(
          [number_at](int head, std::int32_t query, std::int32_t key) {
            return number_at("mask", head, query, key) != 0;
          });
      problem.encodings.push_back(mask.get());
    }
  }

  AttentionCase problem;
  std::unique_ptr<BiasEncoding> bias;
  std::unique_ptr<MaskEncoding> mask;
};

void append(std::vector<float>& all, const std::vector<float>& more) {
  all.insert(all.end(), more.begin(), more.end());
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

void check_group(const char* group) {
  for (const GoldenCase& c : golden(group)) {
    CAPTURE(c.name);
    const AttentionCase whole = case_of(c);
    Stages<float> all;
    for (std::int64_t b = 0; b < whole.batch; ++b) {
      const Entry entry(c, whole, b);
      const auto result = run(entry.problem);
      CHECK(result.status == Status::ok);
      append(all.output, result.output);
      append(all.scores, result.scores);
      append(all.capped, result.capped);
      append(all.logits, result.logits);
      append(all.weights, result.weights);
    }
    CHECK(c.has("output"));
    CHECK(compare(c, "output", all.output) == "");
    CHECK(compare(c, "scores", all.scores) == "");
    CHECK(compare(c, "capped", all.capped) == "");
    CHECK(compare(c, "logits", all.logits) == "");
    CHECK(compare(c, "weights", all.weights) == "");
    // Without tables, the whole batch at once is the same.
    if (!c.has("bias") && !c.has("mask")) {
      CHECK(bit_differences(run(whole).output, all.output) == "");
    }
  }
}

TEST_CASE("golden: sdpa (PyTorch)") { check_group("sdpa"); }

TEST_CASE("golden: onnx_attention") { check_group("onnx_attention"); }

}  // namespace
}  // namespace posenc::test
