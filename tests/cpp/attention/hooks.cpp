// The hooks that no encoding of the registry fills yet, and several encodings together.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention/rows.hpp"
#include "attention_case.hpp"
#include "samples.hpp"
#include "table.hpp"
#include "test_encodings.hpp"

namespace posenc::test {
namespace {

/// More than one block of keys and of queries, with a group of query heads for each of two kv
/// heads.
AttentionCase grouped(unsigned seed) {
  AttentionCase c;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = kQueryBlock + 5;
  c.keys = kKeyBlock + 9;
  c.head_dim = 6;
  c.value_dim = 5;
  c.fill(seed);
  return c;
}

Sample sample_of(const char* label, std::int64_t width, int heads) {
  const std::vector<Sample> all = samples(width, heads);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Sample& s) { return s.label == label; });
  REQUIRE(found != all.end());
  return *found;
}

using Row = std::span<const double>;

double dot(const float* vector, Row x) {
  double sum = 0.0;
  for (std::size_t d = 0; d < x.size(); ++d) sum += static_cast<double>(vector[d]) * x[d];
  return sum;
}

TEST_CASE("content: vectors by distance times query and key, and a vector times key") {
  AttentionCase c = grouped(1);
  c.causal = true;
  constexpr std::int64_t kReach = 4;
  const std::int64_t size = c.heads * (2 * kReach + 1) * c.head_dim;
  for (int parts = 1; parts < 8; ++parts) {
    CAPTURE(parts);
    VectorEncoding encoding(kReach, c.head_dim);
    if ((parts & 1) != 0) encoding.by_query = random_floats(size, 11);
    if ((parts & 2) != 0) encoding.by_key = random_floats(size, 12);
    if ((parts & 4) != 0) encoding.shared = random_floats(c.heads * c.head_dim, 13);
    Reference reference;
    reference.content = [&](int head, Row q, Row k, std::int64_t at_query, std::int64_t at_key) {
      const std::int64_t distance = std::clamp(at_query - at_key, -kReach, kReach);
      const auto row = (head * (2 * kReach + 1) + distance + kReach) * c.head_dim;
      double sum = 0.0;
      if ((parts & 1) != 0) sum += dot(encoding.by_query.data() + row, q);
      if ((parts & 2) != 0) sum += dot(encoding.by_key.data() + row, k);
      if ((parts & 4) != 0) sum += dot(encoding.shared.data() + head * c.head_dim, k);
      return sum;
    };
    c.encodings = {&encoding};
    CHECK(stage_differences(run(c), expected(c, reference)) == "");
  }
}

TEST_CASE("scale: a temperature by head and query position multiplies content as well") {
  AttentionCase c = grouped(2);
  VectorEncoding vectors(2, c.head_dim);
  vectors.by_query = random_floats(c.heads * 5 * c.head_dim, 14);
  vectors.shared = random_floats(c.heads * c.head_dim, 15);
  ScaleEncoding temperature([](int head, std::int32_t query) {
    return 1.0F + 0.25F * static_cast<float>(head) + 0.01F * static_cast<float>(query);
  });
  Reference reference;
  reference.scale = [](int head, std::int64_t query) {
    return 1.0 + 0.25 * head + 0.01 * static_cast<double>(query);
  };
  c.encodings = {&temperature};
  CHECK(stage_differences(run(c), expected(c, reference)) == "");

  reference.content = [&](int head, Row q, Row k, std::int64_t at_query, std::int64_t at_key) {
    const auto row = head * 5 + std::clamp<std::int64_t>(at_query - at_key, -2, 2) + 2;
    return dot(vectors.by_query.data() + row * c.head_dim, q) +
           dot(vectors.shared.data() + head * c.head_dim, k);
  };
  c.encodings = {&temperature, &vectors};
  CHECK(stage_differences(run(c), expected(c, reference)) == "");
}

