// The loops of exact attention: batch entries, kv heads, the query heads that share them, blocks of
// queries, blocks of keys, panels (tiling after Dao 2022, "FlashAttention", section 3.1).
#include <algorithm>
#include <cstring>
#include <limits>

#include "attention/check.hpp"
#include "attention/kernels.hpp"
#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/tile.hpp"

namespace posenc {

namespace {

class Forward {
 public:
  explicit Forward(const AttentionProblem& problem) : p_(problem), operands_(problem) {}

  Status run() {
    if (const Status status = operands_.allocate(); status != Status::ok) return status;
    const std::int64_t panels = kQueryBlock / kPanel;
    const Content* content = p_.terms.content;
    const int regimes = p_.terms.rotate == nullptr ? 1 : p_.terms.rotate->regimes();
    const std::int64_t query_size = regimes * operands_.dim() * kPanel;
    content_rows_ = content == nullptr ? 0 : content->rows();
    packed_ = Buffer<float>(panels * query_size);
    packed_content_ = Buffer<float>(panels * kPanel * content_rows_);
    value_rows_ = content != nullptr && content->value_dim() != 0 ? content_rows_ : 0;
    row_weights_ = Buffer<float>(panels * kPanel * value_rows_);
    sums_ = Buffer<float>(panels * kPanel * p_.value_dim);
    tile_ = Buffer<float>(kKeyBlock * kPanel);
    panels_ = Buffer<Panel>(panels);
    states_ = Buffer<SoftmaxState>(panels);
    if (!packed_.ok() || !packed_content_.ok() || !row_weights_.ok() || !sums_.ok() ||
        !tile_.ok() || !panels_.ok() || !states_.ok()) {
      return Status::memory;
    }
    for (std::int64_t i = 0; i < panels; ++i) {
      panels_[i].query = packed_.data() + i * query_size;
      panels_[i].content = packed_content_.data() + i * kPanel * content_rows_;
    }
    for (std::int64_t entry = 0; entry < p_.batch; ++entry) {
      if (const Status status = run_entry(entry); status != Status::ok) return status;
    }
    return Status::ok;
  }

 private:
  Status run_entry(std::int64_t entry) {
    if (const Status status = operands_.enter(entry); status != Status::ok) return status;
    if (counts_gates() && !rows_.ascending) return Status::unsupported;
    // Head h reads kv head floor(h · kv_heads / heads).
    const std::int64_t group = p_.heads / p_.kv_heads;
    for (std::int64_t head = 0; head < p_.heads; ++head) {
      if (head % group == 0) operands_.enter_kv_head(head / group);
      const Status status = scores_.build(p_, operands_, static_cast<int>(head));
      if (status != Status::ok) return status;
      for (std::int64_t q = 0; q < p_.queries; q += kQueryBlock) run_query_block(head, q);
    }
    return Status::ok;
  }

  void run_query_block(std::int64_t head, std::int64_t first) {
    const std::int64_t count = std::min(kQueryBlock, p_.queries - first);
    const std::int64_t panels = blocks_of(count, kPanel);
    for (std::int64_t i = 0; i < panels; ++i) {
      const std::int64_t token = first + i * kPanel;
      scores_.pack(token, std::min<std::int64_t>(kPanel, p_.queries - token), panels_[i]);
      panels_[i].start();
      start(head, states_[i]);
    }
    value_vectors_ =
        value_rows_ == 0 ? nullptr : p_.terms.content->value_vectors(static_cast<int>(head));
    std::fill_n(row_weights_.data(), panels * kPanel * value_rows_, 0.0F);
    std::memset(sums_.data(), 0,
                static_cast<std::size_t>(panels * kPanel * p_.value_dim) * sizeof(float));

    for (std::int64_t step = 0; step < rows_.block_count; ++step) {
      const std::int64_t b = block_at(step);
      for (std::int64_t i = 0; i < panels; ++i) add_block(i, b, rows_.block(b));
    }
    for (std::int64_t i = 0; i < panels; ++i) {
      write(head, i);
      if (p_.statistics != nullptr) write_statistics(head, panels_[i], states_[i]);
      if (p_.taps.any()) write_taps(head, panels_[i], states_[i]);
    }
  }

  void start(std::int64_t head, SoftmaxState& state) const {
    if (p_.sink_logits != nullptr) {
      state.reset_with_sink(p_.sink_logits[head]);
    } else {
      state.reset(p_.masks.added.data == nullptr ? 0.0F : -std::numeric_limits<float>::infinity());
    }
  }

  bool counts_gates() const { return p_.terms.content != nullptr && p_.terms.content->gated(); }

  /// The order of blocks of keys: gates are counted from the query back.
  std::int64_t block_at(std::int64_t step) const {
    return counts_gates() ? rows_.block_count - 1 - step : step;
  }

