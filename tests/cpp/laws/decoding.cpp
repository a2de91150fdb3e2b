// The same tokens attended in different ways give the same outputs, for every encoding that acts
// inside attention: at once (prefill), one by one, in chunks, padded, packed into one row, or with
// keys evicted. All follows from comparing positions, never slots.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "attention_case.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

/// A causal self-attention of `tokens` tokens; more than a block of keys and a block of queries.
AttentionCase sequence(std::int64_t tokens, unsigned seed) {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = tokens;
  c.keys = tokens;
  c.head_dim = 10;
  c.value_dim = 6;
  c.fill(seed);
  c.causal = true;
  return c;
}

/// Calls law(case, reference) for every encoding, with and without a window.
template <class Law>
void with_every_encoding(AttentionCase c, Law law) {
  for (const Sample& sample :
       attention_samples(c.head_dim, static_cast<int>(c.heads), c.value_dim)) {
    const auto encoding = sample.make();
    c.encodings = {encoding.get()};
    for (const std::int64_t window : {0, 23}) {
      CAPTURE(sample.label);
      CAPTURE(window);
      c.window = window;
      law(c, sample.reference);
    }
  }
}

std::string same(const std::vector<float>& actual, const std::vector<float>& expected) {
  return differences(actual, std::span<const float>(expected));
}

TEST_CASE("token by token is prefill") {
  with_every_encoding(sequence(131, 1), [](const AttentionCase& c, const Reference& /*reference*/) {
    const auto prefill = run(c, {.taps = false});
    for (std::int64_t t = 0; t < c.keys; ++t) {
      const auto step = run(slice(c, t, 1, 0, t + 1), {.taps = false});
      REQUIRE(same(step.output, output_rows(c, prefill, t, 1)) == "");
    }
  });
}

TEST_CASE("chunk by chunk is prefill") {
  with_every_encoding(sequence(131, 2), [](const AttentionCase& c, const Reference& /*reference*/) {
    const auto prefill = run(c, {.taps = false});
    for (const std::int64_t chunk : {3, 32, 97}) {
      for (std::int64_t t = 0; t < c.keys; t += chunk) {
        const std::int64_t count = std::min(chunk, c.keys - t);
        const auto part = run(slice(c, t, count, 0, t + count), {.taps = false});
        CHECK(same(part.output, output_rows(c, prefill, t, count)) == "");
      }
    }
  });
}

TEST_CASE("padding on the left, the right or both sides changes nothing") {
  // huggingface/transformers#22161 (GPT-NeoX), #48161 (right padding), unslothai/unsloth#3699.
  with_every_encoding(sequence(70, 3), [](const AttentionCase& c, const Reference& /*reference*/) {
    const auto plain = run(c, {.taps = false});
    for (const std::int64_t before : {0, 1, 100}) {
      for (const std::int64_t after : {0, 1, 100}) {
        const AttentionCase p = padded(c, before, after);
        const auto result = run(p, {.taps = false});
        CHECK(same(output_rows(p, result, before, c.keys), plain.output) == "");
      }
    }
  });
}

TEST_CASE("rows of different length in one batch are as alone") {
  // Lengths 3 and 5, left-padded to 5: the first decoded token of each stands at 3 and 5.
  with_every_encoding(sequence(6, 4), [](const AttentionCase& c, const Reference& /*reference*/) {
    const AttentionCase a = padded(slice(c, 0, 4, 0, 4), 2, 0);
    AttentionCase batch = a;
    batch.batch = 2;
    const auto append = [](auto& x, const auto& y) { x.insert(x.end(), y.begin(), y.end()); };
    append(batch.query, c.query);
    append(batch.key, c.key);
    append(batch.value, c.value);
    append(batch.query_positions, c.query_positions);
    append(batch.key_positions, c.key_positions);
    append(batch.key_mask, std::vector<std::uint8_t>(6, 1));
    const AttentionCase step = slice(batch, 5, 1, 0, 6);
    CHECK(step.query_positions == std::vector<std::int32_t>{3, 5});
    const auto decoded = run(step, {.taps = false});
    auto alone = run(slice(c, 3, 1, 0, 4), {.taps = false}).output;
    append(alone, run(slice(c, 5, 1, 0, 6), {.taps = false}).output);
    CHECK(same(decoded.output, alone) == "");
  });
}

TEST_CASE("documents packed into one row are as alone") {
  // The second document stands so far behind the first one that the window hides it; relative
  // encodings cannot tell (NVIDIA/Megatron-LM#453: positions must start anew).
  AttentionCase c = sequence(120, 5);
  for (std::size_t t = 50; t < 120; ++t) c.key_positions[t] += 9950;
  c.query_positions = c.key_positions;
  with_every_encoding(c, [](AttentionCase packed, const Reference& reference) {
    if (!reference.relative || !unbounded(*packed.encodings[0])) return;
    if (packed.window == 0) packed.window = 1000;
    const auto both = run(packed, {.taps = false});
    const auto first = run(slice(packed, 0, 50, 0, 50), {.taps = false});
    AttentionCase second = slice(packed, 50, 70, 50, 70);
    second.key_positions = second.query_positions = count_from(0, 70);
    CHECK(same(output_rows(packed, both, 0, 50), first.output) == "");
    CHECK(differences(output_rows(packed, both, 50, 70),
                      std::span<const float>(run(second, {.taps = false}).output)) == "");
  });
}

TEST_CASE("evicted keys are as masked keys") {
  // Four sinks and the last 20 keys stay; the positions of those that stay do not change.
  with_every_encoding(sequence(128, 6), [](const AttentionCase& c, const Reference& /*reference*/) {
    const AttentionCase step = slice(c, 127, 1, 0, 128);
    AttentionCase masked = step;
    masked.key_mask.assign(128, 0);
    AttentionCase kept = step;
    kept.keys = 24;
    kept.key.clear();
    kept.value.clear();
    kept.key_positions.clear();
    for (std::int64_t n = 0; n < 128; ++n) {
      if (n >= 4 && n < 108) continue;
      masked.key_mask[static_cast<std::size_t>(n)] = 1;
      const auto key = part(step.key, n * c.head_dim, c.head_dim);
      const auto value = part(step.value, n * c.value_dim, c.value_dim);
      kept.key.insert(kept.key.end(), key.begin(), key.end());
      kept.value.insert(kept.value.end(), value.begin(), value.end());
      kept.key_positions.push_back(static_cast<std::int32_t>(n));
    }
    CHECK(same(run(kept, {.taps = false}).output, run(masked, {.taps = false}).output) == "");
  });
}

}  // namespace
}  // namespace posenc::test