TEST_CASE("mask: an encoding hides keys by head and position, besides what the caller hides") {
  const auto in_chunk = [](int head, std::int64_t query, std::int64_t key) {
    return head == 3 || query / 16 == key / 16;
  };
  MaskEncoding chunks(
      [&](int head, std::int32_t query, std::int32_t key) { return in_chunk(head, query, key); });
  Reference reference;
  reference.visible = in_chunk;
  for (const bool causal : {false, true}) {
    for (const std::int64_t window : {0, 9}) {
      AttentionCase c = grouped(3);
      c.causal = causal;
      c.window = window;
      c.key_mask.assign(static_cast<std::size_t>(c.keys), 1);
      c.key_mask[70] = 0;
      c.encodings = {&chunks};
      CHECK(stage_differences(run(c), expected(c, reference)) == "");
      // What the encoding hides does not leak.
      AttentionCase dirty = c;
      for (std::int64_t h = 0; h < 2; ++h) {
        std::fill_n(dirty.key_row(0, h, 0), c.head_dim, std::numeric_limits<float>::quiet_NaN());
        std::fill_n(dirty.value_row(0, h, 0), c.value_dim, std::numeric_limits<float>::infinity());
      }
      const auto clean = run(c);
      const auto result = run(dirty);
      const std::int64_t rows = 3 * c.queries * c.value_dim;  // of the heads with chunks
      CHECK(c.query_positions.front() >= 16);
      CHECK(bit_differences(part(result.output, 0, rows), part(clean.output, 0, rows)) == "");
    }
  }
}

TEST_CASE("bias: functions of both positions, and of the distance alone") {
  AttentionCase c = grouped(4);
  BiasEncoding by_positions(4, [](int head, std::int32_t query, std::int32_t key) {
    return 0.1F * static_cast<float>(head) + 0.03F * static_cast<float>(key % 7) -
           0.02F * static_cast<float>(query % 5);
  });
  Reference reference;
  reference.bias = [](int head, std::int64_t query, std::int64_t key) {
    return 0.1 * head + 0.03 * static_cast<double>(key % 7) - 0.02 * static_cast<double>(query % 5);
  };
  for (const float softcap : {0.0F, 1.5F}) {
    c.softcap = softcap;
    c.encodings = {&by_positions};
    CHECK(stage_differences(run(c), expected(c, reference)) == "");
  }

  // Not symmetric, so that a distance with the wrong sign shows.
  const auto slope = [](int head, std::int64_t distance) {
    return (distance > 0 ? -0.05 : 0.02) * static_cast<double>(distance) * (head + 1);
  };
  DistanceEncoding by_distance(
      4, [&](int head, std::int64_t d) { return static_cast<float>(slope(head, d)); });
  reference.bias = [&](int head, std::int64_t query, std::int64_t key) {
    return slope(head, query - key);
  };
  c.encodings = {&by_distance};
  for (const float softcap : {0.0F, 1.5F}) {
    // Gaps among the keys, among the queries, or none.
    for (const int gaps : {0, 1, 2}) {
      AttentionCase d = c;
      d.softcap = softcap;
      auto& positions = gaps == 1 ? d.key_positions : d.query_positions;
      for (std::size_t t = 50; gaps > 0 && t < positions.size(); ++t) positions[t] += 3;
      CHECK(stage_differences(run(d), expected(d, reference)) == "");
      for (std::int32_t& position : d.query_positions) position -= 1000;
      CHECK(stage_differences(run(d), expected(d, reference)) == "");
    }
  }
}

TEST_CASE("huge finite biases leave the softmax of the others") {
  AttentionCase c = grouped(5);
  BiasEncoding huge(4,
                    [](int, std::int32_t, std::int32_t key) { return key % 3 == 0 ? 0 : -1e9F; });
  Reference reference;
  reference.bias = [](int, std::int64_t, std::int64_t key) { return key % 3 == 0 ? 0 : -1e9; };
  c.encodings = {&huge};
  CHECK(stage_differences(run(c), expected(c, reference)) == "");
}

TEST_CASE("where all biases of a row are huge, scores vanish beside them in float32") {
  // The mean of the values, as PyTorch's float32 gives it.
  AttentionCase c = grouped(5);
  BiasEncoding huge(4, [](int, std::int32_t, std::int32_t) { return -1e9F; });
  c.encodings = {&huge};
  const auto result = run(c);
  const std::vector<double> even(result.weights.size(), 1.0 / static_cast<double>(c.keys));
  CHECK(differences(result.weights, even) == "");
}

