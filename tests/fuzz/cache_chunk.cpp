#include "cache_chunk.hpp"

#include <algorithm>
#include <cmath>

#include "hook_reference.hpp"
#include "problem.hpp"
#include "require.hpp"

namespace posenc::fuzz {

namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// Rows of some tokens from a tensor (heads, tokens, width) of the pool.
void add_rows(std::vector<float>& out, const std::vector<float>& pool, std::int64_t heads,
              std::int64_t width, const Slots& slots) {
  const std::int64_t tokens = static_cast<std::int64_t>(pool.size()) / (heads * width);
  for (std::int64_t h = 0; h < heads; ++h) {
    for (const Slot& slot : slots) {
      const auto row = pool.begin() + (h * tokens + slot.token) * width;
      out.insert(out.end(), row, row + width);
    }
  }
}

void add_positions(std::vector<std::int32_t>& out, const Slots& slots, int axes) {
  std::vector<std::int32_t> first;
  for (const Slot& slot : slots) first.push_back(static_cast<std::int32_t>(slot.position));
  const auto all = coordinates(first, axes);
  out.insert(out.end(), all.begin(), all.end());
}

/// Compares the output of the tokens `rows` of a chunk.
void check_rows(const test::AttentionCase& wanted_of, const ScoreTerms& terms, const Chunk& chunk,
                std::int64_t i, const std::vector<std::int64_t>& rows,
                const std::vector<float>& output) {
  const test::AttentionCase& c = chunk.tokens;
  const auto wanted = expected(wanted_of, terms);
  const bool finite = std::all_of(wanted.output.begin(), wanted.output.end(),
                                  [](double x) { return std::isfinite(x); });
  if (!is_moderate(wanted) || !finite) return;
  std::vector<float> actual;
  for (std::int64_t h = 0; h < c.heads; ++h) {
    for (const std::int64_t t : rows) {
      const std::int64_t row = (i * c.heads + h) * c.queries + t;
      const auto taken = test::part(output, row * c.value_dim, c.value_dim);
      actual.insert(actual.end(), taken.begin(), taken.end());
    }
  }
  // Keys that were turned more than once are a little off.
  require_same(test::differences(actual, wanted.output, tolerance_of(wanted, {1e-5, 1e-4})),
               "output of a cache");
}

}  // namespace

void number(Slots& slots) {
  for (std::size_t n = 0; n < slots.size(); ++n) slots[n].position = static_cast<std::int64_t>(n);
}

test::AttentionCase problem_of(const test::AttentionCase& pool, const Slots& queries,
                               const Slots& keys) {
  test::AttentionCase c = pool;
  c.queries = static_cast<std::int64_t>(queries.size());
  c.keys = static_cast<std::int64_t>(keys.size());
  for (auto* tensor : {&c.query, &c.key, &c.value}) tensor->clear();
  for (auto* positions : {&c.query_positions, &c.key_positions}) positions->clear();
  add_rows(c.query, pool.query, c.heads, c.head_dim, queries);
  add_rows(c.key, pool.key, c.kv_heads, c.head_dim, keys);
  add_rows(c.value, pool.value, c.kv_heads, c.value_dim, keys);
  add_positions(c.query_positions, queries, c.axes);
  add_positions(c.key_positions, keys, c.axes);
  return c;
}

Chunk::Chunk(Bytes& bytes, const test::AttentionCase& pool, CachePart where,
             const std::vector<std::int64_t>& next, std::int64_t count)
    : part(where), placed(bytes.once_in(4) || pool.axes > 1) {
  const std::int64_t gaps[] = {0, 0, 1, 5, -1, -4, 1 << 24, -(1 << 30)};
  const std::int64_t steps[] = {1, 1, 2, 0, 7, -1};
  const auto batch = static_cast<std::int64_t>(next.size());
  std::vector<std::uint8_t> mask(size(batch * count), 1);
  if (bytes.once_in(4)) {
    for (auto& real : mask) real = bytes.flag() ? 0 : 1;
  }
  tokens = problem_of(pool, {}, {});
  tokens.batch = batch;
  tokens.queries = tokens.keys = count;
  tokens.key_mask = mask;
  for (std::int64_t i = 0; i < batch; ++i) {
    std::int64_t at = next[size(i)] + (placed ? bytes.pick(gaps) : 0);
    const std::int64_t step = placed ? bytes.pick(steps) : 1;
    slots.emplace_back();
    for (std::int64_t t = 0; t < count; ++t) {
      slots.back().push_back(
          {bytes.below(pool.keys),
           std::clamp<std::int64_t>(at, -kMaxPosition - 1LL, kMaxPosition + 1LL)});
      if (placed || mask[size(i * count + t)] != 0) at += step;
    }
    const test::AttentionCase of_sequence = problem_of(pool, slots.back(), slots.back());
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(tokens.query, of_sequence.query);
    append(tokens.key, of_sequence.key);
    append(tokens.value, of_sequence.value);
    append(tokens.query_positions, of_sequence.query_positions);
  }
  tokens.key_positions = tokens.query_positions;
}

Slots Chunk::real(std::int64_t i) const {
  Slots all;
  for (std::int64_t t = 0; t < tokens.queries; ++t) {
    if (tokens.real(i, t)) all.push_back(slots[size(i)][size(t)]);
  }
  return all;
}

void check_output(const test::AttentionCase& pool, const ScoreTerms& terms, const KvCache& cache,
                  const Chunk& chunk, std::int64_t i, const Slots& old,
                  const std::vector<float>& output) {
  const CachePolicy& policy = cache.policy();
  std::vector<std::int64_t> rows;
  for (std::int64_t t = 0; t < chunk.tokens.queries; ++t) {
    if (chunk.tokens.real(i, t)) rows.push_back(t);
  }
  const Slots added = chunk.real(i);
  bool ascend = pool.causal;
  for (std::size_t n = 1; n < added.size(); ++n) {
    ascend = ascend && added[n - 1].position < added[n].position;
  }
  // Pieces of a chunk see what is there already: the same where later tokens are hidden anyway.
  if (policy.window > 0 && added.size() > 1 && !ascend) return;
  test::AttentionCase like = pool;
  if (policy.window > 0) {
    like.window = policy.window;
    like.sinks = policy.sinks;
  }
  Slots keys = old;
  if (!policy.renumber) {
    keys.insert(keys.end(), added.begin(), added.end());
    check_rows(problem_of(like, added, keys), terms, chunk, i, rows, output);
    return;
  }
  if (added.size() > 1 && !pool.causal) return;
  const std::int64_t limit =
      policy.window > 0 ? policy.window + policy.sinks : cache.shape().capacity;
  for (std::size_t n = 0; n < added.size(); ++n) {
    if (static_cast<std::int64_t>(keys.size()) == limit) keys.erase(keys.begin() + policy.sinks);
    keys.push_back(added[n]);
    number(keys);
    check_rows(problem_of(like, {keys.back()}, keys), terms, chunk, i, {rows[n]}, output);
  }
}

}  // namespace posenc::fuzz
