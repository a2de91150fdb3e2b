#include "attention/tile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/dot.hpp"

namespace posenc {

Status HeadScores::build(const AttentionProblem& problem, const KeyRows& rows,
                         Positions query_positions, bool queries_consecutive, int head,
                         const float* keys, std::int64_t dim) {
  problem_ = &problem;
  rows_ = &rows;
  query_positions_ = query_positions;
  keys_ = keys;
  dim_ = dim;
  head_ = head;
  row_ = Buffer<float>(kKeyBlock);
  visible_ = Buffer<std::uint8_t>(kKeyBlock);
  const Content* content = problem.terms.content;
  gates_ = Buffer<float>(content != nullptr && content->gated() ? kKeyBlock * kPanel : 0);
  content_rows_ = Buffer<std::int64_t>(content != nullptr ? kKeyBlock * kPanel : 0);
  by_distance_ = Buffer<std::int64_t>(content != nullptr ? kKeyBlock + kPanel : 0);
  if (!row_.ok() || !visible_.ok() || !gates_.ok() || !content_rows_.ok() || !by_distance_.ok()) {
    return Status::memory;
  }

  const Bias* bias = problem.terms.bias;
  toeplitz_ = bias != nullptr && bias->toeplitz() && rows.consecutive && queries_consecutive &&
              problem.queries > 0 && problem.keys > 0;
  if (toeplitz_) {
    // Panels and registers may read past the last query.
    const std::int64_t count = problem.queries + problem.keys + 2 * kPanel;
    first_distance_ = std::int64_t{query_positions.at(0)} - rows.positions.at(problem.keys - 1);
    bias_ = Buffer<float>(count);
    weights_ = Buffer<float>(bias->weighs() ? count : 0);
    if (!bias_.ok() || !weights_.ok()) return Status::memory;
    bias->by_distance(head, first_distance_, count, bias_.data());
    if (bias->weighs()) bias->weights_by_distance(head, first_distance_, count, weights_.data());
  }
  return Status::ok;
}

void HeadScores::pack(const float* query, std::int64_t first, std::int64_t count,
                      Panel& panel) const {
  const Scale* scale = problem_->terms.scale;
  panel.first = first;
  panel.count = count;
  for (int lane = 0; lane < kPanel; ++lane) {
    const std::int64_t token = first + std::min<std::int64_t>(lane, count - 1);
    panel.positions[lane] = query_positions_.at(token);
    panel.factor[lane] = problem_->scale;
    if (scale != nullptr)
      panel.factor[lane] *= scale->factor(head_, query_positions_.from(token, 1));
    if (lane >= count) {
      for (std::int64_t d = 0; d < dim_; ++d) panel.query[d * kPanel + lane] = 0.0F;
      continue;
    }
    const float* row = query + lane * dim_;
    for (std::int64_t d = 0; d < dim_; ++d) {
      panel.query[d * kPanel + lane] = row[d] * panel.factor[lane];
    }
  }
  panel.low = *std::min_element(panel.positions, panel.positions + kPanel);
  panel.high = *std::max_element(panel.positions, panel.positions + kPanel);

  if (problem_->terms.content != nullptr) pack_content(query, panel);
}

void HeadScores::pack_content(const float* query, Panel& panel) const {
  const Content& content = *problem_->terms.content;
  if (const float* vectors = content.query_vectors(head_); vectors != nullptr) {
    static constexpr float kZeros[kPanel] = {};
    dot_keys(vectors, content.rows(), dim_, panel.query, kZeros, 0, panel.content);
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

Visibility HeadScores::visibility(const Panel& panel, const KeyBlock& block) const {
  if (block.empty) return Visibility::none;
  bool all = !block.padded && problem_->terms.mask == nullptr;
  if (problem_->causal) {
    if (block.low > panel.high) return Visibility::none;
    all &= block.high <= panel.low;
  }
  if (const std::int64_t window = problem_->window; window > 0) {
    const std::int64_t nearest_past = std::int64_t{panel.low} - block.high;
    const std::int64_t nearest_future = std::int64_t{block.low} - panel.high;
    if (nearest_past >= window || nearest_future >= window) return Visibility::none;
    all &= std::int64_t{panel.high} - block.low < window &&
           std::int64_t{block.high} - panel.low < window;
  }
  return all ? Visibility::all : Visibility::some;
}

void HeadScores::logits(Panel& panel, const KeyBlock& block, bool all_visible, float* out) {
  // Without a softcap between them, a Toeplitz bias is added before the score leaves the registers.
  const bool fused = toeplitz_ && problem_->softcap == 0.0F &&
                     problem_->terms.content == nullptr && !problem_->terms.bias->weighs();
  if (fused) {
    dot_keys(keys_ + block.first * dim_, block.count, dim_, panel.query,
             toeplitz(bias_, panel, block), -1, out);
  } else {
    raw(panel, block, out);
    cap(block, out);
    add_bias(panel, block, out);
  }
  if (!all_visible) hide(panel, block, out);
}

void HeadScores::raw(Panel& panel, const KeyBlock& block, float* out) {
  static constexpr float kZeros[kPanel] = {};
  dot_keys(keys_ + block.first * dim_, block.count, dim_, panel.query, kZeros, 0, out);
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
  hide(panel, block, gates_.data());
  for (std::int64_t i = block.count * kPanel - 1; i >= 0; --i) {
    const std::int64_t lane = i % kPanel;
    double& sum = panel.gates[lane];
    sum += 1.0 / (1.0 + std::exp(-static_cast<double>(gates_[i])));  // hidden: 1/(1 + ∞) = 0
    if (std::isnan(sum)) {
      out[i] = std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const double count = std::min(sum, static_cast<double>(last));
    const auto below = static_cast<std::int64_t>(count);
    const std::int64_t above = std::min(below + 1, last);
    const float start = panel.content[below * kPanel + lane];
    const float end = panel.content[above * kPanel + lane];
    out[i] += start + static_cast<float>(count - static_cast<double>(below)) * (end - start);
  }
}

void HeadScores::find_rows(const Panel& panel, const KeyBlock& block) {
  const Content& content = *problem_->terms.content;
  // Where distances are dense, as they are for consecutive tokens, each is looked up once.
  const std::int64_t nearest = std::int64_t{panel.low} - block.high;
  const std::int64_t count = std::int64_t{panel.high} - block.low - nearest + 1;
  const bool dense = count <= kKeyBlock + kPanel;
  if (dense) {
    for (std::int64_t i = 0; i < count; ++i) by_distance_[i] = content.row(nearest + i);
  }
  for (std::int64_t n = 0; n < block.count; ++n) {
    const std::int64_t key = rows_->positions.at(block.first + n);
    for (int lane = 0; lane < kPanel; ++lane) {
      const std::int64_t distance = panel.positions[lane] - key;
      content_rows_[n * kPanel + lane] =
          dense ? by_distance_[distance - nearest] : content.row(distance);
    }
  }
}

void HeadScores::add_content(const Panel& panel, const KeyBlock& block, float* out) {
  const Content& content = *problem_->terms.content;
  const bool by_query = content.query_vectors(head_) != nullptr;
  const float* key_vectors = content.key_vectors(head_);
  const float* offsets = content.offsets(head_);
  find_rows(panel, block);
  for (std::int64_t n = 0; n < block.count; ++n) {
    const float* key = keys_ + (block.first + n) * dim_;
    std::int64_t last = -1;
    float key_term = 0.0F;
    for (int lane = 0; lane < kPanel; ++lane) {
      const std::int64_t i = n * kPanel + lane;
      const std::int64_t row = content_rows_[i];
      if (by_query) out[i] += panel.content[row * kPanel + lane];
      if (offsets != nullptr) out[i] += panel.factor[lane] * offsets[row];
      if (key_vectors == nullptr) continue;
      // Far away, clipped distances and wide buckets share a row.
      if (row != last) key_term = dot(key_vectors + row * dim_, key, dim_);
      last = row;
      out[i] += panel.factor[lane] * key_term;
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
  find_rows(panel, block);
  for (std::int64_t n = 0; n < block.count; ++n) {
    for (int lane = 0; lane < kPanel; ++lane) {
      const std::int64_t i = n * kPanel + lane;
      sums[content_rows_[i] * kPanel + lane] += weights[i];
    }
  }
}

void HeadScores::cap(const KeyBlock& block, float* scores) const {
  if (problem_->softcap == 0.0F) return;
  const Batch cap(problem_->softcap);
  for (std::int64_t i = 0; i < block.count * kPanel; i += kLanes) {
    store(scores + i, cap * tanh(load(scores + i) / cap));
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
        const Batch weighed =
            weights == nullptr ? load(s) : load(s) * load(weights - n + half);
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

void HeadScores::hide(const Panel& panel, const KeyBlock& block, float* scores) {
  const Batch hidden(-std::numeric_limits<float>::infinity());
  // Each query sees an interval of positions.
  constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int32_t>::max();
  constexpr std::int64_t kEverything = kHighest - kLowest;
  const std::int64_t reach =
      problem_->window > 0 ? std::min(problem_->window - 1, kEverything) : kEverything;
  std::int32_t from[kPanel];
  std::int32_t to[kPanel];
  for (int lane = 0; lane < kPanel; ++lane) {
    const std::int64_t at = panel.positions[lane];
    const std::int64_t last = problem_->causal ? at : at + reach;
    from[lane] = static_cast<std::int32_t>(std::max(at - reach, kLowest));
    to[lane] = static_cast<std::int32_t>(std::min(last, kHighest));
  }
  for (std::int64_t n = 0; n < block.count; ++n) {
    float* s = scores + n * kPanel;
    if (rows_->mask != nullptr && rows_->mask[block.first + n] == 0) {
      store(s, hidden);
      store(s + kLanes, hidden);
      continue;
    }
    const IntBatch position(rows_->positions.at(block.first + n));
    for (int half = 0; half < kPanel; half += kLanes) {
      const auto visible = position >= load(from + half) && position <= load(to + half);
      store(s + half, select(as_float_mask(visible), load(s + half), hidden));
    }
  }
  if (const Mask* mask = problem_->terms.mask; mask != nullptr) {
    for (int lane = 0; lane < panel.count; ++lane) {
      std::memset(visible_.data(), 1, static_cast<std::size_t>(block.count));
      mask->row(head_, query_positions_.from(panel.first + lane, 1),
                rows_->positions.from(block.first, block.count), visible_.data());
      for (std::int64_t n = 0; n < block.count; ++n) {
        if (visible_[n] == 0) {
          scores[n * kPanel + lane] = -std::numeric_limits<float>::infinity();
        }
      }
    }
  }
}

}  // namespace posenc
