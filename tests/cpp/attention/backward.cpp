// Gradients under masks: what is hidden, what is huge, what is not wanted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "attention/backward.hpp"
#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "finite_differences.hpp"
#include "masked_cases.hpp"
#include "no_memory.hpp"
#include "samples.hpp"
#include "table.hpp"
#include "test_encodings.hpp"

namespace posenc::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// All gradients of a plain attention in float64, one number after another.
struct ReferenceGradients {
  std::vector<double> query, key, value;

  explicit ReferenceGradients(const AttentionCase& c, const std::vector<float>& d_output)
      : query(c.query.size()), key(c.key.size()), value(c.value.size()) {
    const auto stages = expected(c);
    for (std::int64_t row = 0; row < c.batch * c.heads * c.queries; ++row) {
      const std::int64_t head = row / c.queries;
      const std::int64_t entry = head / c.heads;
      const std::int64_t kv_head = entry * c.kv_heads + head % c.heads * c.kv_heads / c.heads;
      double scale = c.scale;
      if (!c.head_scales.empty()) scale *= c.head_scales[at(head % c.heads)];
      if (!c.query_scales.empty()) scale *= c.query_scales[at(row % c.queries)];
      std::vector<double> by_weight(at(c.keys), 0.0);
      double mean = 0.0;
      for (std::int64_t n = 0; n < c.keys; ++n) {
        const double weight = stages.weights[at(row * c.keys + n)];
        if (weight == 0.0) continue;
        for (std::int64_t d = 0; d < c.value_dim; ++d) {
          const double d_out = d_output[at(row * c.value_dim + d)];
          const std::int64_t v = (kv_head * c.keys + n) * c.value_dim + d;
          by_weight[at(n)] += d_out * static_cast<double>(c.value[at(v)]);
          value[at(v)] += weight * d_out;
        }
        mean += weight * by_weight[at(n)];
      }
      for (std::int64_t n = 0; n < c.keys; ++n) {
        const double weight = stages.weights[at(row * c.keys + n)];
        if (weight == 0.0) continue;
        double d_score = weight * (by_weight[at(n)] - mean) * scale;
        if (c.softcap > 0) {
          const double bent = stages.capped[at(row * c.keys + n)] / static_cast<double>(c.softcap);
          d_score *= 1 - bent * bent;
        }
        for (std::int64_t d = 0; d < c.head_dim; ++d) {
          const std::int64_t q = row * c.head_dim + d;
          const std::int64_t k = (kv_head * c.keys + n) * c.head_dim + d;
          query[at(q)] += d_score * static_cast<double>(c.key[at(k)]);
          key[at(k)] += d_score * static_cast<double>(c.query[at(q)]);
        }
      }
    }
  }

  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
};

Gradients gradients_of(const AttentionCase& c) {
  Gradients g;
  g.d_output = random_floats(c.batch * c.heads * c.queries * c.value_dim, 97);
  REQUIRE(run(c, {.taps = false, .gradients = &g}).status == Status::ok);
  return g;
}

void check_gradients(const AttentionCase& c) {
  const Gradients g = gradients_of(c);
  const ReferenceGradients reference(c, g.d_output);
  CHECK(differences(g.query, reference.query, kGradientBounds) == "");
  CHECK(differences(g.key, reference.key, kGradientBounds) == "");
  CHECK(differences(g.value, reference.value, kGradientBounds) == "");
}

TEST_CASE("gradients under every mask") {
  for (const MaskedCase& masked : masked_cases()) {
    CAPTURE(masked.label);
    check_gradients(masked.problem);
  }
}

TEST_CASE("gradients at awkward widths and numbers of tokens") {
  for (const std::int64_t width : {1, 2, 3, 5, 17, 63, 65}) {
    for (const std::int64_t queries : {1, 7, 8, 65}) {
      AttentionCase c;
      c.heads = 4;
      c.kv_heads = 2;
      c.queries = queries;
      c.keys = queries + 36;
      c.head_dim = width;
      c.value_dim = width == 63 ? 12 : width + 1;
      c.fill(static_cast<unsigned>(width * 100 + queries));
      c.causal = width % 2 == 1;
      c.softcap = queries == 7 ? 2.0F : 0.0F;
      check_gradients(c);
    }
  }
}

TEST_CASE("a row that is masked by a huge finite number keeps its gradient") {
  // PyTorch's flash backend loses it: its logsumexp is one float (pytorch, CPU, 2.6).
  AttentionCase c;
  c.queries = 5;
  c.keys = 40;
  c.fill(5);
  const Gradients plain = gradients_of(c);
  for (const float huge : {-1e9F, 1e9F, -3.4028235e38F}) {
    c.added.shape[0] = c.added.shape[1] = c.added.shape[2] = 1;
    c.added.shape[3] = 40;
    c.added.values.assign(40, huge);
    const Gradients g = gradients_of(c);
    CHECK(bit_differences(g.query, plain.query) == "");
    CHECK(bit_differences(g.key, plain.key) == "");
    CHECK(bit_differences(g.value, plain.value) == "");
  }
}

