// What makes room in a cache: windows, and positions that are slots; numbers by hand and from
// reports of others.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "cache_case.hpp"
#include "made.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

AttentionCase tokens(std::int64_t count) {
  AttentionCase c;
  c.heads = 2;
  c.kv_heads = 1;
  c.queries = c.keys = count;
  c.head_dim = 8;
  c.value_dim = 4;
  c.fill(1);
  c.causal = true;
  return c;
}

std::vector<std::int32_t> positions(const KvCache& cache) {
  const Positions p = cache.positions(0, 0);
  return {p.data, p.data + p.count * p.axes};
}

using Places = std::vector<std::int32_t>;

TEST_CASE("a window evicts when room is needed, the older half of what nobody sees") {
  CachedCase cached(tokens(1), 12, {.window = 4, .sinks = 2});
  REQUIRE(cached.append(tokens(12)) == Status::ok);
  CHECK(positions(cached.cache()) == count_from(0, 12));
  // The next query, at 12, sees 0, 1 and 9 … 12: half of 2 … 8 is 2 … 5.
  REQUIRE(cached.append(tokens(1)) == Status::ok);
  CHECK(positions(cached.cache()) == Places{0, 1, 6, 7, 8, 9, 10, 11, 12});
  CHECK(cached.cache().next(0, 0) == 13);
  // Seven more fit once all that nobody sees is gone.
  REQUIRE(cached.append(tokens(7)) == Status::ok);
  CHECK(positions(cached.cache()) == Places{0, 1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
}

TEST_CASE("tokens that would see an evicted key are refused") {
  CachedCase cached(tokens(1), 8, {.window = 4, .sinks = 1});
  KvCache& cache = cached.cache();
  REQUIRE(cached.append(tokens(12)) == Status::ok);
  REQUIRE(positions(cache) == Places{0, 5, 6, 7, 8, 9, 10, 11});
  // The query at 8 sees 5 … 8; that at 7 would see 4 too.
  CHECK(cache.truncate({0, 0}, 3) == Status::position);
  CHECK(cache.count(0, 0) == 8);
  CHECK(cache.truncate({0, 0}, 4) == Status::ok);
  CHECK(cache.next(0, 0) == 8);
  AttentionCase early = tokens(1);
  early.query_positions = {7};
  CHECK(cached.append(early, {.placed = true}) == Status::position);
  early.query_positions = {8};
  CHECK(cached.append(early, {.placed = true}) == Status::ok);
}

TEST_CASE("taps that are too narrow are refused before anything goes") {
  for (const bool renumber : {false, true}) {
    CachedCase cached(tokens(1), 8, {.window = 4, .sinks = 1, .renumber = renumber});
    REQUIRE(cached.append(tokens(8)) == Status::ok);
    const auto before = positions(cached.cache());
    CHECK(cached.attend(tokens(1), {.tap_keys = 3}).status == Status::shape);
    CHECK(cached.attend(tokens(1), {.tap_keys = 9}).status == Status::shape);
    CHECK(positions(cached.cache()) == before);
    CHECK(cached.attend(tokens(1), {.tap_keys = 8}).status == Status::ok);
  }
}

TEST_CASE("where positions are slots, they are those of the papers' examples") {
  struct Row {
    const char* label;
    std::int64_t window, sinks, tokens;
    std::vector<float> kept;  // by what the token's value is: its number
  };
  const Row rows[] = {
      // huggingface/transformers#35350: 2 sinks, window 3, 10 tokens: kept keys at 0 … 3, the new
      // one and its query at 4.
      {"transformers", 3, 2, 10, {0, 1, 7, 8, 9}},
      // mit-han-lab/streaming-llm#53: while decoding token 8, cached tokens 0 1 2 3 5 6 7 stand at
      // 0 … 6.
      {"streaming-llm", 4, 4, 9, {0, 1, 2, 3, 5, 6, 7, 8}},
      {"not full", 4, 4, 5, {0, 1, 2, 3, 4}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    AttentionCase c = tokens(row.tokens);
    for (std::int64_t t = 0; t < row.tokens; ++t) {
      std::fill_n(c.value_row(0, 0, t), 4, static_cast<float>(t));
    }
    CachedCase cached(c, 20, {.window = row.window, .sinks = row.sinks, .renumber = true});
    REQUIRE(cached.append(c) == Status::ok);
    const auto count = static_cast<std::int64_t>(row.kept.size());
    CHECK(positions(cached.cache()) == count_from(0, count));
    CHECK(cached.cache().next(0, 0) == count);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(cached.cache().saved_size()));
    cached.cache().save(0, bytes.data());
    for (std::int64_t n = 0; n < count; ++n) {
      float value = 0.0F;
      std::memcpy(&value, bytes.data() + bytes.size() - static_cast<std::size_t>((count - n) * 16),
                  sizeof value);
      CHECK(value == row.kept[static_cast<std::size_t>(n)]);
    }
  }
}

TEST_CASE("where positions are slots, none are given and none taken back") {
  const auto rope = made("rope", {{"headDim", 8}});
  AttentionCase c = tokens(6);
  c.encodings = {rope.get()};
  CachedCase cached(c, 8, {.window = 4, .sinks = 1, .renumber = true});
  CHECK(cached.append(c, {.placed = true}) == Status::unsupported);
  REQUIRE(cached.append(c) == Status::ok);
  CHECK(cached.cache().truncate({0, 0}, 4) == Status::position);
  CHECK(cached.cache().shift({0, 0}, 0, 9, 1, cached.terms()) == Status::unsupported);
  // A chunk is taken in token by token, which leaves no rows for taps.
  CHECK(cached.attend(c, {.tap_keys = 8}).status == Status::unsupported);
  CHECK(cached.cache().count(0, 0) == 5);

  // Without a window, only eviction on demand closes ranks.
  CachedCase free(c, 8, {.renumber = true});
  REQUIRE(free.append(c) == Status::ok);
  REQUIRE(free.cache().evict({0, 0}, Places{1, 4}, free.terms()) == Status::ok);
  CHECK(positions(free.cache()) == count_from(0, 4));
  CHECK(free.cache().next(0, 0) == 4);
  CHECK(free.append(tokens(5)) == Status::capacity);
  CHECK(free.cache().truncate({0, 0}, 2) == Status::ok);
  CHECK(free.cache().next(0, 0) == 2);
}

}  // namespace
}  // namespace posenc::test
