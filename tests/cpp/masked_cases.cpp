#include "masked_cases.hpp"

#include <algorithm>
#include <limits>

#include "attention/rows.hpp"
#include "table.hpp"

namespace posenc::test {

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// Two entries of four heads that share two kv heads; more than a block of queries and of keys.
AttentionCase base(unsigned seed) {
  AttentionCase c;
  c.batch = 2;
  c.heads = 4;
  c.kv_heads = 2;
  c.queries = kQueryBlock + 5;
  c.keys = kKeyBlock + 31;
  c.head_dim = 6;
  c.value_dim = 5;
  c.fill(seed);
  return c;
}

template <class T, class Number>
Dense<T> dense(const AttentionCase& c, const std::vector<bool>& own, Number number) {
  const std::int64_t full[] = {c.batch, c.heads, c.queries, c.keys};
  Dense<T> d;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    d.shape[i] = own[i] ? full[i] : 1;
    count *= d.shape[i];
  }
  for (std::int64_t i = 0; i < count; ++i) d.values.push_back(number(i));
  return d;
}

std::uint8_t most(std::int64_t i) { return i % 5 == 0 || i % 7 == 3 ? 0 : 1; }

/// Documents of about `length` tokens.
std::vector<std::int32_t> documents(std::int64_t tokens, std::int64_t first, std::int64_t length) {
  std::vector<std::int32_t> ids;
  for (std::int64_t t = 0; t < tokens; ++t) {
    ids.push_back(static_cast<std::int32_t>((first + t) / length));
  }
  return ids;
}

void add_local(std::vector<MaskedCase>& all) {
  const auto add = [&](const char* label, auto change) {
    AttentionCase c = base(static_cast<unsigned>(all.size()));
    change(c);
    all.push_back({label, c});
  };
  add("before", [](AttentionCase& c) { c.before = 9; });
  add("before, causal", [](AttentionCase& c) {
    c.before = 40;
    c.causal = true;
  });
  add("after", [](AttentionCase& c) { c.after = 0; });
  add("before and after", [](AttentionCase& c) {
    c.before = 3;
    c.after = 11;
  });
  add("neither before nor after", [](AttentionCase& c) { c.before = c.after = 0; });
  add("chunk", [](AttentionCase& c) { c.chunk = 16; });
  add("chunk of a block of keys, causal", [](AttentionCase& c) {
    c.chunk = kKeyBlock;
    c.causal = true;
  });
  add("chunk at positions below 0", [](AttentionCase& c) {
    c.chunk = 10;
    for (auto* positions : {&c.query_positions, &c.key_positions}) {
      for (std::int32_t& p : *positions) p -= 64;
    }
  });
  add("chunk and window", [](AttentionCase& c) {
    c.chunk = 20;
    c.window = 8;
  });
  add("sinks and window, causal", [](AttentionCase& c) {
    c.sinks = 4;
    c.window = 12;
    c.causal = true;
  });
  add("sinks and chunk", [](AttentionCase& c) {
    c.sinks = 3;
    c.chunk = 25;
  });
  add("sinks without anything that they are exempt from", [](AttentionCase& c) { c.sinks = 4; });
  add("global tokens", [](AttentionCase& c) {
    c.window = 6;
    c.global_keys.assign(size(c.keys), 0);
    c.global_queries.assign(size(c.queries), 0);
    for (const std::size_t n : {0U, 50U, 97U}) c.global_keys[n] = 1;
    for (const std::size_t m : {2U, 63U, 64U}) c.global_queries[m] = 1;
  });
  add("global tokens of each entry, causal", [](AttentionCase& c) {
    c.before = 5;
    c.causal = true;
    for (std::int64_t i = 0; i < c.batch * c.keys; ++i) c.global_keys.push_back(i % 31 == 7);
    for (std::int64_t i = 0; i < c.batch * c.queries; ++i) c.global_queries.push_back(i % 23 == 5);
  });
}

void add_segments(std::vector<MaskedCase>& all) {
  for (const std::int64_t length : {7, 48, 64, 1000}) {
    AttentionCase c = base(static_cast<unsigned>(20 + length));
    c.key_segments = documents(c.keys, 0, length);
    c.query_segments = documents(c.queries, c.keys - c.queries, length);
    c.causal = length != 48;
    all.push_back({"segments of " + std::to_string(length), c});
  }
  AttentionCase own = base(30);
  own.key_segments = documents(own.batch * own.keys, 3, 40);
  own.query_segments = documents(own.batch * own.queries, 11, 30);
  own.key_mask.assign(size(own.keys), 1);
  for (std::int64_t n = 100; n < own.keys; ++n) own.key_mask[size(n)] = 0;
  all.push_back({"segments of each entry, padding", own});
  AttentionCase sinks = base(31);
  sinks.key_segments = documents(sinks.keys, 0, 50);
  sinks.query_segments = documents(sinks.queries, 0, 50);
  for (std::int64_t n = 0; n < sinks.keys; ++n) {
    sinks.key_positions[size(n)] = static_cast<std::int32_t>(n % 50);
  }
  for (std::int64_t m = 0; m < sinks.queries; ++m) {
    sinks.query_positions[size(m)] = static_cast<std::int32_t>(m % 50);
  }
  sinks.causal = true;
  sinks.window = 10;
  sinks.sinks = 2;
  all.push_back({"segments that each have sinks", sinks});
}

