// The order of the stages, heads that share keys, shapes, and bad input.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention_case.hpp"
#include "samples.hpp"
#include "table.hpp"
#include "test_encodings.hpp"

namespace posenc::test {
namespace {

TEST_CASE("the score of known numbers, stage by stage") {
  AttentionCase c;
  c.heads = 1;
  c.queries = 1;
  c.keys = 3;
  c.head_dim = 2;
  c.value_dim = 1;
  c.fill(0);
  c.query = {1, 2};
  c.key = {3, 4, 5, -6, 1, 0};  // q·k = 11, −7, 1
  c.value = {10, 20, 40};
  c.scale = 0.5F;
  c.softcap = 2.0F;
  c.causal = true;
  c.query_positions = {1};
  BiasEncoding bias(
      1, [](int, std::int32_t, std::int32_t key) { return 0.5F * static_cast<float>(key); });
  c.encodings = {&bias};
  const auto result = run(c);
  CHECK(differences(result.scores, std::vector<double>{5.5, -3.5, 0.5}) == "");
  const double a = 2 * std::tanh(2.75);
  const double b = 2 * std::tanh(-1.75);
  CHECK(differences(result.capped, std::vector<double>{a, b, 2 * std::tanh(0.25)}) == "");
  CHECK(differences(result.biased, std::vector<double>{a, b + 0.5, 2 * std::tanh(0.25) + 1}) == "");
  CHECK(differences(result.logits,
                    std::vector<double>{a, b + 0.5, -std::numeric_limits<double>::infinity()}) ==
        "");
  const double share = 1 / (1 + std::exp(b + 0.5 - a));
  CHECK(differences(result.weights, std::vector<double>{share, 1 - share, 0}) == "");
  CHECK(differences(result.output, std::vector<double>{10 * share + 20 * (1 - share)}) == "");
}

TEST_CASE("softcap comes before the mask: what is hidden keeps no weight") {
  // Dao-AILab/flash-attention#1025 and others: tanh(−∞) is −1, so that a cap of 1 after the mask
  // leaks e^−2.
  AttentionCase c;
  c.queries = 3;
  c.keys = 3;
  c.fill(2);
  c.causal = true;
  c.softcap = 1.0F;
  const auto result = run(c);
  CHECK(result.weights[0] == 1.0F);
  CHECK(result.weights[1] == 0.0F);
  CHECK(result.weights[2] == 0.0F);
  CHECK(stage_differences(result, expected(c)) == "");
  for (const float x : result.capped) CHECK(std::abs(x) < 1.0F);
}

TEST_CASE("a softcap bounds scores of any size") {
  AttentionCase c;
  c.queries = 9;
  c.keys = 120;
  c.fill(3);
  for (const float scale : {0.01F, 1.0F, 1e4F}) {
    for (const float softcap : {0.5F, 30.0F, 1e6F}) {
      c.scale = scale;
      c.softcap = softcap;
      const auto result = run(c);
      for (const float x : result.capped) CHECK(std::abs(x) <= softcap);
      if (scale <= 1) CHECK(stage_differences(result, expected(c)) == "");
    }
  }
}

TEST_CASE("head h reads kv head ⌊h·kv_heads/heads⌋: repeated, not tiled") {
  AttentionCase c;
  c.heads = 4;
  c.kv_heads = 2;
  c.keys = 3;
  c.value_dim = 1;
  c.fill(4);
  c.value = {7, 7, 7, 9, 9, 9};
  CHECK(differences(run(c).output, std::vector<double>{7, 7, 9, 9}) == "");
  for (const std::int64_t kv_heads : {1, 2, 3, 6}) {
    AttentionCase d;
    d.batch = 2;
    d.heads = 6;
    d.kv_heads = kv_heads;
    d.queries = 5;
    d.keys = 7;
    d.fill(5);
    CHECK(stage_differences(run(d), expected(d)) == "");
  }
}

TEST_CASE("equal scores give the mean of the values") {
  AttentionCase c;
  c.queries = 2;
  c.keys = 200;
  c.value_dim = 3;
  c.fill(6);
  std::fill(c.query.begin(), c.query.end(), 0.0F);
  std::vector<double> mean(3, 0.0);
  for (std::size_t i = 0; i < c.value.size(); ++i) mean[i % 3] += c.value[i] / 200.0;
  const auto output = run(c).output;
  CHECK(differences(part(output, 0, 3), mean) == "");
  CHECK(differences(part(output, 3, 3), mean) == "");
}

TEST_CASE("any of the counts of tokens and entries may be 0") {
  for (int which = 0; which < 3; ++which) {
    for (const Sample& sample : attention_samples(8, 2)) {
      CAPTURE(which);
      CAPTURE(sample.label);
      AttentionCase c;
      c.batch = which == 0 ? 0 : 2;
      c.heads = 2;
      c.queries = which == 1 ? 0 : 3;
      c.keys = which == 2 ? 0 : 4;
      c.fill(7);
      c.query_positions = count_from(0, c.queries);
      const auto encoding = sample.make();
      c.encodings = {encoding.get()};
      const auto result = run(c);
      CHECK(result.status == Status::ok);
      CHECK(result.output == std::vector<float>(which == 2 ? 2 * 2 * 3 * 8 : 0, 0.0F));
    }
  }
}

TEST_CASE("shapes and numbers that do not fit are refused") {
  using Change = void (*)(AttentionCase&);
  struct Row {
    const char* what;
    Change change;
    Status status;
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Row rows[] = {
      {"batch", [](AttentionCase& c) { c.batch = -1; }, Status::shape},
      {"heads", [](AttentionCase& c) { c.heads = 0; }, Status::shape},
      {"kv_heads", [](AttentionCase& c) { c.kv_heads = 0; }, Status::shape},
      {"kv_heads does not divide", [](AttentionCase& c) { c.kv_heads = 3; }, Status::shape},
      {"more kv_heads than heads", [](AttentionCase& c) { c.kv_heads = 8; }, Status::shape},
      {"queries", [](AttentionCase& c) { c.queries = -1; }, Status::shape},
      {"keys", [](AttentionCase& c) { c.keys = -1; }, Status::shape},
      {"head_dim", [](AttentionCase& c) { c.head_dim = 0; }, Status::shape},
      {"value_dim", [](AttentionCase& c) { c.value_dim = 0; }, Status::shape},
      {"axes", [](AttentionCase& c) { c.axes = 0; }, Status::shape},
      {"scale", [](AttentionCase& c) { c.scale = kNan; }, Status::parameter},
      {"scale", [](AttentionCase& c) { c.scale = kInfinity; }, Status::parameter},
      {"softcap", [](AttentionCase& c) { c.softcap = -1; }, Status::parameter},
      {"softcap", [](AttentionCase& c) { c.softcap = kNan; }, Status::parameter},
      {"softcap", [](AttentionCase& c) { c.softcap = kInfinity; }, Status::parameter},
      {"window", [](AttentionCase& c) { c.window = -1; }, Status::parameter},
      {"before", [](AttentionCase& c) { c.before = -2; }, Status::parameter},
      {"after", [](AttentionCase& c) { c.after = -2; }, Status::parameter},
      {"chunk", [](AttentionCase& c) { c.chunk = -1; }, Status::parameter},
      {"sinks", [](AttentionCase& c) { c.sinks = -1; }, Status::parameter},
      {"segments of keys alone",
       [](AttentionCase& c) {
         c.key_segments = {0, 0};
       },
       Status::parameter},
      {"segments of queries alone",
       [](AttentionCase& c) {
         c.query_segments = {0, 0};
       },
       Status::parameter},
      {"nothing", [](AttentionCase& /*c*/) {}, Status::ok},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    AttentionCase c;
    c.heads = 4;
    c.kv_heads = 2;
    c.queries = 2;
    c.keys = 2;
    c.fill(8);
    AttentionCase changed = c;
    row.change(changed);
    AttentionProblem p;
    p.batch = changed.batch;
    p.heads = changed.heads;
    p.kv_heads = changed.kv_heads;
    p.queries = changed.queries;
    p.keys = changed.keys;
    p.head_dim = changed.head_dim;
    p.value_dim = changed.value_dim;
    p.axes = changed.axes;
    p.scale = changed.scale;
    p.softcap = changed.softcap;
    p.masks = changed.masks();
    std::vector<float> output(c.query.size(), 5.0F);
    p.query = c.query.data();
    p.key = c.key.data();
    p.value = c.value.data();
    p.query_positions = c.query_positions.data();
    p.key_positions = c.key_positions.data();
    p.output = output.data();
    CHECK(attention(p) == row.status);
    if (row.status != Status::ok) CHECK(output == std::vector<float>(c.query.size(), 5.0F));
  }
}

TEST_CASE("encodings that do not fit the shape, the place or each other are refused") {
  AttentionCase c;
  c.heads = 2;
  c.queries = 3;
  c.keys = 3;
  c.fill(9);
  for (const Sample& sample : samples(8, 2)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    const auto twin = sample.make();
    const bool rotates = encoding->rotate() != nullptr;
    const bool biases = encoding->bias() != nullptr;
    const Content* content = encoding->content();
    const bool embeds = encoding->embed() != nullptr;
    const bool has_heads =
        encoding->head_mix() != nullptr || (content != nullptr && content->heads() != 0);
    c.encodings = {encoding.get()};
    CHECK(run(c).status == (embeds ? Status::unsupported : Status::ok));
    if (embeds) continue;
    c.encodings = {encoding.get(), twin.get()};
    const bool acts = !sample.description->hooks.empty();
    CHECK(run(c).status == (acts ? Status::conflict : Status::ok));

    // The same sample of another width, or for another number of heads, where there is one.
    const auto with = [&](std::int64_t width, int heads) {
      for (const Sample& other : samples(width, heads)) {
        if (other.label != sample.label) continue;
        const auto made = other.make();
        c.encodings = {made.get()};
        return run(c).status;
      }
      return Status::shape;
    };
    CHECK(with(6, 2) == (rotates || content ? Status::shape : Status::ok));
    if (!rotates) CHECK(with(8, 3) == (biases || has_heads ? Status::shape : Status::ok));
  }
}

TEST_CASE("every hook is collected once") {
  VectorEncoding content(1, 8);
  ScaleEncoding scale([](int, std::int32_t) { return 1.0F; });
  MaskEncoding mask([](int, std::int32_t, std::int32_t) { return true; });
  BiasEncoding bias(1, [](int, std::int32_t, std::int32_t) { return 0.0F; });
  const Encoding* all[] = {&content, &scale, &mask, &bias};
  ScoreTerms terms;
  CHECK(collect(all, terms) == Status::ok);
  CHECK(terms.content == content.content());
  CHECK(terms.scale == scale.scale());
  CHECK(terms.mask == mask.mask());
  CHECK(terms.bias == bias.bias());
  CHECK(terms.rotate == nullptr);
  for (const Encoding* twice : all) {
    const Encoding* pair[] = {twice, twice};
    ScoreTerms fresh;
    CHECK(collect(pair, fresh) == Status::conflict);
  }
  ScoreTerms none;
  CHECK(collect({}, none) == Status::ok);
}

TEST_CASE("a problem too large for the memory says so") {
  AttentionProblem p;
  std::int32_t position = 0;
  float number = 0.0F;
  p.queries = 1;
  p.keys = 1;
  p.head_dim = std::int64_t{1} << 56;
  p.value_dim = 1;
  p.query = p.key = p.value = &number;
  p.output = &number;
  p.query_positions = p.key_positions = &position;
  CHECK(attention(p) == Status::memory);
}

}  // namespace
}  // namespace posenc::test
