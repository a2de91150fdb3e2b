#include "attention/tile.hpp"

#include <algorithm>
#include <cstring>

namespace posenc {

namespace {

float dot(const float* a, const float* b, std::int64_t count) {
  float sum = 0.0F;
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Status HeadScores::build(const AttentionProblem& problem, const KeyRows& rows,
                         Positions query_positions, bool queries_consecutive, int head,
                         const float* keys) {
  problem_ = &problem;
  rows_ = &rows;
  keys_ = keys;
  head_ = head;
  row_ = Buffer<float>(kKeyBlock);
  visible_ = Buffer<std::uint8_t>(kKeyBlock);
  if (!row_.ok() || !visible_.ok()) return Status::memory;

  const Bias* bias = problem.terms.bias;
  toeplitz_ = bias != nullptr && bias->toeplitz() && rows.consecutive && queries_consecutive &&
              problem.queries > 0 && problem.keys > 0;
  if (toeplitz_) {
    // Panels and registers may read past the last query.
    const std::int64_t count = problem.queries + problem.keys + 2 * kPanel;
    first_distance_ = std::int64_t{query_positions.at(0)} - rows.positions.at(problem.keys - 1);
    bias_ = Buffer<float>(count);
    if (!bias_.ok()) return Status::memory;
    bias->by_distance(head, first_distance_, count, bias_.data());
  }
  return Status::ok;
}

void HeadScores::pack(const float* query, std::int64_t first, std::int64_t count,
                      Positions query_positions, Panel& panel) const {
  const std::int64_t head_dim = problem_->head_dim;
  const Scale* scale = problem_->terms.scale;
  panel.first = first;
  panel.count = count;
  for (int lane = 0; lane < kPanel; ++lane) {
    const std::int64_t token = first + std::min<std::int64_t>(lane, count - 1);
    panel.positions[lane] = query_positions.at(token);
    panel.factor[lane] = problem_->scale;
    if (scale != nullptr) panel.factor[lane] *= scale->factor(head_, panel.positions[lane]);
    if (lane >= count) {
      for (std::int64_t d = 0; d < head_dim; ++d) panel.query[d * kPanel + lane] = 0.0F;
      continue;
    }
    const float* row = query + lane * head_dim;
    for (std::int64_t d = 0; d < head_dim; ++d) {
      panel.query[d * kPanel + lane] = row[d] * panel.factor[lane];
    }
  }
  panel.low = *std::min_element(panel.positions, panel.positions + kPanel);
  panel.high = *std::max_element(panel.positions, panel.positions + kPanel);

  const Content* content = problem_->terms.content;
  if (content != nullptr && content->query_vectors(head_) != nullptr) {
    static constexpr float kZeros[kPanel] = {};
    dot_keys(content->query_vectors(head_), content->rows(), head_dim, panel.query, kZeros, 0,
             panel.content);
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

void HeadScores::logits(const Panel& panel, const KeyBlock& block, bool all_visible, float* out) {
  // Without a softcap between them, a Toeplitz bias is added before the score leaves the registers.
  const bool fused = toeplitz_ && problem_->softcap == 0.0F && problem_->terms.content == nullptr;
  if (fused) {
    dot_keys(keys_ + block.first * problem_->head_dim, block.count, problem_->head_dim, panel.query,
             toeplitz(panel, block), -1, out);
  } else {
    raw(panel, block, out);
    cap(block, out);
    add_bias(panel, block, out);
  }
  if (!all_visible) hide(panel, block, out);
}

void HeadScores::raw(const Panel& panel, const KeyBlock& block, float* out) {
  static constexpr float kZeros[kPanel] = {};
  dot_keys(keys_ + block.first * problem_->head_dim, block.count, problem_->head_dim, panel.query,
           kZeros, 0, out);
  if (problem_->terms.content != nullptr) add_content(panel, block, out);
}

void HeadScores::add_content(const Panel& panel, const KeyBlock& block, float* out) {
  const Content& content = *problem_->terms.content;
  const std::int64_t head_dim = problem_->head_dim;
  const bool by_query = content.query_vectors(head_) != nullptr;
  const float* key_vectors = content.key_vectors(head_);
  const float* global = content.global(head_);
  for (std::int64_t n = 0; n < block.count; ++n) {
    const float* key = keys_ + (block.first + n) * head_dim;
    const float shared = global == nullptr ? 0.0F : dot(global, key, head_dim);
    for (int lane = 0; lane < kPanel; ++lane) {
      const std::int64_t distance =
          std::int64_t{panel.positions[lane]} - rows_->positions.at(block.first + n);
      const std::int64_t row = content.row(distance);
      float& score = out[n * kPanel + lane];
      if (by_query) score += panel.content[row * kPanel + lane];
      float term = shared;
      if (key_vectors != nullptr) term += dot(key_vectors + row * head_dim, key, head_dim);
      score += panel.factor[lane] * term;
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

const float* HeadScores::toeplitz(const Panel& panel, const KeyBlock& block) const {
  const std::int64_t distance = std::int64_t{panel.positions[0]} - rows_->positions.at(block.first);
  return bias_.data() + (distance - first_distance_);
}

void HeadScores::add_bias(const Panel& panel, const KeyBlock& block, float* scores) {
  const Bias* bias = problem_->terms.bias;
  if (bias == nullptr) return;
  if (toeplitz_) {
    const float* start = toeplitz(panel, block);
    for (std::int64_t n = 0; n < block.count; ++n) {
      float* s = scores + n * kPanel;
      store(s, load(s) + load(start - n));
      store(s + kLanes, load(s + kLanes) + load(start - n + kLanes));
    }
    return;
  }
  for (int lane = 0; lane < panel.count; ++lane) {
    bias->row(head_, panel.positions[lane], rows_->positions.from(block.first, block.count),
              row_.data());
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
      mask->row(head_, panel.positions[lane], rows_->positions.from(block.first, block.count),
                visible_.data());
      for (std::int64_t n = 0; n < block.count; ++n) {
        if (visible_[n] == 0) {
          scores[n * kPanel + lane] = -std::numeric_limits<float>::infinity();
        }
      }
    }
  }
}

}  // namespace posenc
