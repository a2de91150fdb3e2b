#include "attention_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {

namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

template <class T>
std::vector<T> tokens_of(const std::vector<T>& x, std::int64_t rows, std::int64_t tokens,
                         std::int64_t width, std::int64_t first, std::int64_t count) {
  std::vector<T> out;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto taken = part(x, (row * tokens + first) * width, count * width);
    out.insert(out.end(), taken.begin(), taken.end());
  }
  return out;
}

/// The same of an array that may be shared by the batch.
template <class T>
std::vector<T> tokens_of(const std::vector<T>& x, std::int64_t tokens, std::int64_t width,
                         std::int64_t first, std::int64_t count) {
  const std::int64_t row = tokens * width;
  const std::int64_t rows = row == 0 ? 0 : static_cast<std::int64_t>(x.size()) / row;
  return tokens_of(x, rows, tokens, width, first, count);
}

/// Runs the way back of a problem that has been run.
Status run_back(const AttentionCase& c, const AttentionProblem& p, Gradients& g) {
  g.query.assign(c.query.size(), kUnwritten);
  g.key.assign(c.key.size(), kUnwritten);
  g.value.assign(c.value.size(), kUnwritten);
  g.added.assign(c.added.values.size(), 0.0F);
  g.sink_logits.assign(c.sink_logits.size(), 0.0F);
  g.head_scales.assign(c.head_scales.size(), 0.0F);
  g.query_scales.assign(c.query_scales.size(), 0.0F);
  const auto if_any = [](std::vector<float>& x) { return x.empty() ? nullptr : x.data(); };
  std::vector<float*> tensors;
  for (auto& tensor : g.tensors) tensors.push_back(if_any(tensor));
  std::vector<float*> bias_tensors;
  for (auto& tensor : g.bias_tensors) bias_tensors.push_back(if_any(tensor));
  AttentionGradients gradients;
  gradients.d_output = g.d_output.data();
  gradients.query = g.query.data();
  gradients.key = g.key.data();
  gradients.value = g.value.data();
  gradients.rotate = gradients.content = gradients.bias = gradients.scale = tensors;
  if (!bias_tensors.empty()) gradients.bias = bias_tensors;
  g.score_scale = 0.0;
  gradients.score_scale = &g.score_scale;
  gradients.sink_logits = if_any(g.sink_logits);
  gradients.head_scales = if_any(g.head_scales);
  gradients.query_scales = if_any(g.query_scales);
  gradients.added = c.added.pairs(g.added.data());
  return attention_backward(p, gradients);
}

}  // namespace

void AttentionCase::fill(unsigned seed) {
  query = random_floats(batch * heads * queries * head_dim, seed);
  key = random_floats(batch * kv_heads * keys * head_dim, seed + 1);
  value = random_floats(batch * kv_heads * keys * value_dim, seed + 2);
  scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
  key_positions = count_from(0, keys);
  query_positions = count_from(keys - queries, queries);
}

std::int64_t AttentionCase::query_at(std::int64_t entry, std::int64_t token) const {
  const bool shared = query_positions.size() == size(queries * axes);
  return query_positions[size(((shared ? 0 : entry * queries) + token) * axes)];
}

std::int64_t AttentionCase::key_at(std::int64_t entry, std::int64_t token) const {
  const bool shared = key_positions.size() == size(keys * axes);
  return key_positions[size(((shared ? 0 : entry * keys) + token) * axes)];
}

bool AttentionCase::real(std::int64_t entry, std::int64_t token) const {
  if (key_mask.empty()) return true;
  const bool shared = key_mask.size() == size(keys);
  return key_mask[size((shared ? 0 : entry * keys) + token)] != 0;
}

float* AttentionCase::query_row(std::int64_t entry, std::int64_t head, std::int64_t token) {
  return query.data() + ((entry * heads + head) * queries + token) * head_dim;
}

float* AttentionCase::key_row(std::int64_t entry, std::int64_t kv_head, std::int64_t token) {
  return key.data() + ((entry * kv_heads + kv_head) * keys + token) * head_dim;
}

