// The loops of exact attention: batch entries, kv heads, the query heads that share them, blocks of
// queries, blocks of keys, panels (tiling after Dao 2022, "FlashAttention", section 3.1).
#include <algorithm>
#include <limits>
#include <vector>

#include "attention/check.hpp"
#include "attention/decode.hpp"
#include "attention/kernels.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/share_problem.hpp"
#include "attention/tile.hpp"

namespace posenc {

namespace {

/// Heads that run together.
std::int64_t slots_of(const AttentionProblem& p) {
  return p.terms.head_mix == nullptr ? 1 : p.heads;
}

std::int64_t query_blocks_of(const AttentionProblem& p) {
  return blocks_of(p.queries, kQueryBlock);
}

/// Writes the taps of keys that an entry does not have and others do.
void hide_missing_keys(const AttentionProblem& p) {
  for (float* tap : {p.taps.scores, p.taps.capped, p.taps.biased, p.taps.logits, p.taps.weights}) {
    if (tap == nullptr) continue;
    const float hidden = tap == p.taps.logits ? -std::numeric_limits<float>::infinity() : 0.0F;
    for (std::int64_t row = 0; row < p.batch * p.heads; ++row) {
      const std::int64_t missing = p.keys - p.key_count(row / p.heads);
      for (std::int64_t token = 0; missing > 0 && token < p.queries; ++token) {
        const std::int64_t end = (row * p.query_stride() + token + 1) * p.keys;
        std::fill_n(tap + end - missing, missing, hidden);
      }
    }
  }
}

/// Runs through the heads one after another, or, where scores of all heads are mixed, through all
/// of them at once. Those that run together are `slots`; a slot has its panels, states and sums.
class Forward {
 public:
  explicit Forward(const AttentionProblem& problem)
      : p_(problem), slots_(slots_of(problem)), scores_(static_cast<std::size_t>(slots_)) {
    const std::int64_t kv_slots = mixes() ? p_.kv_heads : 1;
    operands_.reserve(static_cast<std::size_t>(kv_slots));
    for (std::int64_t i = 0; i < kv_slots; ++i) operands_.emplace_back(problem);
  }

  /// A unit is a query block of the heads that run together.
  Status run(Share& share) {
    for (Operands& operands : operands_) {
      if (const Status status = operands.allocate(); status != Status::ok) return status;
    }
    const std::int64_t panels = slots_ * kPanels;
    const Content* content = p_.terms.content;
    const int regimes = p_.terms.rotate == nullptr ? 1 : p_.terms.rotate->regimes();
    const std::int64_t query_size = regimes * operands_[0].dim() * kPanel;
    content_rows_ = content == nullptr ? 0 : content->rows();
    packed_ = Buffer<float>(panels * query_size);
    packed_content_ = Buffer<float>(panels * kPanel * content_rows_);
    value_rows_ = content != nullptr && content->value_dim() != 0 ? content_rows_ : 0;
    row_weights_ = Buffer<float>(panels * kPanel * value_rows_);
    sums_ = Buffer<float>(panels * kPanel * p_.value_dim);
    tiles_ = Buffer<float>(slots_ * kTileSize);
    biases_ = Buffer<float>(mixes() ? slots_ * kTileSize : 0);
    panels_ = Buffer<Panel>(panels);
    states_ = Buffer<SoftmaxState>(panels);
    if (!packed_.ok() || !packed_content_.ok() || !row_weights_.ok() || !sums_.ok() ||
        !tiles_.ok() || !biases_.ok() || !panels_.ok() || !states_.ok()) {
      return Status::memory;
    }
    for (std::int64_t i = 0; i < panels; ++i) {
      panels_[i].query = packed_.data() + i * query_size;
      panels_[i].content = packed_content_.data() + i * kPanel * content_rows_;
    }
    for (std::int64_t unit = share.next(); unit >= 0; unit = share.next()) {
      const std::int64_t row = unit / query_blocks_of(p_) * slots_;
      const std::int64_t head = row % p_.heads;
      if (const Status status = enter(row / p_.heads, head); status != Status::ok) return status;
      run_query_block(head, unit % query_blocks_of(p_) * kQueryBlock);
    }
    return Status::ok;
  }

