// Few queries, which go through keys and values their own way, against the float64 reference.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "attention_case.hpp"
#include "masked_cases.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string output_differences(const AttentionCase& c) {
  return differences(run(c, {.taps = false}).output, expected(c).output);
}

TEST_CASE("few queries: any width, number of keys and of heads that share them") {
  for (const std::int64_t width : {1, 3, 8, 17, 64, 80}) {
    for (const std::int64_t keys : {1, 7, 96, 97, 800}) {
      for (const std::int64_t queries : {1, 2, 3, 4}) {
        AttentionCase c;
        CAPTURE(width);
        CAPTURE(keys);
        CAPTURE(queries);
        c.batch = 2;
        c.heads = 6;
        c.kv_heads = keys == 97 ? 6 : 2;
        c.queries = queries;
        c.keys = keys;
        c.head_dim = width;
        c.value_dim = width == 17 ? 12 : width;
        c.fill(static_cast<unsigned>(width + keys + queries));
        c.causal = keys % 2 == 1;
        c.softcap = width == 8 ? 1.5F : 0.0F;
        CHECK(output_differences(c) == "");
      }
    }
  }
}

TEST_CASE("few queries under every mask") {
  for (const MaskedCase& masked : masked_cases()) {
    CAPTURE(masked.label);
    const AttentionCase& c = masked.problem;
    if (!c.shown.values.empty() || !c.added.values.empty()) continue;  // rows of the whole
    for (std::int64_t m = 0; m + 2 <= c.queries; m += 7) {
      CHECK(output_differences(slice(c, m, 1, 0, c.keys)) == "");
      CHECK(output_differences(slice(c, m, 2, 0, c.keys)) == "");
    }
  }
}

TEST_CASE("few queries: more keys than caches hold stream one after another") {
  AttentionCase c;
  c.heads = 3;
  c.queries = 1;
  c.keys = 30000;
  c.head_dim = 68;  // no whole step of registers
  c.value_dim = 64;
  c.fill(9);
  c.window = 20000;
  CHECK(output_differences(c) == "");
  c.value_dim = 68;
  c.fill(10);
  CHECK(output_differences(c) == "");
}

TEST_CASE("few queries: what is hidden may be NaN, what is seen comes out") {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = 2;
  c.keys = 130;
  c.fill(3);
  c.causal = true;
  const auto clean = run(c, {.taps = false});
  for (std::int64_t d = 0; d < 8; ++d) c.key_row(0, 0, 129)[d] = c.value_row(0, 0, 129)[d] = kNan;
  const auto poisoned = run(c, {.taps = false});
  CHECK(bit_differences(output_rows(c, poisoned, 0, 1), output_rows(c, clean, 0, 1)) == "");
  for (const float x : output_rows(c, poisoned, 1, 1)) CHECK(std::isnan(x));
}

TEST_CASE("few queries: statistics are those of the softmax") {
  AttentionCase c;
  c.heads = 2;
  c.queries = 3;
  c.keys = 50;
  c.fill(4);
  c.sink_logits = {0.5F, -1.0F};
  const auto few = run(c, {.taps = false}).statistics;
  const auto panels = run(c).statistics;
  REQUIRE(few.size() == panels.size());
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK(few[i].maximum == doctest::Approx(panels[i].maximum).epsilon(1e-5));
    CHECK(few[i].sum == doctest::Approx(panels[i].sum).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace posenc::test
