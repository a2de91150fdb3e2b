#include "attention/visibility.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace posenc {

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

/// What local attention lets a query see. Distances of positions are below 2^32.
Interval local_keys(const Masks& masks, std::int64_t query) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 32;
  Interval seen;
  if (masks.window > 0) {
    const std::int64_t reach = std::min(masks.window - 1, kFarthest);
    seen.cut(query - reach, query + reach);
  }
  if (masks.before >= 0) seen.cut(query - std::min(masks.before, kFarthest), seen.last);
  if (masks.after >= 0) seen.cut(seen.first, query + std::min(masks.after, kFarthest));
  if (masks.chunk > 0) {
    const std::int64_t chunk = std::min(masks.chunk, kFarthest);
    const std::int64_t rest = query % chunk;
    const std::int64_t start = query - (rest < 0 ? rest + chunk : rest);
    seen.cut(start, start + chunk - 1);
  }
  return seen;
}

}  // namespace

Status HeadMasks::allocate() {
  visible_ = Buffer<std::uint8_t>(kKeyBlock);
  return visible_.ok() ? Status::ok : Status::memory;
}

void HeadMasks::enter(const AttentionProblem& problem, const KeyRows& rows,
                      Positions query_positions, std::int64_t entry, int head) {
  problem_ = &problem;
  rows_ = &rows;
  query_positions_ = query_positions;
  entry_ = entry;
  head_ = head;
  query_segments_ = problem.masks.query_segments.of(entry, problem.queries);
  global_queries_ = problem.masks.global_queries.of(entry, problem.queries);
}

void HeadMasks::pack(Panel& panel) const {
  constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();
  for (int lane = 0; lane < kPanel; ++lane) {
    const std::int64_t token = panel.first + std::min<std::int64_t>(lane, panel.count - 1);
    const std::int32_t at = panel.positions[lane];
    const bool global = global_queries_ != nullptr && global_queries_[token] != 0;
    const Interval seen = global ? Interval{} : local_keys(problem_->masks, at);
    // A cut may have left the 32 bits, and the interval nothing.
    panel.from[lane] = saturated(seen.first);
    panel.to[lane] = saturated(seen.last);
    panel.limit[lane] = problem_->masks.causal ? at : kNoLimit;
    panel.segments[lane] = query_segments_ == nullptr ? 0 : query_segments_[token];
  }
  panel.limit_span = Span::of(panel.limit);
  panel.from_span = Span::of(panel.from);
  panel.to_span = Span::of(panel.to);
  panel.segment_span = Span::of(panel.segments);
}

Interval HeadMasks::reach(const Panel& panel) const {
  Interval keys;
  keys.cut(rows_->low, std::min(rows_->high, panel.limit_span.high));
  if (!rows_->exempts()) keys.cut(panel.from_span.low, panel.to_span.high);
  return keys;
}

KeyBlock HeadMasks::in_sight(const Panel& panel, const KeyBlock& block) const {
  if (!rows_->consecutive || block.exempt) return block;
  const std::int64_t low = block.low;
  const std::int64_t last =
      std::min<std::int64_t>({block.high, panel.limit_span.high, panel.to_span.high});
  const std::int64_t first = std::max<std::int64_t>(low, panel.from_span.low);
  KeyBlock stretch = block;
  if (first > last) {
    stretch.empty = true;
    return stretch;
  }
  stretch.first += first - low;
  stretch.count = last - first + 1;
  stretch.low = static_cast<std::int32_t>(first);
  stretch.high = static_cast<std::int32_t>(last);
  return stretch;
}