 private:
  /// Prepares for a batch entry and the heads from `first`, as many as there are slots, unless it
  /// was the last.
  Status enter(std::int64_t entry, std::int64_t first) {
    if (entry != entry_) {
      for (Operands& operands : operands_) {
        if (const Status status = operands.enter(entry); status != Status::ok) return status;
      }
      if (counts_gates() && !rows().ascending) return Status::unsupported;
      kv_head_ = entered_head_ = -1;
      entry_ = entry;
    }
    if (first == entered_head_) return Status::ok;
    for (std::int64_t head = first; head < first + slots_; ++head) {
      if (head / group() != kv_head_) operands(head).enter_kv_head(kv_head_ = head / group());
      const Status status = scores(head).build(p_, operands(head), static_cast<int>(head));
      if (status != Status::ok) return status;
    }
    entered_head_ = first;
    return Status::ok;
  }

  /// The heads from `head`, as many as there are slots.
  void run_query_block(std::int64_t head, std::int64_t first) {
    const std::int64_t count = std::min(kQueryBlock, p_.queries - first);
    const std::int64_t panels = blocks_of(count, kPanel);
    first_head_ = head;
    for (std::int64_t h = head; h < head + slots_; ++h) {
      for (std::int64_t i = 0; i < panels; ++i) {
        const std::int64_t token = first + i * kPanel;
        scores(h).pack(token, std::min<std::int64_t>(kPanel, p_.queries - token), panel(h, i));
        panel(h, i).start();
        start(h, state(h, i));
      }
    }
    value_vectors_ =
        value_rows_ == 0 ? nullptr : p_.terms.content->value_vectors(static_cast<int>(head));
    std::fill_n(row_weights_.data(), panels * kPanel * value_rows_, 0.0F);
    for (std::int64_t h = head; h < head + slots_; ++h) {
      std::fill_n(sums(h, 0), panels * kPanel * p_.value_dim, 0.0F);
    }

    for (std::int64_t step = 0; step < rows().block_count; ++step) {
      const std::int64_t b = block_at(step);
      for (std::int64_t i = 0; i < panels; ++i) {
        if (mixes()) {
          add_mixed_block(i, b);
        } else {
          add_block(i, b);
        }
      }
    }
    for (std::int64_t i = 0; i < panels; ++i) {
      for (std::int64_t h = head; h < head + slots_; ++h) {
        write(h, i);
        if (p_.statistics != nullptr) write_statistics(h, panel(h, i), state(h, i));
      }
      if (p_.taps.any()) write_taps(i);
    }
  }

  void start(std::int64_t head, SoftmaxState& state) const {
    const bool adds = p_.masks.added.data != nullptr;
    if (p_.sink_logits != nullptr) {
      state.reset_with_sink(p_.sink_logits[head], adds);
    } else {
      state.reset(adds ? -std::numeric_limits<float>::infinity() : 0.0F);
    }
  }

  bool counts_gates() const { return p_.terms.content != nullptr && p_.terms.content->gated(); }

  /// The order of blocks of keys: gates are counted from the query back.
  std::int64_t block_at(std::int64_t step) const {
    return counts_gates() ? rows().block_count - 1 - step : step;
  }

  void add_block(std::int64_t i, std::int64_t b) {
    Panel& queries = panel(first_head_, i);
    const KeyBlock block = scores_[0].masks().in_sight(queries, rows().block(b));
    const Visibility visibility = scores_[0].masks().visibility(queries, block);
    if (visibility == Visibility::none) return;
    scores_[0].logits(queries, block, visibility == Visibility::all, tiles_.data());
    take_in(first_head_, i, block, visibility == Visibility::all);
  }

