// What a cache stores, where, and when it refuses; numbers by hand and from reports of others.
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "cache_case.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

AttentionCase tokens(std::int64_t count, unsigned seed = 1) {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = c.keys = count;
  c.head_dim = 8;
  c.value_dim = 4;
  c.fill(seed);
  c.causal = true;
  return c;
}

/// `count` of them with batch entries side by side.
AttentionCase batch_of(std::int64_t batch, std::int64_t count) {
  AttentionCase c = tokens(count);
  c.batch = batch;
  c.fill(7);
  return c;
}

std::vector<std::int32_t> positions(const KvCache& cache, std::int64_t layer = 0,
                                    std::int64_t sequence = 0) {
  const Positions p = cache.positions(layer, sequence);
  return {p.data, p.data + p.count * p.axes};
}

using Places = std::vector<std::int32_t>;

TEST_CASE("caches of impossible shapes and policies are refused") {
  const CacheShape fine = {
      .layers = 2, .batch = 1, .kv_heads = 1, .head_dim = 4, .value_dim = 4, .capacity = 10};
  struct Row {
    const char* label;
    Status status;
    void (*change)(CacheShape&, CachePolicy&);
  };
  const Row rows[] = {
      {"as it is", Status::ok, [](CacheShape&, CachePolicy&) {}},
      {"no layer", Status::shape, [](CacheShape& s, CachePolicy&) { s.layers = 0; }},
      {"no sequence", Status::shape, [](CacheShape& s, CachePolicy&) { s.batch = 0; }},
      {"no head", Status::shape, [](CacheShape& s, CachePolicy&) { s.kv_heads = -1; }},
      {"no key", Status::shape, [](CacheShape& s, CachePolicy&) { s.head_dim = 0; }},
      {"no value", Status::shape, [](CacheShape& s, CachePolicy&) { s.value_dim = 0; }},
      {"no room", Status::shape, [](CacheShape& s, CachePolicy&) { s.capacity = 0; }},
      {"no axis", Status::shape, [](CacheShape& s, CachePolicy&) { s.axes = 0; }},
      {"more than any memory", Status::memory,
       [](CacheShape& s, CachePolicy&) { s.layers = s.capacity = std::int64_t{1} << 40; }},
      {"window and sinks fill it", Status::ok,
       [](CacheShape&, CachePolicy& p) { p = {.window = 7, .sinks = 3}; }},
      {"window and sinks do not fit", Status::parameter,
       [](CacheShape&, CachePolicy& p) { p = {.window = 7, .sinks = 4}; }},
      {"negative window", Status::parameter, [](CacheShape&, CachePolicy& p) { p.window = -1; }},
      {"negative sinks", Status::parameter,
       [](CacheShape&, CachePolicy& p) { p = {.window = 7, .sinks = -1}; }},
      {"slots of two axes", Status::parameter,
       [](CacheShape& s, CachePolicy& p) {
         s.axes = 2;
         p.renumber = true;
       }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    CacheShape shape = fine;
    CachePolicy policy;
    row.change(shape, policy);
    CHECK(KvCache(shape, policy).allocate() == row.status);
  }
}

TEST_CASE("tokens go on where their sequence stopped") {
  // Blaizzy/mlx-vlm#1983: 100 cached tokens, then 100, 101, …
  CachedCase cached(tokens(1), 110, {});
  REQUIRE(cached.append(tokens(100)) == Status::ok);
  REQUIRE(cached.append(tokens(1)) == Status::ok);
  REQUIRE(cached.append(tokens(1)) == Status::ok);
  CHECK(positions(cached.cache()) == count_from(0, 102));
  CHECK(cached.cache().next(0, 0) == 102);
}

TEST_CASE("padding is not stored and takes no position") {
  // unslothai/unsloth#3803: lengths 3 and 5, padded to 5 on the left;
  // huggingface/transformers#48161: mask [1, 1, 0], then 2, not 3.
  struct Row {
    const char* label;
    std::vector<std::uint8_t> mask;
    std::vector<std::int32_t> first, second;
  };
  const Row rows[] = {
      {"left", {0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}},
      {"right", {1, 1, 0, 0, 0, 1, 1, 1, 1, 0}, {0, 1, 2}, {0, 1, 2, 3, 4}},
      {"in between", {1, 0, 1, 0, 1, 0, 0, 0, 0, 0}, {0, 1, 2, 3}, {0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    AttentionCase prompt = batch_of(2, 5);
    prompt.key_mask = row.mask;
    CachedCase cached(prompt, 10, {}, 2);
    REQUIRE(cached.append(prompt) == Status::ok);
    REQUIRE(cached.append(batch_of(2, 1)) == Status::ok);
    CHECK(positions(cached.cache(), 0, 0) == row.first);
    CHECK(positions(cached.cache(), 0, 1) == row.second);
  }
}

TEST_CASE("positions may be given, and the next token comes after the largest") {
  AttentionCase c = tokens(4);
  c.query_positions = {5, 9, 9, 2};
  CachedCase cached(c, 10, {});
  REQUIRE(cached.append(c, {.placed = true}) == Status::ok);
  REQUIRE(cached.append(tokens(1)) == Status::ok);
  CHECK(positions(cached.cache()) == Places{5, 9, 9, 2, 10});

  // Below 0 too.
  c.query_positions = {-1000, -999, -998, -997};
  CachedCase negative(c, 10, {});
  REQUIRE(negative.append(c, {.placed = true}) == Status::ok);
  CHECK(negative.cache().next(0, 0) == -996);

  // Text after an image starts after the largest coordinate of all axes (Wang 2024, "Qwen2-VL").
  const auto images = made("mrope", {{"headDim", 8}, {"sections", kept<double>({2, 1, 1})}});
  KvCache cache({.kv_heads = 1, .head_dim = 8, .value_dim = 4, .capacity = 8, .axes = 3}, {});
  REQUIRE(cache.allocate() == Status::ok);
  AttentionProblem p;
  const Encoding* encodings[] = {images.get()};
  REQUIRE(collect(encodings, p.terms) == Status::ok);
  const Places grid = {0, 0, 0, 0, 1, 4, 0, 2, 1};
  p.queries = 3;
  p.head_dim = 8;
  p.value_dim = 4;
  p.key = c.key.data();
  p.value = c.value.data();
  p.axes = 3;
  p.query_positions = grid.data();
  REQUIRE(cache.append({0, 0}, p) == Status::ok);
  p.queries = 1;
  p.query_positions = nullptr;
  REQUIRE(cache.append({0, 0}, p) == Status::ok);
  CHECK(positions(cache) == Places{0, 0, 0, 0, 1, 4, 0, 2, 1, 5, 5, 5});
}

TEST_CASE("layers and sequences are apart") {
  CachedCase cached(tokens(1), 10, {}, 3, 2);
  REQUIRE(cached.append(tokens(4), {.part = {1, 2}}) == Status::ok);
  REQUIRE(cached.append(batch_of(3, 2), {.part = {1, -1}}) == Status::ok);
  const KvCache& cache = cached.cache();
  for (std::int64_t b = 0; b < 3; ++b) {
    CHECK(cache.count(0, b) == 0);
    CHECK(cache.count(1, b) == (b == 2 ? 6 : 2));
    CHECK(cache.next(1, b) == (b == 2 ? 6 : 2));
  }
  CHECK(cached.cache().clear(2) == Status::ok);
  CHECK(cache.count(1, 2) == 0);
  CHECK(cache.next(1, 2) == 0);
  CHECK(cache.count(1, 1) == 2);
}

TEST_CASE("what does not fit is refused and changes nothing") {
  struct Row {
    const char* label;
    Status status;
    void (*change)(AttentionCase&, FeedOptions&);
  };
  const Row rows[] = {
      {"too many tokens", Status::capacity, [](AttentionCase& c, FeedOptions&) { c = tokens(3); }},
      {"another number of sequences", Status::shape,
       [](AttentionCase& c, FeedOptions&) { c = batch_of(2, 1); }},
      {"no such layer", Status::shape, [](AttentionCase&, FeedOptions& o) { o.part.layer = 1; }},
      {"all layers", Status::shape, [](AttentionCase&, FeedOptions& o) { o.part.layer = -1; }},
      {"no such sequence", Status::shape,
       [](AttentionCase&, FeedOptions& o) { o.part.sequence = 1; }},
      {"another number of kv heads", Status::shape,
       [](AttentionCase& c, FeedOptions&) {
         c.kv_heads = 2;
         c.fill(1);
       }},
      {"other keys", Status::shape,
       [](AttentionCase& c, FeedOptions&) {
         c.head_dim = 4;
         c.fill(1);
       }},
      {"other values", Status::shape,
       [](AttentionCase& c, FeedOptions&) {
         c.value_dim = 8;
         c.fill(1);
       }},
      {"a position that is not known", Status::position,
       [](AttentionCase& c, FeedOptions& o) {
         c.query_positions = {kMaxPosition + 1};
         o.placed = true;
       }},
      {"documents", Status::unsupported,
       [](AttentionCase& c, FeedOptions&) { c.query_segments = c.key_segments = {0}; }},
      {"global tokens", Status::unsupported,
       [](AttentionCase& c, FeedOptions&) { c.global_keys = {1}; }},
      {"a mask", Status::unsupported,
       [](AttentionCase& c, FeedOptions&) {
         c.shown = {{1, 1, 1, 1}, {1}};
       }},
      {"taps narrower than the keys", Status::shape,
       [](AttentionCase&, FeedOptions& o) { o.tap_keys = 8; }},
      {"taps wider than the room", Status::shape,
       [](AttentionCase&, FeedOptions& o) { o.tap_keys = 11; }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    CachedCase cached(tokens(1), 10, {});
    REQUIRE(cached.append(tokens(8)) == Status::ok);
    AttentionCase next = tokens(1, 2);
    FeedOptions options;
    row.change(next, options);
    CHECK(cached.attend(next, options).status == row.status);
    CHECK(positions(cached.cache()) == count_from(0, 8));
    CHECK(cached.cache().next(0, 0) == 8);
    CHECK(cached.attend(tokens(2)).status == Status::ok);
  }
}

TEST_CASE("positions run out like room") {
  AttentionCase last = tokens(1);
  last.query_positions = {kMaxPosition};
  CachedCase cached(last, 10, {});
  REQUIRE(cached.append(last, {.placed = true}) == Status::ok);
  CHECK(cached.append(tokens(1)) == Status::position);
  CHECK(cached.cache().count(0, 0) == 1);
}

TEST_CASE("taps are those of all keys that are stored, hidden where another sequence has more") {
  AttentionCase c = batch_of(2, 6);
  const auto rope = made("rope", {{"headDim", 8}});
  c.encodings = {rope.get()};
  c.key_mask = {1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1};
  CachedCase cached(c, 9, {}, 2);
  const auto taken = cached.attend(c, {.tap_keys = 7});
  REQUIRE(taken.status == Status::ok);
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  for (std::int64_t b = 0; b < 2; ++b) {
    const std::int64_t skipped = b == 0 ? 0 : 3;
    AttentionCase alone = tokens(6);
    const auto take = [&](auto& x, const auto& from) {
      const std::int64_t half = std::ssize(from) / 2;
      const auto taken_half = part(from, b * half, half);
      x.assign(taken_half.begin(), taken_half.end());
    };
    take(alone.query, c.query);
    take(alone.key, c.key);
    take(alone.value, c.value);
    alone = slice(alone, skipped, 6 - skipped, skipped, 6 - skipped);
    Reference reference;
    reference.rotary_dim = 8;
    reference.frequency = [](std::int64_t pair) { return power_frequency(10000, pair, 4); };
    const auto stages = expected(alone, reference);
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t t = 0; t < 6; ++t) {
        CAPTURE(b);
        CAPTURE(t);
        std::vector<double> weights(7, 0.0);
        std::vector<double> logits(7, kHidden);
        if (t >= skipped) {
          const std::int64_t width = 6 - skipped;
          const std::int64_t row = (h * width + t - skipped) * width;
          for (std::size_t n = 0; n < static_cast<std::size_t>(width); ++n) {
            weights[n] = stages.weights[static_cast<std::size_t>(row) + n];
            logits[n] = stages.logits[static_cast<std::size_t>(row) + n];
          }
        }
        const std::int64_t at = ((b * 2 + h) * 6 + t) * 7;
        CHECK(differences(part(taken.weights, at, 7), weights) == "");
        CHECK(differences(part(taken.logits, at, 7), logits) == "");
      }
    }
  }
}

TEST_CASE("a mask of the call hides without evicting, where the cache has no window") {
  AttentionCase c = tokens(9);
  c.window = 3;
  c.sinks = 1;
  CachedCase cached(c, 9, {});
  std::vector<float> last(8);
  for (std::int64_t t = 0; t < 9; ++t) {
    const auto step = cached.attend(slice(c, t, 1, t, 1));
    REQUIRE(step.status == Status::ok);
    CHECK(differences(step.output, expected(slice(c, t, 1, 0, t + 1)).output) == "");
  }
  CHECK(cached.cache().count(0, 0) == 9);
}

TEST_CASE("sinks, softcap and scales of a call are the engine's") {
  AttentionCase c = tokens(9);
  c.softcap = 2.0F;
  c.sink_logits = {0.5F, -1.0F};
  c.head_scales = {1.5F, 0.5F};
  c.query_scales = random_floats(9, 5);
  const auto all = expected(c);
  // At once, and in pieces of a window that reaches everywhere.
  for (const std::int64_t window : {0, 9}) {
    CachedCase cached(c, 9, {.window = window});
    CHECK(differences(cached.attend(c).output, all.output) == "");
  }
  c.window = 3;
  CachedCase pieces(c, 4, {.window = 3});
  CHECK(differences(pieces.attend(c).output, expected(c).output) == "");
}

}  // namespace
}  // namespace posenc::test