void add_dense(std::vector<MaskedCase>& all) {
  const std::vector<std::vector<bool>> shapes = {
      {true, true, true, true},   {false, false, true, true},  {true, false, false, true},
      {false, true, true, false}, {false, false, false, true}, {true, true, false, true}};
  unsigned seed = 40;
  for (const auto& own : shapes) {
    AttentionCase c = base(seed++);
    c.shown = dense<std::uint8_t>(c, own, most);
    c.causal = own[0];
    all.push_back({"visible " + std::to_string(seed), c});
    AttentionCase added = base(seed++);
    const auto numbers = random_floats(2 * 4 * added.queries * added.keys, seed);
    added.added = dense<float>(
        added, own, [&](std::int64_t i) { return i % 11 == 4 ? kHidden : numbers[size(i)]; });
    added.window = own[1] ? 0 : 60;
    all.push_back({"added " + std::to_string(seed), added});
  }
  AttentionCase rows = base(60);
  rows.added = dense<float>(rows, {false, false, true, true}, [&](std::int64_t i) {
    // Rows of nothing but −1e9, of nothing, and some of each.
    const std::int64_t row = i / rows.keys;
    if (row % 4 == 0) return -1e9F;
    if (row % 4 == 1) return kHidden;
    if (row % 4 == 2) return i % 3 == 0 ? 0.0F : -1e9F;
    return i % rows.keys < kKeyBlock ? -1e9F : -5e8F;
  });
  all.push_back({"added -1e9", rows});
  rows.causal = true;
  rows.sink_logits = {0.5F, -2.0F, 0.0F, 3.0F};
  all.push_back({"added -1e9, sinks that learn, causal", rows});
  rows.sink_logits.clear();
  rows.key_mask.assign(size(rows.keys), 1);
  for (std::int64_t n = 0; n < rows.keys; n += 3) rows.key_mask[size(n)] = 0;
  all.push_back({"added -1e9 where padding has 0", rows});
}

void add_others(std::vector<MaskedCase>& all) {
  AttentionCase logits = base(70);
  logits.sink_logits = {0.5F, -2.0F, 0.0F, 30.0F};
  logits.causal = true;
  logits.window = 16;
  all.push_back({"sink logits", logits});
  logits.query_positions.assign(size(logits.queries), -1);
  all.push_back({"sink logits of rows that see nothing", logits});
  AttentionCase scales = base(71);
  scales.head_scales = {0.5F, 1.0F, 2.0F, 0.0F};
  scales.query_scales = random_floats(scales.queries, 72);
  scales.softcap = 2.0F;
  all.push_back({"scales", scales});
  AttentionCase cross = base(73);
  cross.queries = 3;
  cross.keys = 200;
  cross.fill(74);
  cross.query_positions = {7, 100000, -5};
  all.push_back({"cross-attention", cross});
  AttentionCase everything = base(75);
  everything.causal = true;
  everything.before = 30;
  everything.chunk = 64;
  everything.sinks = 2;
  everything.key_segments = documents(everything.keys, 0, 90);
  everything.query_segments =
      documents(everything.queries, everything.keys - everything.queries, 90);
  everything.shown = dense<std::uint8_t>(everything, {true, false, true, true}, most);
  const auto numbers = random_floats(everything.keys, 76);
  everything.added = dense<float>(everything, {false, false, false, true},
                                  [&](std::int64_t i) { return numbers[size(i)]; });
  everything.key_mask.assign(size(everything.keys), 1);
  everything.key_mask[20] = everything.key_mask[99] = 0;
  everything.sink_logits = {0.0F, 1.0F, -1.0F, 2.0F};
  everything.softcap = 4.0F;
  all.push_back({"everything at once", everything});
}

}  // namespace

std::vector<MaskedCase> masked_cases() {
  std::vector<MaskedCase> all;
  add_local(all);
  add_segments(all);
  add_dense(all);
  add_others(all);
  return all;
}

}  // namespace posenc::test