  /// The same for all heads.
  void add_mixed_block(std::int64_t i, std::int64_t b) {
    const KeyBlock& block = rows().block(b);
    const auto visibility = [&](std::int64_t head) {
      return scores(head).masks().visibility(panel(head, i), block);
    };
    bool any = false;
    for (std::int64_t h = 0; h < p_.heads; ++h) any |= visibility(h) != Visibility::none;
    if (!any) return;
    write_raw(i, block);
    for (std::int64_t h = 0; h < p_.heads; ++h) {
      const Visibility of_head = visibility(h);
      if (of_head == Visibility::none) continue;
      scores(h).cap(block, tile(h));
      scores(h).add_bias(panel(h, i), block, tile(h));
      if (of_head == Visibility::some) scores(h).masks().hide(panel(h, i), block, tile(h));
      take_in(h, i, block, of_head == Visibility::all);
    }
  }

  /// The scaled scores of all slots, mixed where heads are.
  void write_raw(std::int64_t i, const KeyBlock& block) {
    for (std::int64_t h = first_head_; h < first_head_ + slots_; ++h) {
      scores(h).raw(panel(h, i), block, tile(h));
      if (!mixes()) return;
      float* biases = biases_.data() + slot(h) * kTileSize;
      std::fill_n(biases, block.count * kPanel, 0.0F);
      scores(h).add_bias(panel(h, i), block, biases);
    }
    p_.terms.head_mix->add(biases_.data(), block.count * kPanel, kTileSize, tiles_.data());
  }

  /// Adds the values of a block, weighted by the logits in the head's tile.
  void take_in(std::int64_t head, std::int64_t i, const KeyBlock& block, bool all_visible) {
    float* weights = tile(head);
    HeadMasks& masks = scores(head).masks();
    if (masks.adds()) {
      const PanelValue offset = masks.add(panel(head, i), block, weights);
      meet_offset(weights, block.count, offset, state(head, i));
    }
    const PanelValue correction = softmax_step(weights, block.count, state(head, i));
    const float* values = operands(head).values() + block.first * p_.value_dim;
    if (all_visible || operands(head).clean(block)) {
      mix_values<false>(weights, block.count, values, p_.value_dim, correction, sums(head, i));
    } else {
      mix_values<true>(weights, block.count, values, p_.value_dim, correction, sums(head, i));
    }
    if (value_vectors_ != nullptr) {
      scores(head).add_row_weights(panel(head, i), block, weights, correction, row_weights(i));
    }
  }

  void write(std::int64_t head, std::int64_t i) {
    const PanelValue keep = {Batch(1.0F), Batch(1.0F)};
    float* columns = sums(head, i);
    if (value_vectors_ != nullptr) {
      mix_values<false>(row_weights(i), value_rows_, value_vectors_, p_.value_dim, keep, columns);
    }
    const Panel& queries = panel(head, i);
    float* output = p_.output + operands(head).query_row(head, queries.first) * p_.value_dim;
    float inverse[kPanel];
    for (int lane = 0; lane < kPanel; ++lane) {
      const float sum = state(head, i).sum[lane];
      inverse[lane] = sum == 0.0F ? 0.0F : 1.0F / sum;
    }
    unpack_rows(columns, queries.count, p_.value_dim, inverse, output);
    operands(head).turn_back(head, queries.first, queries.count, output);
  }

  void write_statistics(std::int64_t head, const Panel& queries, const SoftmaxState& state) {
    RowStatistics* out = p_.statistics + operands(head).query_row(head, queries.first);
    for (std::int64_t lane = 0; lane < queries.count; ++lane) {
      out[lane] = {state.offset[lane], state.maximum[lane], state.sum[lane]};
    }
  }

  void write_taps(std::int64_t i) {
    for (std::int64_t h = first_head_; h < first_head_ + slots_; ++h) panel(h, i).start();
    for (std::int64_t step = 0; step < rows().block_count; ++step) {
      const KeyBlock& block = rows().block(block_at(step));
      write_raw(i, block);
      for (std::int64_t h = first_head_; h < first_head_ + slots_; ++h) write_taps(h, i, block);
    }
  }