float* AttentionCase::value_row(std::int64_t entry, std::int64_t kv_head, std::int64_t token) {
  return value.data() + ((entry * kv_heads + kv_head) * keys + token) * value_dim;
}

Masks AttentionCase::masks() const {
  const auto queried = [this](const auto& numbers) {
    using T = typename std::decay_t<decltype(numbers)>::value_type;
    if (numbers.empty()) return PerToken<T>{};
    return PerToken<T>{numbers.data(), numbers.size() != size(queries)};
  };
  const auto keyed = [this](const auto& numbers) {
    using T = typename std::decay_t<decltype(numbers)>::value_type;
    if (numbers.empty()) return PerToken<T>{};
    return PerToken<T>{numbers.data(), numbers.size() != size(keys)};
  };
  Masks m;
  m.causal = causal;
  m.window = window;
  m.before = before;
  m.after = after;
  m.chunk = chunk;
  m.sinks = sinks;
  m.global_keys = keyed(global_keys);
  m.global_queries = queried(global_queries);
  m.real_keys = keyed(key_mask);
  m.query_segments = queried(query_segments);
  m.key_segments = keyed(key_segments);
  m.visible = shown.pairs(shown.values.data());
  m.added = added.pairs(added.values.data());
  return m;
}

Stages<float> run(const AttentionCase& c, RunOptions options) {
  Stages<float> result;
  AttentionProblem p;
  result.status = collect(c.encodings, p.terms);
  if (result.status != Status::ok) return result;
  const auto blank = [&](std::int64_t count) {
    return Unaligned(std::vector<float>(size(count), kUnwritten), options.offset);
  };
  Unaligned query(c.query, options.offset);
  Unaligned key(c.key, options.offset);
  Unaligned value(c.value, options.offset);
  Unaligned output = blank(c.batch * c.heads * c.queries * c.value_dim);
  const std::int64_t pairs = options.taps ? c.batch * c.heads * c.queries * c.keys : 0;
  Unaligned scores = blank(pairs);
  Unaligned capped = blank(pairs);
  Unaligned biased = blank(pairs);
  Unaligned logits = blank(pairs);
  Unaligned weights = blank(pairs);

  p.batch = c.batch;
  p.heads = c.heads;
  p.kv_heads = c.kv_heads;
  p.queries = c.queries;
  p.keys = c.keys;
  p.head_dim = c.head_dim;
  p.value_dim = c.value_dim;
  p.query = query.data();
  p.key = key.data();
  p.value = value.data();
  p.output = output.data();
  p.scale = c.scale;
  p.softcap = c.softcap;
  p.axes = c.axes;
  std::vector<std::int32_t> query_positions = c.query_positions;
  std::vector<std::int32_t> key_positions = c.key_positions;
  if (options.zero_axes && c.axes == 1) {
    p.axes = axes_read(p.terms.domain);
    query_positions = with_zeros(query_positions, p.axes);
    key_positions = with_zeros(key_positions, p.axes);
  }
  p.query_positions = query_positions.data();
  p.query_positions_per_batch = c.query_positions.size() != size(c.queries * c.axes);
  p.key_positions = key_positions.data();
  p.key_positions_per_batch = c.key_positions.size() != size(c.keys * c.axes);
  p.masks = c.masks();
  if (!c.sink_logits.empty()) p.sink_logits = c.sink_logits.data();
  if (!c.head_scales.empty()) p.head_scales = c.head_scales.data();
  if (!c.query_scales.empty()) {
    p.query_scales = {c.query_scales.data(), c.query_scales.size() != size(c.queries)};
  }
  result.statistics.resize(size(c.batch * c.heads * c.queries));
  p.statistics = result.statistics.data();
  if (options.taps) {
    p.taps = {scores.data(), capped.data(), biased.data(), logits.data(), weights.data()};
  }
  result.status = attention(p);
  if (result.status == Status::ok && options.gradients != nullptr) {
    result.status = run_back(c, p, *options.gradients);
  }
  const auto copy = [](const Unaligned& x) {
    return std::vector<float>(x.values().begin(), x.values().end());
  };
  result.output = copy(output);
  result.scores = copy(scores);
  result.capped = copy(capped);
  result.biased = copy(biased);
  result.logits = copy(logits);
  result.weights = copy(weights);
  return result;
}

