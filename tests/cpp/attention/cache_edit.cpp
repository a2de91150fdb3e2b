// Tokens of a cache that go, move or are copied; reports of others by number.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "cache_case.hpp"
#include "made.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

using Places = std::vector<std::int32_t>;

AttentionCase tokens(std::int64_t count, std::int64_t head_dim, const Encoding& encoding) {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 2;
  c.queries = c.keys = count;
  c.head_dim = c.value_dim = head_dim;
  c.fill(31);
  c.causal = true;
  c.encodings = {&encoding};
  return c;
}

/// The keys of a cache of one layer and sequence, (kv_heads, count, head_dim).
std::vector<float> stored_keys(const KvCache& cache) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(cache.saved_size()));
  cache.save(0, bytes.data());
  const CacheShape& shape = cache.shape();
  const auto keys = static_cast<std::size_t>(cache.count(0, 0) * shape.head_dim);
  const auto values = static_cast<std::size_t>(cache.count(0, 0) * shape.value_dim);
  const auto heads = static_cast<std::size_t>(shape.kv_heads);
  std::size_t at = bytes.size() - heads * (keys + values) * sizeof(float);
  std::vector<float> out(heads * keys);
  for (std::size_t h = 0; h < heads; ++h) {
    std::memcpy(out.data() + h * keys, bytes.data() + at, keys * sizeof(float));
    at += (keys + values) * sizeof(float);
  }
  return out;
}