TEST_CASE("a sink beside keys that are masked by the same huge number takes its share") {
  for (const float huge : {-1e9F, 1e9F}) {
    CAPTURE(huge);
    AttentionCase c;
    c.queries = c.keys = 9;
    c.fill(5);
    c.added = {{1, 1, 1, 1}, {huge}};
    c.sink_logits = {huge};
    CHECK(differences(run(c).output, expected(c).output) == "");
    check_gradients(c);
  }
}

TEST_CASE("what is hidden may hold anything, and has gradient 0") {
  const auto zeros = [](std::span<const float> x) {
    return std::all_of(x.begin(), x.end(), [](float v) { return v == 0.0F; });
  };
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = 20;
  c.keys = kKeyBlock + 20;
  c.head_dim = 8;
  c.value_dim = 7;
  c.fill(6);
  c.causal = true;
  c.key_mask.assign(static_cast<std::size_t>(c.keys), 1);
  for (const std::int64_t n : {0, 5, 95, 96, 110}) c.key_mask[static_cast<std::size_t>(n)] = 0;
  const Gradients clean = gradients_of(c);
  for (const float poison : {kNan, std::numeric_limits<float>::infinity(), 3e38F}) {
    AttentionCase dirty = c;
    for (const std::int64_t n : {0, 5, 95, 96, 110}) {
      std::fill_n(dirty.key_row(0, 0, n), 8, poison);
      std::fill_n(dirty.value_row(0, 0, n), 7, poison);
    }
    const Gradients g = gradients_of(dirty);
    CHECK(bit_differences(g.query, clean.query) == "");
    CHECK(bit_differences(g.key, clean.key) == "");
    CHECK(bit_differences(g.value, clean.value) == "");
    for (const std::int64_t n : {0, 5, 95, 96, 110}) {
      CHECK(zeros(part(g.key, n * 8, 8)));
      CHECK(zeros(part(g.value, n * 7, 7)));
    }
  }
  // A NaN in a query goes to the keys that it sees and to no other.
  AttentionCase dirty = c;
  dirty.query_row(0, 1, 10)[3] = kNan;  // at position 106
  const Gradients g = gradients_of(dirty);
  for (std::int64_t n = 107; n < c.keys; ++n) {
    CHECK(bit_differences(part(g.key, n * 8, 8), part(clean.key, n * 8, 8)) == "");
    CHECK(bit_differences(part(g.value, n * 7, 7), part(clean.value, n * 7, 7)) == "");
  }
  CHECK(std::isnan(g.key[8]));
  CHECK(zeros(part(g.key, 0, 8)));
}

TEST_CASE("what is hidden may hold anything with every encoding") {
  AttentionCase c;
  c.heads = 2;
  c.queries = 5;
  c.keys = 7;
  c.head_dim = 8;
  c.value_dim = 8;
  c.fill(10);
  c.kv_heads = 1;
  c.head_scales = {1.0F, 0.5F};
  c.query_scales = {1.0F, 0.5F, 2.0F, 1.0F, 1.0F};
  c.key_mask = {1, 1, 0, 1, 1, 1, 0};
  c.causal = true;
  for (const Sample& sample : samples(c.head_dim, 2, c.value_dim)) {
    const auto encoding = sample.make();
    if (!encoding->domain().holds({c.key_positions.data(), 7}) &&
        axes_read(encoding->domain()) < 2) {
      continue;
    }
    AttentionCase with = c;
    with.encodings = {encoding.get()};
    const auto numbers_of = [&](const AttentionCase& problem) {
      Gradients g;
      g.d_output = random_floats(c.heads * c.queries * c.value_dim, 97);
      for (const Parameter& parameter : sample.description->parameters) {
        if (parameter.kind == Parameter::Kind::tensor) g.tensors.emplace_back(10000);
      }
      const Status status = run(problem, {.taps = false, .gradients = &g}).status;
      std::vector<float> all = g.query;
      for (const auto* more : {&g.key, &g.value, &g.head_scales, &g.query_scales}) {
        all.insert(all.end(), more->begin(), more->end());
      }
      for (const auto& more : g.tensors) all.insert(all.end(), more.begin(), more.end());
      all.push_back(static_cast<float>(g.score_scale));
      return std::pair(status, all);
    };
    const auto [status, clean] = numbers_of(with);
    if (status == Status::unsupported) continue;  // acts in the input
    CAPTURE(sample.label);
    REQUIRE(status == Status::ok);
    for (const std::int64_t n : {2, 6}) {
      std::fill_n(with.key_row(0, 0, n), 8, kNan);
      std::fill_n(with.value_row(0, 0, n), 8, kNan);
    }
    const auto [again, dirty] = numbers_of(with);
    REQUIRE(again == Status::ok);
    CHECK(bit_differences(dirty, clean) == "");
  }
}