TEST_CASE("what a row of biases has in common does not count (mosaicml/llm-foundry#186)") {
  // −slope·|query − key| and slope·key are one encoding for a causal query, and two for others.
  AttentionCase c = grouped(11);
  c.softcap = 4.0F;
  const auto slopes = alibi_slopes(4);
  BiasEncoding by_key(4, [&](int head, std::int32_t, std::int32_t key) {
    return static_cast<float>(slopes[static_cast<std::size_t>(head)] * key);
  });
  const auto alibi = sample_of("alibi", c.head_dim, 4).make();
  for (const bool causal : {true, false}) {
    c.causal = causal;
    c.encodings = {alibi.get()};
    const auto by_distance = run(c);
    c.encodings = {&by_key};
    const auto difference = differences(run(c).output, std::span<const float>(by_distance.output));
    CHECK(difference.empty() == causal);
  }
}

TEST_CASE("a bias of −infinity hides, a row of nothing else is 0") {
  AttentionCase c = grouped(6);
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  BiasEncoding hide(4, [](int head, std::int32_t query, std::int32_t key) {
    return key % 3 == head % 3 && query != 50 ? 0 : kHidden;
  });
  Reference reference;
  reference.bias = [&](int head, std::int64_t query, std::int64_t key) {
    return key % 3 == head % 3 && query != 50 ? 0.0 : -std::numeric_limits<double>::infinity();
  };
  c.encodings = {&hide};
  CHECK(stage_differences(run(c), expected(c, reference)) == "");
}

TEST_CASE("encodings that fill different hooks act together") {
  AttentionCase c = grouped(7);
  c.causal = true;
  c.softcap = 3.0F;
  const Sample rope = sample_of("rope interleaved", c.head_dim, 4);
  const Sample alibi = sample_of("alibi", c.head_dim, 4);
  const auto turn = rope.make();
  const auto slope = alibi.make();
  Reference both = rope.reference;
  both.bias = alibi.reference.bias;
  c.encodings = {turn.get(), slope.get()};
  const auto result = run(c);
  CHECK(stage_differences(result, expected(c, both)) == "");
  c.encodings = {slope.get(), turn.get()};
  CHECK(bit_differences(run(c).output, result.output) == "");
}

TEST_CASE("content and a bias by distance act together") {
  AttentionCase c = grouped(9);
  VectorEncoding vectors(3, c.head_dim);
  vectors.by_key = random_floats(c.heads * 7 * c.head_dim, 16);
  DistanceEncoding slope(4, [](int, std::int64_t d) { return -0.01F * static_cast<float>(d); });
  Reference reference;
  reference.content = [&](int head, Row /*q*/, Row k, std::int64_t at_query, std::int64_t at_key) {
    const auto row = head * 7 + std::clamp<std::int64_t>(at_query - at_key, -3, 3) + 3;
    return dot(vectors.by_key.data() + row * c.head_dim, k);
  };
  reference.bias = [](int, std::int64_t query, std::int64_t key) {
    return -0.01 * static_cast<double>(query - key);
  };
  c.encodings = {&vectors, &slope};
  CHECK(stage_differences(run(c), expected(c, reference)) == "");
}

TEST_CASE("queries and keys may be turned differently") {
  AttentionCase c = grouped(10);
  c.causal = true;
  for (std::int32_t& position : c.query_positions) position -= 70;
  for (std::int32_t& position : c.key_positions) position -= 70;
  const GrowingRotation growing(c.head_dim);
  Reference reference;
  reference.rotary_dim = c.head_dim;
  reference.layout = PairLayout::interleaved;
  reference.frequency = GrowingRotation::frequency;
  reference.magnitude = GrowingRotation::magnitude;
  c.encodings = {&growing};
  CHECK(stage_differences(run(c), expected(c, reference)) == "");
}

TEST_CASE("the axis of positions: causality, windows and biases read the first") {
  AttentionCase c = grouped(8);
  c.causal = true;
  c.window = 30;
  for (const Sample& sample : attention_samples(c.head_dim, 4)) {
    CAPTURE(sample.label);
    const auto encoding = sample.make();
    c.encodings = {encoding.get()};
    AttentionCase with_axes = c;
    with_axes.axes = 3;
    const auto spread = [](const std::vector<std::int32_t>& x) {
      std::vector<std::int32_t> out;
      for (const std::int32_t p : x) out.insert(out.end(), {p, 1000 - p, 5});
      return out;
    };
    with_axes.query_positions = spread(c.query_positions);
    with_axes.key_positions = spread(c.key_positions);
    const auto result = run(with_axes);
    CHECK(bit_differences(result.output, run(c).output) == "");
    CHECK(stage_differences(result, expected(with_axes, sample.reference)) == "");
  }
}

}  // namespace
}  // namespace posenc::test