  void write_taps(std::int64_t head, std::int64_t i, const KeyBlock& block) {
    const Panel& queries = panel(head, i);
    HeadScores& terms = scores(head);
    float* numbers = tile(head);
    write_tile(p_.taps.scores, head, queries, block);
    terms.cap(block, numbers);
    write_tile(p_.taps.capped, head, queries, block);
    terms.add_bias(queries, block, numbers);
    write_tile(p_.taps.biased, head, queries, block);
    terms.masks().hide(queries, block, numbers);
    float offset[kPanel] = {};
    if (terms.masks().adds()) terms.masks().add(queries, block, numbers).store_to(offset);
    write_tile(p_.taps.logits, head, queries, block, offset);
    if (p_.taps.weights == nullptr) return;
    final_weights(numbers, block.count, PanelValue::load_from(offset), state(head, i));
    write_tile(p_.taps.weights, head, queries, block);
  }

  void write_tile(float* tap, std::int64_t head, const Panel& queries, const KeyBlock& block,
                  const float* offset = kZeros) {
    if (tap == nullptr) return;
    const std::int64_t first_row = operands(head).query_row(head, queries.first);
    for (std::int64_t lane = 0; lane < queries.count; ++lane) {
      float* out = tap + (first_row + lane) * p_.keys + block.first;
      for (std::int64_t n = 0; n < block.count; ++n) {
        out[n] = tile(head)[n * kPanel + lane] + offset[lane];
      }
    }
  }

  static constexpr float kZeros[kPanel] = {};
  static constexpr std::int64_t kPanels = kQueryBlock / kPanel;
  static constexpr std::int64_t kTileSize = kKeyBlock * kPanel;

  bool mixes() const { return p_.terms.head_mix != nullptr; }
  /// Head h reads kv head floor(h · kv_heads / heads).
  std::int64_t group() const { return p_.heads / p_.kv_heads; }
  std::int64_t slot(std::int64_t head) const { return mixes() ? head : 0; }
  const KeyRows& rows() const { return operands_[0].rows(); }
  Operands& operands(std::int64_t head) {
    return operands_[static_cast<std::size_t>(slot(head) / group())];
  }
  HeadScores& scores(std::int64_t head) { return scores_[static_cast<std::size_t>(slot(head))]; }
  Panel& panel(std::int64_t head, std::int64_t i) { return panels_[slot(head) * kPanels + i]; }
  SoftmaxState& state(std::int64_t head, std::int64_t i) {
    return states_[slot(head) * kPanels + i];
  }
  float* tile(std::int64_t head) { return tiles_.data() + slot(head) * kTileSize; }
  float* sums(std::int64_t head, std::int64_t i) {
    return sums_.data() + (slot(head) * kPanels + i) * kPanel * p_.value_dim;
  }
  float* row_weights(std::int64_t i) { return row_weights_.data() + i * kPanel * value_rows_; }

  const AttentionProblem& p_;
  std::int64_t slots_;
  std::int64_t entry_ = -1, kv_head_ = -1, entered_head_ = -1;  // of the unit before
  std::vector<Operands> operands_;                              // of a kv head in each slot
  std::vector<HeadScores> scores_;                              // (slots)
  std::int64_t first_head_ = 0;                                 // of those that run
  std::int64_t content_rows_ = 0;
  std::int64_t value_rows_ = 0;           // content rows that have value vectors: all or none
  const float* value_vectors_ = nullptr;  // (value rows, value_dim), or null
  Buffer<float> packed_;                  // (slots, panels, head_dim, kPanel)
  Buffer<float> packed_content_;          // (slots, panels, content rows, kPanel)
  Buffer<float> row_weights_;             // (panels, value rows, kPanel): weights by content row
  Buffer<float> sums_;                    // (slots, panels, value_dim, kPanel): unnormalised
  Buffer<float> tiles_;                   // (slots, kKeyBlock, kPanel)
  Buffer<float> biases_;                  // the same, where heads are mixed
  Buffer<Panel> panels_;                  // (slots, panels)
  Buffer<SoftmaxState> states_;           // (slots, panels)
};

}  // namespace

Status attention(const AttentionProblem& problem) {
  if (const Status status = check(problem); status != Status::ok) return status;
  if (decodes(problem)) return decode(problem);
  hide_missing_keys(problem);
  const std::int64_t head_groups = problem.batch * (problem.heads / slots_of(problem));
  return share_problem(
      problem, head_groups * query_blocks_of(problem),
      [](const AttentionProblem& own, Share& share) { return Forward(own).run(share); });
}

}  // namespace posenc