std::string stage_differences(const Stages<float>& actual, const Stages<double>& expected) {
  if (actual.status != Status::ok) return "status";
  const auto named = [](const char* stage, const std::string& text) {
    return text.empty() ? "" : std::string(stage) + ": " + text + "\n";
  };
  return named("scores", differences(actual.scores, expected.scores)) +
         named("capped", differences(actual.capped, expected.capped)) +
         named("biased", differences(actual.biased, expected.biased)) +
         named("logits", differences(actual.logits, expected.logits)) +
         named("weights", differences(actual.weights, expected.weights)) +
         named("output", differences(actual.output, expected.output));
}

AttentionCase slice(const AttentionCase& c, std::int64_t first, std::int64_t count,
                    std::int64_t key_first, std::int64_t key_count) {
  AttentionCase s = c;
  s.queries = count;
  s.keys = key_count;
  s.query = tokens_of(c.query, c.queries, c.head_dim, first, count);
  s.key = tokens_of(c.key, c.keys, c.head_dim, key_first, key_count);
  s.value = tokens_of(c.value, c.keys, c.value_dim, key_first, key_count);
  s.query_positions = tokens_of(c.query_positions, c.queries, c.axes, first, count);
  s.key_positions = tokens_of(c.key_positions, c.keys, c.axes, key_first, key_count);
  s.key_mask = tokens_of(c.key_mask, c.keys, 1, key_first, key_count);
  s.global_keys = tokens_of(c.global_keys, c.keys, 1, key_first, key_count);
  s.key_segments = tokens_of(c.key_segments, c.keys, 1, key_first, key_count);
  s.global_queries = tokens_of(c.global_queries, c.queries, 1, first, count);
  s.query_segments = tokens_of(c.query_segments, c.queries, 1, first, count);
  s.query_scales = tokens_of(c.query_scales, c.queries, 1, first, count);
  return s;
}

AttentionCase padded(const AttentionCase& c, std::int64_t before, std::int64_t after) {
  constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
  AttentionCase p = c;
  p.queries = p.keys = before + c.keys + after;
  p.query.assign(static_cast<std::size_t>(p.heads * p.queries * p.head_dim), kNothing);
  p.key.assign(static_cast<std::size_t>(p.kv_heads * p.keys * p.head_dim), kNothing);
  p.value.assign(static_cast<std::size_t>(p.kv_heads * p.keys * p.value_dim), kNothing);
  p.key_positions.assign(static_cast<std::size_t>(p.keys), 1);
  p.key_mask.assign(static_cast<std::size_t>(p.keys), 0);
  AttentionCase source = c;
  for (std::int64_t t = 0; t < c.keys; ++t) {
    for (std::int64_t h = 0; h < c.heads; ++h) {
      std::copy_n(source.query_row(0, h, t), c.head_dim, p.query_row(0, h, before + t));
    }
    for (std::int64_t h = 0; h < c.kv_heads; ++h) {
      std::copy_n(source.key_row(0, h, t), c.head_dim, p.key_row(0, h, before + t));
      std::copy_n(source.value_row(0, h, t), c.value_dim, p.value_row(0, h, before + t));
    }
    p.key_positions[size(before + t)] = c.key_positions[size(t)];
    p.key_mask[size(before + t)] = 1;
  }
  p.query_positions = p.key_positions;
  return p;
}

std::vector<float> output_rows(const AttentionCase& c, const Stages<float>& result,
                               std::int64_t first, std::int64_t count) {
  return tokens_of(result.output, c.queries, c.value_dim, first, count);
}

}  // namespace posenc::test