TEST_CASE("without memory the way back says so" * doctest::skip(!can_run_out())) {
  constexpr std::int64_t kDim = 512;
  AttentionCase c;
  c.heads = 2;
  c.queries = 3;
  c.keys = 4;
  c.head_dim = kDim;
  c.value_dim = kDim;
  c.fill(11);
  const auto result = run(c, {.taps = false});
  AttentionProblem p;
  p.heads = 2;
  p.kv_heads = 1;
  p.queries = c.queries;
  p.keys = c.keys;
  p.head_dim = p.value_dim = kDim;
  p.query = c.query.data();
  p.key = c.key.data();
  p.value = c.value.data();
  p.query_positions = c.query_positions.data();
  p.key_positions = c.key_positions.data();
  std::vector<float> output = result.output;
  std::vector<RowStatistics> statistics = result.statistics;
  p.output = output.data();
  p.statistics = statistics.data();
  for (const Sample& sample : samples(kDim, 2, kDim)) {
    const auto encoding = sample.make();
    const Encoding* const encodings[] = {encoding.get()};
    p.terms = {};
    if (!unbounded(*encoding) || collect(encodings, p.terms) != Status::ok) continue;
    if (axes_read(p.terms.domain) > 1) continue;
    CAPTURE(sample.label);
    std::vector<float> d_query(c.query.size());
    AttentionGradients g;
    g.d_output = output.data();
    g.query = d_query.data();
    Status status = Status::ok;
    without_memory([&] { status = attention_backward(p, g); });
    CHECK(status == Status::memory);
    CHECK(attention_backward(p, g) == Status::ok);
  }
}

TEST_CASE("rows that see nothing have gradient 0, be they NaN") {
  AttentionCase c;
  c.queries = 3;
  c.keys = 5;
  c.fill(7);
  c.causal = true;
  c.query_positions = {-1, 2, -7};
  std::fill_n(c.query_row(0, 0, 0), c.head_dim, kNan);
  const Gradients g = gradients_of(c);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(g.query[i] == 0.0F);
    CHECK(g.query[16 + i] == 0.0F);
  }
  for (const float x : g.key) CHECK(std::isfinite(x));
  for (const float x : g.value) CHECK(std::isfinite(x));
}

TEST_CASE("the same bits on every run, whichever gradients are wanted") {
  AttentionCase c;
  c.heads = 2;
  c.queries = 70;
  c.keys = 110;
  c.fill(8);
  c.causal = true;
  const Gradients g = gradients_of(c);
  CHECK(bit_differences(gradients_of(c).key, g.key) == "");

  const auto result = run(c, {.taps = false});
  AttentionProblem p;
  p.heads = 2;
  p.kv_heads = 1;
  p.kv_heads = c.kv_heads;
  p.queries = c.queries;
  p.keys = c.keys;
  p.head_dim = p.value_dim = 8;
  p.query = c.query.data();
  p.key = c.key.data();
  p.value = c.value.data();
  p.scale = c.scale;
  p.masks.causal = true;
  p.query_positions = c.query_positions.data();
  p.key_positions = c.key_positions.data();
  std::vector<float> output = result.output;
  std::vector<RowStatistics> statistics = result.statistics;
  p.output = output.data();
  p.statistics = statistics.data();
  for (int wanted = 0; wanted < 3; ++wanted) {
    std::vector<float> alone((wanted == 0 ? c.query : wanted == 1 ? c.key : c.value).size());
    AttentionGradients one;
    one.d_output = g.d_output.data();
    (wanted == 0 ? one.query : wanted == 1 ? one.key : one.value) = alone.data();
    REQUIRE(attention_backward(p, one) == Status::ok);
    CHECK(bit_differences(alone, wanted == 0 ? g.query : wanted == 1 ? g.key : g.value) == "");
  }
}

TEST_CASE("any of the counts of tokens and entries may be 0 on the way back") {
  for (const Sample& sample : attention_samples(8, 1)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    for (int which = 0; which < 3; ++which) {
      AttentionCase c;
      c.batch = which == 0 ? 0 : 2;
      c.queries = which == 1 ? 0 : 3;
      c.keys = which == 2 ? 0 : 4;
      c.fill(9);
      c.query_positions = count_from(0, c.queries);
      c.encodings = {encoding.get()};
      const Gradients g = gradients_of(c);
      for (const float x : g.query) CHECK(x == 0.0F);
      for (const float x : g.key) CHECK(x == 0.0F);
      for (const float x : g.value) CHECK(x == 0.0F);
    }
  }
}

}  // namespace
}  // namespace posenc::test
