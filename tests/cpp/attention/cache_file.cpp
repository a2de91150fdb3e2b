// Caches as bytes: what comes back is what was saved, and no bytes are trusted.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "cache_case.hpp"
#include "made.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kTag = 0x1234567;

AttentionCase tokens(std::int64_t count, unsigned seed = 1) {
  AttentionCase c;
  c.kv_heads = c.heads = 2;
  c.queries = c.keys = count;
  c.head_dim = 6;
  c.value_dim = 4;
  c.fill(seed);
  c.causal = true;
  return c;
}

Bytes saved(const KvCache& cache, std::int64_t tag = kTag) {
  Bytes bytes(static_cast<std::size_t>(cache.saved_size()) + 1, 0xAB);
  cache.save(tag, bytes.data());
  CHECK(bytes.back() == 0xAB);
  bytes.pop_back();
  return bytes;
}

/// Two layers and sequences of different length.
CachedCase filled(CachePolicy policy, std::int64_t capacity = 9) {
  CachedCase cached(tokens(1), capacity, policy, 2, 2);
  REQUIRE(cached.append(tokens(12), {.part = {0, 0}}) == Status::ok);
  REQUIRE(cached.append(tokens(3, 4), {.part = {1, 0}}) == Status::ok);
  REQUIRE(cached.append(tokens(9, 8), {.part = {1, 1}}) == Status::ok);
  return cached;
}

TEST_CASE("a restored cache is the saved one, whatever it held before") {
  for (const CachePolicy policy : {CachePolicy{.window = 4, .sinks = 1},
                                   CachePolicy{.window = 4, .sinks = 1, .renumber = true}}) {
    CachedCase cached = filled(policy);
    const Bytes bytes = saved(cached.cache());
    CachedCase other = filled(policy, 20);
    REQUIRE(other.cache().clear(1) == Status::ok);
    REQUIRE(other.cache().restore(kTag, bytes) == Status::ok);
    CHECK(saved(other.cache()) == bytes);
    for (const std::int64_t layer : {0, 1}) {
      // The larger cache keeps hidden keys longer, so that sums are grouped otherwise.
      CHECK(differences(other.attend(tokens(2), {.part = {layer, 0}}).output,
                        cached.attend(tokens(2), {.part = {layer, 0}}).output) == "");
    }
  }
}

TEST_CASE("bytes of another cache are refused") {
  const CachePolicy policy = {.window = 4, .sinks = 1};
  const Bytes bytes = saved(filled(policy).cache());
  const CacheShape shape = filled(policy).cache().shape();
  struct Row {
    const char* label;
    void (*change)(CacheShape&, CachePolicy&);
  };
  const Row rows[] = {
      {"layers", [](CacheShape& s, CachePolicy&) { s.layers = 1; }},
      {"batch", [](CacheShape& s, CachePolicy&) { s.batch = 4; }},
      {"kv heads", [](CacheShape& s, CachePolicy&) { s.kv_heads = 1; }},
      {"head dim", [](CacheShape& s, CachePolicy&) { s.head_dim = 4; }},
      {"value dim", [](CacheShape& s, CachePolicy&) { s.value_dim = 6; }},
      {"axes", [](CacheShape& s, CachePolicy&) { s.axes = 3; }},
      {"less room than tokens", [](CacheShape& s, CachePolicy&) { s.capacity = 8; }},
      {"store", [](CacheShape&, CachePolicy& p) { p.turned = true; }},
      {"window", [](CacheShape&, CachePolicy& p) { p.window = 5; }},
      {"sinks", [](CacheShape&, CachePolicy& p) { p.sinks = 0; }},
      {"slots", [](CacheShape&, CachePolicy& p) { p.renumber = true; }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.label);
    CacheShape other = shape;
    CachePolicy with = policy;
    row.change(other, with);
    KvCache cache(other, with);
    REQUIRE(cache.allocate() == Status::ok);
    CHECK(cache.restore(kTag, bytes) ==
          (other.capacity < shape.capacity ? Status::capacity : Status::parameter));
  }
  CHECK(filled(policy).cache().restore(kTag + 1, bytes) == Status::parameter);
}

TEST_CASE("damaged bytes are refused or harmless, and the cache stays as it was") {
  for (const bool renumber : {false, true}) {
    const CachePolicy policy = {.window = 4, .sinks = 1, .renumber = renumber};
    CachedCase cached = filled(policy);
    const Bytes bytes = saved(cached.cache());
    const Bytes before = saved(filled(policy).cache());
    for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 37) {
      CHECK(cached.cache().restore(kTag, std::span(bytes).first(size)) == Status::parameter);
    }
    Bytes longer = bytes;
    longer.push_back(0);
    CHECK(cached.cache().restore(kTag, longer) == Status::parameter);
    CHECK(saved(cached.cache()) == before);

    // Any byte of the header, the counts and the positions of the first sequence.
    for (std::size_t at = 0; at < 12 * 8 + 3 * 8 + 5 * 4; ++at) {
      for (const int flip : {0x01, 0x80, 0xFF}) {
        CAPTURE(at);
        Bytes damaged = bytes;
        damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ flip);
        CachedCase target = filled(policy);
        const Status status = target.cache().restore(kTag, damaged);
        CHECK((status == Status::ok || status == Status::parameter));
        if (at < 12 * 8 + 8) CHECK(status == Status::parameter);
        if (status != Status::ok) CHECK(saved(target.cache()) == before);
        // Whatever came in, the cache works, or says what is wrong.
        const Status next = target.attend(tokens(2), {.part = {0, 0}}).status;
        CHECK((next == Status::ok || next == Status::position || next == Status::capacity));
      }
    }
  }
}

}  // namespace
}  // namespace posenc::test