Visibility HeadMasks::visibility(const Panel& panel, const KeyBlock& block) const {
  if (block.empty) return Visibility::none;
  if (block.low > panel.limit_span.high) return Visibility::none;
  if (!block.exempt && (block.high < panel.from_span.low || block.low > panel.to_span.high)) {
    return Visibility::none;
  }
  const Masks& masks = problem_->masks;
  bool all = !block.padded && block.high <= panel.limit_span.low &&
             block.low >= panel.from_span.high && block.high <= panel.to_span.low &&
             problem_->terms.mask == nullptr && masks.visible.data == nullptr &&
             masks.added.data == nullptr;
  if (query_segments_ != nullptr) {
    const auto [first, last] = panel.segment_span;
    if (block.last_segment < first || block.first_segment > last) return Visibility::none;
    all &= first == last && block.first_segment == first && block.last_segment == first;
  }
  return all ? Visibility::all : Visibility::some;
}

void HeadMasks::hide(const Panel& panel, const KeyBlock& block, float* scores) {
  const Batch hidden(kHidden);
  for (std::int64_t n = 0; n < block.count; ++n) {
    float* s = scores + n * kPanel;
    const std::int64_t key = block.first + n;
    if (rows_->mask != nullptr && rows_->mask[key] == 0) {
      store(s, hidden);
      store(s + kLanes, hidden);
      continue;
    }
    const std::int32_t at = rows_->positions.at(key);
    if (rows_->segments == nullptr && at <= panel.limit_span.low && at >= panel.from_span.high &&
        at <= panel.to_span.low) {
      continue;
    }
    const IntBatch position(at);
    const bool exempt = block.exempt && rows_->exempt(key);
    for (int half = 0; half < kPanel; half += kLanes) {
      auto visible = position <= load(panel.limit + half);
      if (!exempt) {
        visible =
            visible && position >= load(panel.from + half) && position <= load(panel.to + half);
      }
      if (rows_->segments != nullptr) {
        visible = visible && IntBatch(rows_->segments[key]) == load(panel.segments + half);
      }
      store(s + half, select(as_float_mask(visible), load(s + half), hidden));
    }
  }
  const Masks& masks = problem_->masks;
  const Mask* mask = problem_->terms.mask;
  if (mask == nullptr && masks.visible.data == nullptr && masks.added.data == nullptr) return;
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    const std::int64_t query = panel.first + lane;
    std::memset(visible_.data(), 1, static_cast<std::size_t>(block.count));
    if (mask != nullptr) {
      mask->row(head_, query_positions_.from(query, 1),
                rows_->positions.from(block.first, block.count), visible_.data());
    }
    if (const auto& dense = masks.visible; dense.data != nullptr) {
      const auto* row = dense.row(entry_, head_, query) + block.first * dense.key_stride;
      for (std::int64_t n = 0; n < block.count; ++n) {
        if (row[n * dense.key_stride] == 0) visible_[n] = 0;
      }
    }
    if (const auto& dense = masks.added; dense.data != nullptr) {
      const auto* row = dense.row(entry_, head_, query) + block.first * dense.key_stride;
      for (std::int64_t n = 0; n < block.count; ++n) {
        if (row[n * dense.key_stride] == kHidden) visible_[n] = 0;
      }
    }
    for (std::int64_t n = 0; n < block.count; ++n) {
      if (visible_[n] == 0) scores[n * kPanel + lane] = kHidden;
    }
  }
}

PanelValue HeadMasks::add(const Panel& panel, const KeyBlock& block, float* scores) const {
  const auto& dense = problem_->masks.added;
  float largest[kPanel];
  std::fill_n(largest, kPanel, kHidden);
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    const float* row =
        dense.row(entry_, head_, panel.first + lane) + block.first * dense.key_stride;
    for (std::int64_t n = 0; n < block.count; ++n) {
      if (scores[n * kPanel + lane] == kHidden) continue;
      largest[lane] = std::max(largest[lane], row[n * dense.key_stride]);
    }
    for (std::int64_t n = 0; n < block.count; ++n) {
      float& s = scores[n * kPanel + lane];
      if (s != kHidden) s += row[n * dense.key_stride] - largest[lane];
    }
  }
  return PanelValue::load_from(largest);
}

}  // namespace posenc