  void add_block(std::int64_t i, std::int64_t b, const KeyBlock& block) {
    Panel& panel = panels_[i];
    const Visibility visibility = scores_.masks().visibility(panel, block);
    if (visibility == Visibility::none) return;
    const bool all = visibility == Visibility::all;
    scores_.logits(panel, block, all, tile_.data());
    if (scores_.masks().adds()) {
      const PanelValue offset = scores_.masks().add(panel, block, tile_.data());
      meet_offset(tile_.data(), block.count, offset, states_[i]);
    }
    const PanelValue correction = softmax_step(tile_.data(), block.count, states_[i]);
    const float* values = operands_.values() + block.first * p_.value_dim;
    if (all || operands_.clean(b)) {
      mix_values<false>(tile_.data(), block.count, values, p_.value_dim, correction, sums(i));
    } else {
      mix_values<true>(tile_.data(), block.count, values, p_.value_dim, correction, sums(i));
    }
    if (value_vectors_ != nullptr) {
      scores_.add_row_weights(panel, block, tile_.data(), correction, row_weights(i));
    }
  }

  void write(std::int64_t head, std::int64_t i) {
    const PanelValue keep = {Batch(1.0F), Batch(1.0F)};
    if (value_vectors_ != nullptr) {
      mix_values<false>(row_weights(i), value_rows_, value_vectors_, p_.value_dim, keep, sums(i));
    }
    const Panel& panel = panels_[i];
    float* output = p_.output + operands_.query_row(head, panel.first) * p_.value_dim;
    for (std::int64_t lane = 0; lane < panel.count; ++lane) {
      float* out = output + lane * p_.value_dim;
      const float sum = states_[i].sum[lane];
      for (std::int64_t d = 0; d < p_.value_dim; ++d) {
        out[d] = sum == 0.0F ? 0.0F : sums(i)[d * kPanel + lane] / sum;
      }
    }
    operands_.turn_back(head, panel.first, panel.count, output);
  }

  void write_statistics(std::int64_t head, const Panel& panel, const SoftmaxState& state) const {
    RowStatistics* out = p_.statistics + operands_.query_row(head, panel.first);
    for (std::int64_t lane = 0; lane < panel.count; ++lane) {
      out[lane] = {state.offset[lane], state.maximum[lane], state.sum[lane]};
    }
  }

  void write_taps(std::int64_t head, Panel& panel, const SoftmaxState& state) {
    const std::int64_t first_row = operands_.query_row(head, panel.first);
    float* tile = tile_.data();
    panel.start();
    for (std::int64_t step = 0; step < rows_.block_count; ++step) {
      const KeyBlock& block = rows_.block(block_at(step));
      scores_.raw(panel, block, tile);
      write_tile(p_.taps.scores, first_row, panel, block);
      scores_.cap(block, tile);
      write_tile(p_.taps.capped, first_row, panel, block);
      scores_.add_bias(panel, block, tile);
      write_tile(p_.taps.biased, first_row, panel, block);
      scores_.masks().hide(panel, block, tile);
      float offset[kPanel] = {};
      if (scores_.masks().adds()) scores_.masks().add(panel, block, tile).store_to(offset);
      write_tile(p_.taps.logits, first_row, panel, block, offset);
      if (p_.taps.weights == nullptr) continue;
      final_weights(tile, block.count, PanelValue::load_from(offset), state);
      write_tile(p_.taps.weights, first_row, panel, block);
    }
  }

  void write_tile(float* tap, std::int64_t first_row, const Panel& panel, const KeyBlock& block,
                  const float* offset = kZeros) {
    if (tap == nullptr) return;
    for (std::int64_t lane = 0; lane < panel.count; ++lane) {
      float* out = tap + (first_row + lane) * p_.keys + block.first;
      for (std::int64_t n = 0; n < block.count; ++n)
        out[n] = tile_[n * kPanel + lane] + offset[lane];
    }
  }

  float* row_weights(std::int64_t panel) {
    return row_weights_.data() + panel * kPanel * value_rows_;
  }
  float* sums(std::int64_t panel) { return sums_.data() + panel * kPanel * p_.value_dim; }

  static constexpr float kZeros[kPanel] = {};

  const AttentionProblem& p_;
  Operands operands_;
  const KeyRows& rows_ = operands_.rows();
  std::int64_t content_rows_ = 0;
  std::int64_t value_rows_ = 0;  // content rows that have value vectors: all or none
  HeadScores scores_;
  const float* value_vectors_ = nullptr;  // (value rows, value_dim), or null
  Buffer<float> packed_;                  // (panels, head_dim, kPanel)
  Buffer<float> packed_content_;          // (panels, content rows, kPanel)
  Buffer<float> row_weights_;             // (panels, value rows, kPanel): weights by content row
  Buffer<float> sums_;                    // (panels, value_dim, kPanel): unnormalised outputs
  Buffer<float> tile_;                    // (kKeyBlock, kPanel)
  Buffer<Panel> panels_;
  Buffer<SoftmaxState> states_;
};

}  // namespace

Status attention(const AttentionProblem& problem) {
  const Status status = check(problem);
  return status == Status::ok ? Forward(problem).run() : status;
}

}  // namespace posenc