TEST_CASE("keys that were turned move exactly, whatever the rotation does to them") {
  struct Row {
    const char* label;
    std::int64_t head_dim;
    const char* name;
    Options options;
  };
  const Row rows[] = {
      // ggml-org/llama.cpp#4889: Phi-2, head 80, of which 32 turn.
      {"partial", 80, "rope", {{"rotaryDim", 32}}},
      {"interleaved", 10, "rope", {{"layout", choice_of("rope", "layout", "interleaved")}}},
      {"slice of the head", 12, "rope", {{"offset", 4}, {"rotaryDim", 6}}},
      {"attention factor", 16, "rope", {{"attentionFactor", 1.3689}}},
      {"values turn too", 8, "rope", {{"turnsOutputBack", 1}}},
      {"xpos", 8, "xpos", {}},
      {"fope", 8, "fope", {{"trainedLength", 50}}},
      {"rope_pp", 8, "rope_pp", {{"heads", 2}}},
      {"one axis", 8, "rope_nd", {{"axes", 1}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    Options options = row.options;
    options.emplace_back("headDim", static_cast<double>(row.head_dim));
    const auto encoding = made(row.name, options);
    const AttentionCase c = tokens(50, row.head_dim, *encoding);
    for (const std::int32_t delta : {-5, 1000}) {
      CachedCase moved(c, 51, {.turned = true});
      REQUIRE(moved.append(slice(c, 0, 49, 0, 49)) == Status::ok);
      REQUIRE(moved.cache().shift({-1, -1}, 10, 100, delta, moved.terms()) == Status::ok);
      AttentionCase there = slice(c, 0, 49, 0, 49);
      for (std::size_t t = 10; t < 49; ++t) there.query_positions[t] += delta;
      CachedCase always(c, 51, {.turned = true});
      REQUIRE(always.append(there, {.placed = true}) == Status::ok);
      CHECK(differences(stored_keys(moved.cache()),
                        std::span<const float>(stored_keys(always.cache()))) == "");
      CHECK(moved.cache().next(0, 0) == always.cache().next(0, 0));
      const AttentionCase next = slice(c, 49, 1, 49, 1);
      CHECK(differences(moved.attend(next).output,
                        std::span<const float>(always.attend(next).output)) == "");
    }
  }
}

TEST_CASE("dimensions that do not turn keep their bits when keys move") {
  const auto phi = made("rope", {{"headDim", 80}, {"rotaryDim", 32}});
  const AttentionCase c = tokens(20, 80, *phi);
  CachedCase cached(c, 20, {.turned = true});
  REQUIRE(cached.append(c) == Status::ok);
  const auto before = stored_keys(cached.cache());
  REQUIRE(cached.cache().shift({0, 0}, 8, 20, -5, cached.terms()) == Status::ok);
  const auto after = stored_keys(cached.cache());
  for (std::int64_t row = 0; row < 40; ++row) {
    const std::int64_t first = row % 20 < 8 ? 0 : 32;
    CHECK(bit_differences(part(after, row * 80 + first, 80 - first),
                          part(before, row * 80 + first, 80 - first)) == "");
  }
}

TEST_CASE("a hundred shifts by one are a shift by a hundred") {
  // ggml-org/llama.cpp#4097: drift of repeated shifts.
  const auto rope = made("rope", {{"headDim", 64}});
  const AttentionCase c = tokens(30, 64, *rope);
  AttentionCase late = c;
  for (std::int32_t& position : late.query_positions) position += 5000;
  CachedCase often(c, 30, {.turned = true});
  CachedCase once(c, 30, {.turned = true});
  REQUIRE(often.append(late, {.placed = true}) == Status::ok);
  REQUIRE(once.append(late, {.placed = true}) == Status::ok);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(often.cache().shift({0, 0}, 0, 10000, -1, often.terms()) == Status::ok);
  }
  REQUIRE(once.cache().shift({0, 0}, 0, 10000, -100, once.terms()) == Status::ok);
  CHECK(differences(stored_keys(often.cache()), std::span<const float>(stored_keys(once.cache())),
                    {1e-5, 0}) == "");
  CHECK(often.cache().next(0, 0) == 4930);
}

TEST_CASE("keys that cannot follow are not shifted") {
  const double sections = kept<double>({2, 1, 1});
  struct Row {
    const char* label;
    bool turned;
    std::shared_ptr<const Encoding> encoding;
  };
  const Row rows[] = {
      // ggml-org/llama.cpp#19928: undefined, be there one coordinate or more.
      {"mrope", false, made("mrope", {{"headDim", 8}, {"sections", sections}})},
      {"two axes", false, made("rope_nd", {{"headDim", 8}, {"axes", 2}})},
      {"log_n", false, made("log_n", {{"trainedLength", 16}})},
      {"self-extend", false,
       made("rope_remapped", {{"headDim", 8}, {"method", 0}, {"window", 14}, {"group", 4}})},
      {"pope, turned", true, made("pope", {{"headDim", 8}})},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    const AttentionCase c = tokens(4, 8, *row.encoding);
    CachedCase cached(c, 4, {.turned = row.turned});
    if (!row.turned) REQUIRE(cached.append(c) == Status::ok);
    CHECK(cached.cache().shift({0, 0}, 0, 10, 1, cached.terms()) == Status::unsupported);
  }
  // Raw, the same keys move.
  const auto pope = made("pope", {{"headDim", 8}});
  CachedCase raw(tokens(4, 8, *pope), 4, {});
  CHECK(raw.cache().shift({0, 0}, 0, 10, 1, raw.terms()) == Status::ok);
}

TEST_CASE("shifts out of what is known, and of parts that do not exist, change nothing") {
  const auto rope = made("rope", {{"headDim", 8}});
  const AttentionCase c = tokens(6, 8, *rope);
  CachedCase cached(c, 6, {.turned = true});
  KvCache& cache = cached.cache();
  REQUIRE(cached.append(c) == Status::ok);
  const auto before = stored_keys(cache);
  CHECK(cache.shift({0, 0}, 3, 6, kMaxPosition, cached.terms()) == Status::position);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(cache.shift({0, 0}, -kMost - 1, kMost, kMost, cached.terms()) == Status::position);
  CHECK(cache.shift({0, 1}, 0, 6, 1, cached.terms()) == Status::shape);
  CHECK(cache.shift({1, 0}, 0, 6, 1, cached.terms()) == Status::shape);
  CHECK(cache.shift({0, 0}, 6, 3, 1, cached.terms()) == Status::ok);  // no positions
  CHECK(bit_differences(stored_keys(cache), before) == "");
  CHECK(cache.next(0, 0) == 6);
  // Below 0 is known.
  CHECK(cache.shift({0, 0}, -100, 100, -50, cached.terms()) == Status::ok);
  CHECK(cache.positions(0, 0).at(0) == -50);
  CHECK(cache.next(0, 0) == -44);
}

TEST_CASE("a window goes on where a shift left it") {
  const auto rope = made("rope", {{"headDim", 8}});
  const AttentionCase c = tokens(30, 8, *rope);
  for (const bool turned : {false, true}) {
    CachedCase shifted(c, 9, {.turned = turned, .window = 5});
    CachedCase plain(c, 9, {.turned = turned, .window = 5});
    REQUIRE(shifted.append(slice(c, 0, 20, 0, 20)) == Status::ok);
    REQUIRE(plain.append(slice(c, 0, 20, 0, 20)) == Status::ok);
    REQUIRE(shifted.cache().shift({0, 0}, -1000, 1000, -700, shifted.terms()) == Status::ok);
    const AttentionCase rest = slice(c, 20, 10, 20, 10);
    const auto there = shifted.attend(rest);
    const auto here = plain.attend(rest);
    REQUIRE(there.status == Status::ok);
    CHECK(differences(there.output, std::span<const float>(here.output)) == "");
    // What has been evicted is still gone.
    CHECK(shifted.cache().truncate({0, 0}, 1) == Status::position);
  }
}

TEST_CASE("evictions and truncations are of all sequences that are meant, or of none") {
  const auto nope = made("nope", {});
  AttentionCase c = tokens(5, 4, *nope);
  CachedCase cached(c, 8, {}, 2, 2);
  KvCache& cache = cached.cache();
  for (const std::int64_t layer : {0, 1}) {
    REQUIRE(cached.append(c, {.part = {layer, 0}}) == Status::ok);
  }
  REQUIRE(cached.append(slice(c, 0, 3, 0, 3), {.part = {1, 1}}) == Status::ok);
  struct Row {
    const char* label;
    Status status;
    CachePart part;
    Places slots;
    std::int64_t kept;
  };
  const Row rows[] = {
      {"below 0", Status::shape, {1, 0}, {-1}, -1},
      {"no such layer", Status::shape, {2, 0}, {0}, 0},
      {"no such sequence", Status::shape, {0, 2}, {0}, 0},
      {"nothing", Status::ok, {0, 0}, {}, 5},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    CHECK(cache.evict(row.part, row.slots, cached.terms()) == row.status);
    CHECK(cache.truncate(row.part, row.kept) == row.status);
    CHECK(cache.count(0, 0) == 5);
    CHECK(cache.count(1, 0) == 5);
    CHECK(cache.count(1, 1) == 3);
  }
  CHECK(cache.evict({1, -1}, Places{1, 3}, cached.terms()) == Status::shape);
  CHECK(cache.count(1, 0) == 5);
  // A sequence that has fewer keeps all.
  CHECK(cache.truncate({1, -1}, 4) == Status::ok);
  CHECK(cache.count(1, 0) == 4);
  CHECK(cache.next(1, 0) == 4);
  CHECK(cache.count(1, 1) == 3);
  CHECK(cache.evict({1, -1}, Places{0, 2}, cached.terms()) == Status::ok);
  CHECK(cache.count(0, 0) == 5);
  CHECK(cache.count(1, 0) == 2);
  CHECK(cache.count(1, 1) == 1);
  CHECK(cache.next(1, 1) == 3);
  CHECK(cache.truncate({1, 0}, 1) == Status::ok);
  // What went stood at 3: slots 0 and 1 held 1 and 3.
  CHECK(cache.next(1, 0) == 3);
  CHECK(cache.truncate({-1, -1}, 0) == Status::ok);
  CHECK(cache.next(1, 0) == 1);
  CHECK(cache.next(0, 0) == 0);
}

TEST_CASE("sequences are copied whole, and only where they exist") {
  const auto rope = made("rope", {{"headDim", 4}});
  const AttentionCase c = tokens(7, 4, *rope);
  CachedCase cached(c, 8, {.turned = true, .window = 3}, 3, 2);
  KvCache& cache = cached.cache();
  for (const std::int64_t layer : {0, 1}) {
    REQUIRE(cached.append(slice(c, 0, 4 + layer, 0, 4 + layer), {.part = {layer, 2}}) ==
            Status::ok);
  }
  REQUIRE(cache.copy_sequence(2, 0) == Status::ok);
  CHECK(cache.copy_sequence(0, 0) == Status::ok);
  CHECK(cache.copy_sequence(0, 3) == Status::shape);
  CHECK(cache.copy_sequence(-1, 0) == Status::shape);
  CHECK(cache.count(0, 0) == 4);
  CHECK(cache.count(1, 0) == 5);
  CHECK(cache.count(0, 1) == 0);
  const AttentionCase next = slice(c, 4, 1, 4, 1);
  CHECK(bit_differences(cached.attend(next, {.part = {0, 0}}).output,
                        cached.attend(next, {.part = {0, 2}}).output) == "");
}

}  // namespace
}  // namespace posenc::test
