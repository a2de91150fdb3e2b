#include "attention/tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dot.hpp"
#include "position/gates.hpp"

namespace posenc {

Status HeadScores::allocate(const AttentionProblem& problem, const Operands& operands) {
  const Rotate* rotate = problem.terms.rotate;
  const Content* content = problem.terms.content;
  turned_ = Buffer<float>(rotate != nullptr ? kPanel * operands.dim() : 0);
  other_ = Buffer<float>(rotate != nullptr && rotate->regimes() > 1 ? kKeyBlock * kPanel : 0);
  row_ = Buffer<float>(kKeyBlock);
  tile_ = Buffer<float>(kKeyBlock * kPanel);
  gates_ = Buffer<float>(content != nullptr && content->gated() ? kKeyBlock * kPanel : 0);
  content_rows_ = Buffer<std::int32_t>(content != nullptr ? kKeyBlock * kPanel : 0);
  const bool ok =
      turned_.ok() && other_.ok() && row_.ok() && tile_.ok() && gates_.ok() && content_rows_.ok();
  return ok ? masks_.allocate() : Status::memory;
}

Status HeadScores::build(const AttentionProblem& problem, const Operands& operands, int head) {
  if (problem_ == nullptr) {
    if (const Status status = allocate(problem, operands); status != Status::ok) return status;
  }
  problem_ = &problem;
  operands_ = &operands;
  rows_ = &operands.rows();
  query_positions_ = operands.query_positions();
  dim_ = operands.dim();
  head_ = head;
  query_scales_ = problem.query_scales.of(operands.entry(), problem.queries);
  masks_.enter(problem, *rows_, query_positions_, operands.entry(), head);
  const bool consecutive = rows_->consecutive && operands.queries_consecutive() &&
                           problem.queries > 0 && problem.keys > 0;
  // Panels and registers may read past the last query.
  const std::int64_t count = problem.queries + problem.keys + 2 * kPanel;
  if (consecutive) {
    first_distance_ = std::int64_t{query_positions_.at(0)} - rows_->positions.at(problem.keys - 1);
  }
  row_by_distance_ = {};
  const Content* content = problem.terms.content;
  if (content != nullptr && !content->gated() && consecutive) {
    row_by_distance_ = Buffer<std::int32_t>(count);
    if (!row_by_distance_.ok()) return Status::memory;
    for (std::int64_t i = 0; i < count; ++i) {
      row_by_distance_[i] = static_cast<std::int32_t>(content->row(first_distance_ + i));
    }
  }
  const Bias* bias = problem.terms.bias;
  toeplitz_ = bias != nullptr && bias->toeplitz() && consecutive && problem.queries > 1;
  if (toeplitz_) {
    if (bias_.data() == nullptr) {
      bias_ = Buffer<float>(count);
      weights_ = Buffer<float>(bias->weighs() ? count : 0);
    }
    if (!bias_.ok() || !weights_.ok()) return Status::memory;
    bias->by_distance(head, first_distance_, count, bias_.data());
    if (bias->weighs()) bias->weights_by_distance(head, first_distance_, count, weights_.data());
  }
  return Status::ok;
}

void HeadScores::place(std::int64_t first, std::int64_t count, Panel& panel) const {
  const Scale* scale = problem_->terms.scale;
  const Range regimes = operands_->regimes();
  panel.first = first;
  panel.count = count;
  for (int lane = 0; lane < kPanel; ++lane) {
    const std::int64_t token = first + std::min<std::int64_t>(lane, count - 1);
    panel.positions[lane] = query_positions_.at(token);
    panel.factor[lane] = problem_->scale;
    if (problem_->head_scales != nullptr) panel.factor[lane] *= problem_->head_scales[head_];
    if (query_scales_ != nullptr) panel.factor[lane] *= query_scales_[token];
    if (scale != nullptr)
      panel.factor[lane] *= scale->factor(head_, query_positions_.from(token, 1));
    for (int regime = 1; regime <= regimes.last; ++regime) {
      panel.last_keys[regime][lane] =
          saturated(problem_->terms.rotate->last_key(regime, panel.positions[lane]));
    }
  }
  panel.span = Span::of(panel.positions);
  masks_.pack(panel);
}

void HeadScores::pack(std::int64_t first, std::int64_t count, Panel& panel) {
  place(first, count, panel);
  const Range regimes = operands_->regimes();
  float* out = panel.query;
  for (int regime = regimes.first; regime <= regimes.last; ++regime, out += dim_ * kPanel) {
    const float* query = operands_->queries(head_, first, count, regime, turned_.data());
    pack_rows(query, count, dim_, panel.factor, out);
    if (problem_->terms.content != nullptr) pack_content(query, panel);
  }
}

void HeadScores::pack_content(const float* query, Panel& panel) const {
  const Content& content = *problem_->terms.content;
  if (const float* vectors = content.query_vectors(head_); vectors != nullptr) {
    static constexpr float kZeros[kPanel] = {};
    const Range range = content_range(panel);
    dot_keys(vectors + range.first * dim_, range.count(), dim_, panel.query, kZeros, 0,
             panel.content + range.first * kPanel);
    for (std::int64_t r = 0; content.gated() && r < content.rows(); ++r) {
      for (std::int64_t lane = 0; lane < panel.count; ++lane) {
        panel.content[r * kPanel + lane] = dot(vectors + r * dim_, query + lane * dim_, dim_);
      }
    }
  }
  // q·k + u·k = (q + u)·k
  if (const float* global = content.global(head_); global != nullptr) {
    for (std::int64_t i = 0; i < dim_ * kPanel; ++i) {
      panel.query[i] += panel.factor[i % kPanel] * global[i / kPanel];
    }
  }
}

Range HeadScores::content_range(const Panel& panel) const {
  const Content& content = *problem_->terms.content;
  const Range all = {0, static_cast<int>(content.rows()) - 1};
  // Taps show hidden pairs too; gates count.
  if (row_by_distance_.data() == nullptr || problem_->taps.any()) return all;
  const Interval keys = masks_.reach(panel);
  if (keys.first > keys.last) return {0, -1};
  const std::int32_t* rows = row_by_distance_.data() - first_distance_;
  const auto [low, high] = std::minmax_element(rows + (panel.span.low - keys.last),
                                               rows + (panel.span.high - keys.first + 1));
  return {*low, *high};
}

Range HeadScores::regimes(const Panel& panel, const KeyBlock& block) const {
  const Range all = operands_->regimes();
  Range range = all;
  range.last = range.first;
  for (int regime = all.first + 1; regime <= all.last; ++regime) {
    const Span last_keys = Span::of(panel.last_keys[regime]);
    if (last_keys.low >= block.high) range.first = regime;
    if (last_keys.high >= block.low) range.last = regime;
  }
  return range;
}

void HeadScores::dots(const Panel& panel, const KeyBlock& block, const float* bias,
                      std::int64_t bias_stride, float* out) {
  const Range all = operands_->regimes();
  const Range occurring = regimes(panel, block);
  for (int regime = occurring.first; regime <= occurring.last; ++regime) {
    const bool only = regime == occurring.first;
    dot_keys(operands_->keys(regime) + block.first * dim_, block.count, dim_,
             panel.query + (regime - all.first) * dim_ * kPanel, bias, bias_stride,
             only ? out : other_.data());
    if (only) continue;
    for (std::int64_t n = 0; n < block.count; ++n) {
      for (int half = 0; half < kPanel; half += kLanes) {
        float* s = out + n * kPanel + half;
        const auto here = reached(panel, regime, block.first + n, half);
        store(s, select(here, load(other_.data() + n * kPanel + half), load(s)));
      }
    }
  }
}

void HeadScores::take_regime(const Panel& panel, const KeyBlock& block, Range occurring, int regime,
                             const float* tile, float* out) const {
  const Batch zero(0.0F);
  for (std::int64_t n = 0; n < block.count; ++n) {
    for (int half = 0; half < kPanel; half += kLanes) {
      const std::int64_t key = block.first + n;
      Batch x = load(tile + n * kPanel + half);
      if (regime > occurring.first) x = select(reached(panel, regime, key, half), x, zero);
      if (regime < occurring.last) x = select(reached(panel, regime + 1, key, half), zero, x);
      store(out + n * kPanel + half, x);
    }
  }
}

void HeadScores::logits(Panel& panel, const KeyBlock& block, bool all_visible, float* out,
                        float* capped) {
  // Without a softcap between them, a Toeplitz bias is added before the score leaves the registers.
  const bool fused = toeplitz_ && problem_->softcap == 0.0F && problem_->terms.content == nullptr &&
                     !problem_->terms.bias->weighs();
  if (fused) {
    dots(panel, block, toeplitz(bias_, panel, block), -1, out);
  } else {
    raw(panel, block, out);
    cap(block, out);
    if (capped != nullptr) std::copy_n(out, block.count * kPanel, capped);
    add_bias(panel, block, out);
  }
  if (!all_visible) masks_.hide(panel, block, out);
}

void HeadScores::raw(Panel& panel, const KeyBlock& block, float* out) {
  static constexpr float kZeros[kPanel] = {};
  dots(panel, block, kZeros, 0, out);
  const Content* content = problem_->terms.content;
  if (content == nullptr) return;
  if (content->gated()) {
    add_gated(panel, block, out);
  } else {
    add_content(panel, block, out);
  }
}

void HeadScores::add_gated(Panel& panel, const KeyBlock& block, float* out) {
  const std::int64_t last = problem_->terms.content->rows() - 1;
  std::copy_n(out, block.count * kPanel, gates_.data());
  masks_.hide(panel, block, gates_.data());
  for (std::int64_t i = block.count * kPanel - 1; i >= 0; --i) {
    const std::int64_t lane = i % kPanel;
    double& sum = panel.gates[lane];
    sum += gate(gates_[i]);
    if (std::isnan(sum)) {
      out[i] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const GateCount count(sum, last);
    const float start = panel.content[count.below * kPanel + lane];
    const float end = panel.content[count.above * kPanel + lane];
    out[i] += start + count.part * (end - start);
  }
}

const std::int32_t* HeadScores::content_rows(const Panel& panel, const KeyBlock& block) {
  for (std::int64_t n = 0; n < block.count; ++n) {
    const std::int64_t key = rows_->positions.at(block.first + n);
    for (int lane = 0; lane < kPanel; ++lane) {
      content_rows_[n * kPanel + lane] = content_row(panel.positions[lane] - key);
    }
  }
  return content_rows_.data();
}

void HeadScores::add_content(const Panel& panel, const KeyBlock& block, float* out) {
  const Content& content = *problem_->terms.content;
  const bool by_query = content.query_vectors(head_) != nullptr;
  const float* key_vectors = content.key_vectors(head_);
  const float* offsets = content.offsets(head_);
  const float* keys = operands_->keys(0) + block.first * dim_;
  const std::int32_t* rows = content_rows(panel, block);
  std::int32_t lanes[kPanel];
  for (int lane = 0; lane < kPanel; ++lane) lanes[lane] = lane;
  for (std::int64_t n = 0; n < block.count; ++n, rows += kPanel) {
    PanelValue key_terms = {Batch(0.0F), Batch(0.0F)};
    if (key_vectors != nullptr) {
      const float* key = keys + n * dim_;
      // Far away, clipped distances and wide buckets share a row.
      if (std::all_of(rows, rows + kPanel, [&](std::int32_t row) { return row == rows[0]; })) {
        key_terms.low = key_terms.high = Batch(dot(key_vectors + rows[0] * dim_, key, dim_));
      } else {
        key_terms = dot_table(key, key_vectors, rows, dim_);
      }
    }
    for (int half = 0; half < kPanel; half += kLanes) {
      float* s = out + n * kPanel + half;
      Batch sum = load(s);
      Batch unscaled = half == 0 ? key_terms.low : key_terms.high;
      if (offsets != nullptr) unscaled = unscaled + gather(offsets, rows + half);
      if (by_query) {
        const IntBatch index = load(rows + half) * IntBatch(kPanel) + load(lanes + half);
        std::int32_t at[kLanes];
        index.store_unaligned(at);
        sum = sum + gather(panel.content, at);
      }
      store(s, fma(load(panel.factor + half), unscaled, sum));
    }
  }
}

void HeadScores::add_row_weights(const Panel& panel, const KeyBlock& block, const float* weights,
                                 PanelValue correction, float* sums) {
  const Content& content = *problem_->terms.content;
  for (std::int64_t row = 0; row < content.rows(); ++row) {
    const PanelValue sum = PanelValue::load_from(sums + row * kPanel);
    PanelValue{sum.low * correction.low, sum.high * correction.high}.store_to(sums + row * kPanel);
  }
  const std::int32_t* rows = content_rows(panel, block);
  for (std::int64_t n = 0; n < block.count; ++n) {
    for (int lane = 0; lane < kPanel; ++lane) {
      const std::int64_t i = n * kPanel + lane;
      sums[rows[i] * kPanel + lane] += weights[i];
    }
  }
}

void HeadScores::cap(std::int64_t count, float* scores) const {
  if (problem_->softcap == 0.0F) return;
  const Batch cap(problem_->softcap);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    store(scores + i, cap * tanh(load(scores + i) / cap));
  }
}

void HeadScores::finish_row(const Panel& panel, const KeyBlock& block, Visibility visibility,
                            float* scores) {
  cap(block.count, scores);
  if (const Bias* bias = problem_->terms.bias; bias != nullptr) {
    const Positions query = query_positions_.from(panel.first, 1);
    const Positions keys = rows_->positions.from(block.first, block.count);
    if (bias->weighs()) {
      bias->weights_row(head_, query, keys, row_.data());
      for (std::int64_t n = 0; n < block.count; ++n) scores[n] *= row_[n];
    }
    bias->row(head_, query, keys, row_.data());
    for (std::int64_t n = 0; n < block.count; ++n) scores[n] += row_[n];
  }
  if (visibility == Visibility::all) return;
  std::fill_n(tile_.data(), block.count * kPanel, 0.0F);
  masks_.hide(panel, block, tile_.data());
  for (std::int64_t n = 0; n < block.count; ++n) {
    if (tile_[n * kPanel] != 0.0F) scores[n] = tile_[n * kPanel];
  }
}

const float* HeadScores::toeplitz(const Buffer<float>& by_distance, const Panel& panel,
                                  const KeyBlock& block) const {
  const std::int64_t distance = std::int64_t{panel.positions[0]} - rows_->positions.at(block.first);
  return by_distance.data() + (distance - first_distance_);
}

void HeadScores::add_bias(const Panel& panel, const KeyBlock& block, float* scores) {
  const Bias* bias = problem_->terms.bias;
  if (bias == nullptr) return;
  if (toeplitz_) {
    const float* start = toeplitz(bias_, panel, block);
    const float* weights = bias->weighs() ? toeplitz(weights_, panel, block) : nullptr;
    for (std::int64_t n = 0; n < block.count; ++n) {
      for (int half = 0; half < kPanel; half += kLanes) {
        float* s = scores + n * kPanel + half;
        const Batch weighed = weights == nullptr ? load(s) : load(s) * load(weights - n + half);
        store(s, weighed + load(start - n + half));
      }
    }
    return;
  }
  const Positions keys = rows_->positions.from(block.first, block.count);
  for (int lane = 0; lane < panel.count; ++lane) {
    const Positions query = query_positions_.from(panel.first + lane, 1);
    if (bias->weighs()) {
      bias->weights_row(head_, query, keys, row_.data());
      for (std::int64_t n = 0; n < block.count; ++n) scores[n * kPanel + lane] *= row_[n];
    }
    bias->row(head_, query, keys, row_.data());
    for (std::int64_t n = 0; n < block.count; ++n) scores[n * kPanel + lane] += row_[n];
  }
}

}  // namespace posenc
