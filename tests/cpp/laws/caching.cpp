// Law 2 with a cache: however tokens get into it, and whatever happens to those that are there, the
// outputs are those of the whole sequence at once, by the float64 reference; for every encoding
// that acts inside attention, every policy and both ways to store keys.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cache_case.hpp"
#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {
namespace {

constexpr std::int64_t kTokens = 41;

AttentionCase sequence(unsigned seed, std::int64_t tokens = kTokens) {
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

/// Encodings that act inside attention, those of data about tokens included.
std::vector<Sample> cached_samples(const AttentionCase& c) {
  std::vector<Sample> chosen;
  for (Sample& sample : samples(c.head_dim, static_cast<int>(c.heads), c.value_dim)) {
    if (!fills(*sample.description, Hook::embed)) chosen.push_back(std::move(sample));
  }
  return chosen;
}

/// Calls law(case, sample, turned) for every encoding and both ways to store keys.
template <class Law>
void with_every_encoding(AttentionCase c, Law law) {
  for (const Sample& sample : cached_samples(c)) {
    const auto encoding = sample.make();
    c.encodings = {encoding.get()};
    for (const bool turned : {false, true}) {
      if (turned && (encoding->rotate() == nullptr || !stores_turned(*encoding))) continue;
      CAPTURE(sample.label);
      CAPTURE(turned);
      law(std::as_const(c), sample, turned);
    }
  }
}

/// The tokens of a case on their way through a cache, in order.
class Stream {
 public:
  Stream(const AttentionCase& c, std::int64_t capacity, CachePolicy policy)
      : c_(c),
        cached_(c, capacity, policy, 2),
        output_(static_cast<std::size_t>(c.heads * c.keys * c.value_dim), kUnwritten) {}

  CachedCase& cached() { return cached_; }
  KvCache& cache() { return cached_.cache(); }
  std::int64_t done() const { return done_; }
  std::int64_t left() const { return c_.keys - done_; }
  const std::vector<float>& output() const { return output_; }

  /// Attends to the next tokens, among padding.
  void feed(std::int64_t count, std::int64_t before = 0, std::int64_t after = 0) {
    const AttentionCase next = padded(slice(c_, done_, count, done_, count), before, after);
    const auto result = cached_.attend(next, {.part = {0, sequence_}});
    REQUIRE(result.status == Status::ok);
    const auto rows = output_rows(next, result, before, count);
    for (std::int64_t h = 0; h < c_.heads; ++h) {
      std::copy_n(rows.begin() + h * count * c_.value_dim, count * c_.value_dim,
                  output_.begin() + (h * c_.keys + done_) * c_.value_dim);
    }
    done_ += count;
  }
  void feed_all() {
    while (left() > 0) feed(1);
  }
  /// Tokens that are not of the sequence.
  void feed_others(std::int64_t count) {
    AttentionCase others = sequence(99);
    others.encodings = c_.encodings;
    const auto result =
        cached_.attend(slice(others, done_, count, done_, count), {.part = {0, sequence_}});
    REQUIRE(result.status == Status::ok);
  }
  /// Goes on in a copy of the cache.
  void fork() { cached_ = cached_.fork(); }
  /// Goes on in the other sequence.
  void move_to_copy() {
    REQUIRE(cache().copy_sequence(sequence_, 1 - sequence_) == Status::ok);
    sequence_ = 1 - sequence_;
  }

 private:
  const AttentionCase& c_;
  CachedCase cached_;
  std::int64_t done_ = 0;
  std::int64_t sequence_ = 1;
  std::vector<float> output_;  // (heads, keys, value_dim)
};

struct Way {
  const char* label;
  std::int64_t window, sinks, capacity;
  void (*play)(Stream&);
};

const Way kWays[] = {
    {"at once", 0, 0, kTokens, [](Stream& s) { s.feed(kTokens); }},
    {"one by one", 0, 0, kTokens, [](Stream& s) { s.feed_all(); }},
    {"in chunks", 0, 0, 2 * kTokens,
     [](Stream& s) {
       for (const std::int64_t count : {1, 7, 2, 19, 12}) s.feed(count);
     }},
    {"padded on the left", 0, 0, kTokens,
     [](Stream& s) {
       s.feed(9, 4);
       s.feed(1, 2);
       s.feed_all();
     }},
    {"padded on the right", 0, 0, kTokens,
     [](Stream& s) {
       s.feed(9, 0, 4);
       s.feed(0, 3);
       s.feed(1, 1, 1);
       s.feed_all();
     }},
    {"window, one by one", 6, 0, 11, [](Stream& s) { s.feed_all(); }},
    {"window, in chunks longer than the room", 6, 0, 11,
     [](Stream& s) {
       s.feed(23);
       s.feed(1);
       s.feed(17, 3, 2);
     }},
    {"sinks and window, without room to spare", 6, 3, 9,
     [](Stream& s) {
       s.feed(5);
       s.feed(15);
       s.feed_all();
     }},
    {"sinks and window, all at once", 6, 3, 20, [](Stream& s) { s.feed(kTokens); }},
    {"taken back and done again", 0, 0, kTokens,
     [](Stream& s) {
       s.feed(20);
       s.feed_others(7);
       REQUIRE(s.cache().truncate({0, 1}, s.done()) == Status::ok);
       s.feed_all();
     }},
    {"window, taken back and done again", 6, 3, 20,
     [](Stream& s) {
       s.feed(30);
       const std::int64_t count = s.cache().count(0, 1);
       s.feed_others(2);
       REQUIRE(s.cache().truncate({0, 1}, std::min(count, s.cache().count(0, 1) - 2)) ==
               Status::ok);
       s.feed_all();
     }},
    {"forked", 6, 3, 15,
     [](Stream& s) {
       s.feed(20);
       CachedCase old = s.cached().fork();
       s.feed(8);
       std::swap(old, s.cached());
       s.feed_others(3);
       std::swap(old, s.cached());
       s.feed_all();
     }},
    {"saved and restored", 6, 3, 15,
     [](Stream& s) {
       s.feed(20);
       std::vector<std::uint8_t> bytes(static_cast<std::size_t>(s.cache().saved_size()));
       s.cache().save(7, bytes.data());
       s.feed_others(5);
       REQUIRE(s.cache().restore(7, bytes) == Status::ok);
       s.feed_all();
     }},
    {"copied to another sequence", 0, 0, kTokens,
     [](Stream& s) {
       s.feed(11);
       s.move_to_copy();
       s.feed(9);
       s.feed_all();
     }},
};

TEST_CASE("whatever way tokens take through a cache, they give what all give at once") {
  with_every_encoding(sequence(1), [](AttentionCase c, const Sample& sample, bool turned) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> references;
    for (const Way& way : kWays) {
      CAPTURE(way.label);
      c.window = way.window;
      c.sinks = way.sinks;
      auto& reference = references[{way.window, way.sinks}];
      if (reference.empty()) reference = expected(c, sample.reference).output;
      Stream stream(c, way.capacity, {.turned = turned, .window = way.window, .sinks = way.sinks});
      way.play(stream);
      REQUIRE(stream.left() == 0);
      CHECK(differences(stream.output(), reference) == "");
    }
  });
}

TEST_CASE("sequences of different length are as alone") {
  // Lengths 5 and 9, padded on the left; then tokens 5 and 9, 6 and 10 … side by side.
  with_every_encoding(sequence(2, 14), [](const AttentionCase& c, const Sample& sample,
                                          bool turned) {
    const auto reference = expected(c, sample.reference).output;
    const auto rows = [&](std::int64_t first, std::int64_t count) {
      std::vector<double> out;
      for (std::int64_t h = 0; h < c.heads; ++h) {
        const auto head = part(reference, (h * c.keys + first) * c.value_dim, count * c.value_dim);
        out.insert(out.end(), head.begin(), head.end());
      }
      return out;
    };
    const auto side_by_side = [](const AttentionCase& a, const AttentionCase& b) {
      AttentionCase both = a;
      both.batch = 2;
      const auto append = [](auto& x, const auto& y) { x.insert(x.end(), y.begin(), y.end()); };
      append(both.query, b.query);
      append(both.key, b.key);
      append(both.value, b.value);
      append(both.query_positions, b.query_positions);
      append(both.key_positions, b.key_positions);
      append(both.key_mask, b.key_mask);
      return both;
    };
    CachedCase cached(c, 14, {.turned = turned}, 2);
    const auto prompts =
        side_by_side(padded(slice(c, 0, 5, 0, 5), 4, 0), padded(slice(c, 0, 9, 0, 9), 0, 0));
    const auto first = cached.attend(prompts);
    REQUIRE(first.status == Status::ok);
    const std::int64_t size = c.heads * 9 * c.value_dim;
    AttentionCase alone = prompts;
    alone.batch = 1;
    const auto entry = [&](const Stages<float>& result, std::int64_t b) {
      Stages<float> one;
      const auto taken = part(result.output, b * size, size);
      one.output.assign(taken.begin(), taken.end());
      return one;
    };
    CHECK(differences(output_rows(alone, entry(first, 0), 4, 5), rows(0, 5)) == "");
    CHECK(output_rows(alone, entry(first, 0), 0, 4) ==
          std::vector<float>(static_cast<std::size_t>(c.heads * 4 * c.value_dim), 0.0F));
    CHECK(differences(entry(first, 1).output, rows(0, 9)) == "");
    for (std::int64_t t = 0; t < 5; ++t) {
      const auto step = cached.attend(side_by_side(padded(slice(c, 5 + t, 1, 5 + t, 1), 0, 0),
                                                   padded(slice(c, 9 + t, 1, 9 + t, 1), 0, 0)));
      REQUIRE(step.status == Status::ok);
      auto both = rows(5 + t, 1);
      const auto second = rows(9 + t, 1);
      both.insert(both.end(), second.begin(), second.end());
      CHECK(differences(step.output, both) == "");
    }
  });
}

TEST_CASE("evicted tokens are as masked ones") {
  const std::vector<std::int32_t> slots = {30, 3, 4, 5, 17, 30, 29};
  with_every_encoding(sequence(3), [&](const AttentionCase& c, const Sample& sample, bool turned) {
    CachedCase cached(c, kTokens, {.turned = turned});
    REQUIRE(cached.attend(slice(c, 0, 35, 0, 35)).status == Status::ok);
    REQUIRE(cached.cache().evict({-1, -1}, slots, cached.terms()) == Status::ok);
    CHECK(cached.cache().count(0, 0) == 29);
    CHECK(cached.cache().next(0, 0) == 35);
    AttentionCase masked = slice(c, 35, 6, 0, kTokens);
    masked.key_mask.assign(kTokens, 1);
    for (const std::int32_t slot : slots) masked.key_mask[static_cast<std::size_t>(slot)] = 0;
    const auto rest = cached.attend(slice(c, 35, 6, 35, 6));
    REQUIRE(rest.status == Status::ok);
    CHECK(differences(rest.output, expected(masked, sample.reference).output) == "");
  });
}

TEST_CASE("shifted tokens are as tokens that were always there") {
  // Context shift: tokens 4 … 15 go, those after them move down by 12.
  with_every_encoding(sequence(4), [](const AttentionCase& c, const Sample& sample, bool turned) {
    CachedCase cached(c, kTokens, {.turned = turned});
    KvCache& cache = cached.cache();
    REQUIRE(cached.attend(slice(c, 0, 30, 0, 30)).status == Status::ok);
    const Encoding& encoding = *c.encodings[0];
    const Status moved = cache.shift({0, 0}, 16, 1000, -12, cached.terms());
    if (!encoding.relative() || encoding.domain().axes > 1) {
      CHECK(moved == Status::unsupported);
      return;
    }
    REQUIRE(moved == Status::ok);
    CHECK(cache.next(0, 0) == 18);
    REQUIRE(cache.evict({0, 0}, count_from(4, 12), cached.terms()) == Status::ok);
    AttentionCase kept = slice(c, 30, 11, 0, kTokens);
    kept.key_mask.assign(kTokens, 1);
    for (std::size_t n = 4; n < 16; ++n) kept.key_mask[n] = 0;
    for (std::size_t n = 16; n < kTokens; ++n) kept.key_positions[n] -= 12;
    for (std::int32_t& position : kept.query_positions) position -= 12;
    // Keys in their order: those that are gone stand nowhere in between.
    for (std::size_t n = 4; n < 16; ++n) kept.key_positions[n] = 3;
    const auto rest = cached.attend(slice(c, 30, 11, 30, 11));
    REQUIRE(rest.status == Status::ok);
    CHECK(differences(rest.output, expected(kept, sample.reference).output) == "");
  });
}

/// The outputs of StreamingLLM: each token sees itself at the end of what is kept.
std::vector<double> streamed(const AttentionCase& c, const Reference& reference,
                             std::int64_t window, std::int64_t sinks) {
  std::vector<double> output(static_cast<std::size_t>(c.heads * c.keys * c.value_dim));
  for (std::int64_t t = 0; t < c.keys; ++t) {
    AttentionCase step = slice(c, t, 1, 0, t + 1);
    step.key_mask.assign(static_cast<std::size_t>(t + 1), 1);
    std::int32_t next = 0;
    for (std::int64_t n = 0; n <= t; ++n) {
      const auto at = static_cast<std::size_t>(n);
      if (n >= sinks && n <= t - window) step.key_mask[at] = 0;
      step.key_positions[at] = step.key_mask[at] != 0 ? next++ : 0;
    }
    step.query_positions = {next - 1};
    const auto row = expected(step, reference).output;
    for (std::int64_t h = 0; h < c.heads; ++h) {
      std::copy_n(row.begin() + h * c.value_dim, c.value_dim,
                  output.begin() + (h * c.keys + t) * c.value_dim);
    }
  }
  return output;
}

TEST_CASE("where positions are slots, sinks and window close ranks before every token") {
  // huggingface/transformers#35350, mit-han-lab/streaming-llm#53; chunks are as their tokens.
  with_every_encoding(sequence(5, 25), [](const AttentionCase& c, const Sample& sample,
                                          bool turned) {
    const CachePolicy policy = {.turned = turned, .window = 5, .sinks = 2, .renumber = true};
    const Encoding& encoding = *c.encodings[0];
    if (axes_read(encoding.domain()) > 1) return;
    if (!encoding.relative() || encoding.domain().axes > 1) {
      CHECK(CachedCase(c, 12, policy).attend(slice(c, 0, 1, 0, 1)).status == Status::unsupported);
      return;
    }
    const auto reference = streamed(c, sample.reference, 5, 2);
    for (const bool chunked : {false, true}) {
      CAPTURE(chunked);
      Stream stream(c, 12, policy);
      if (chunked) {
        stream.feed(4);
        stream.feed(17, 1);
      }
      stream.feed_all();
      CHECK(differences(stream.output(), reference) == "");
      CHECK(stream.cache().count(0, 1) == 7);
    }
  });
}

}  // namespace
}  // namespace posenc::test
