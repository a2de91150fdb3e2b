// The loops of the way back: batch entries, kv heads, the query heads that share them, blocks of
// queries, blocks of keys, panels.
#include "attention/backward.hpp"

#include <algorithm>
#include <limits>

#include "attention/backward_bias.hpp"
#include "attention/backward_block.hpp"
#include "attention/backward_content.hpp"
#include "attention/backward_kernels.hpp"
#include "attention/backward_turns.hpp"
#include "attention/check.hpp"
#include "attention/operands.hpp"
#include "attention/tile.hpp"

namespace posenc {

namespace {

constexpr std::int64_t kPanels = BackwardBlock::kPanels;
constexpr std::int64_t kTile = kKeyBlock * kPanel;
constexpr float kZeros[kPanel] = {};

class Backward {
 public:
  Backward(const AttentionProblem& problem, const AttentionGradients& gradients)
      : p_(problem),
        g_(gradients),
        operands_(problem),
        block_(problem, gradients, operands_),
        turns_(problem, gradients, operands_),
        bias_(problem, gradients.bias, gradients.added),
        content_(problem, gradients.content) {}

  Status run() {
    Status status = allocate();
    for (std::int64_t entry = 0; entry < p_.batch && status == Status::ok; ++entry) {
      status = run_entry(entry);
    }
    return status;
  }

 private:
  Status allocate() {
    if (const Status status = operands_.allocate(); status != Status::ok) return status;
    const int regimes = p_.terms.rotate == nullptr ? 1 : p_.terms.rotate->regimes();
    gated_ = p_.terms.content != nullptr && p_.terms.content->gated();
    d_queries_ = Buffer<float>(regimes * kQueryBlock * operands_.dim());
    weights_ = Buffer<float>(kPanels * kTile);
    d_scores_ = Buffer<float>(kPanels * kTile);
    parts_ = Buffer<float>(regimes == 1 ? 0 : regimes * kPanels * kTile);
    capped_ = Buffer<float>(p_.softcap == 0.0F ? 0 : kTile);
    turned_ = Buffer<float>(kPanel * operands_.dim());
    gate_scores_ = Buffer<float>(gated_ ? p_.keys * kPanel : 0);
    d_rows_ = Buffer<float>(gated_ ? 2 * p_.keys * kPanel : 0);
    d_factors_ = Buffer<float>(kQueryBlock);
    if (!d_queries_.ok() || !weights_.ok() || !d_scores_.ok() || !parts_.ok() || !capped_.ok() ||
        !turned_.ok() || !gate_scores_.ok() || !d_rows_.ok() || !d_factors_.ok()) {
      return Status::memory;
    }
    Status status = block_.allocate();
    if (status == Status::ok) status = turns_.allocate();
    return status == Status::ok ? content_.allocate(kPanels) : status;
  }

  Status run_entry(std::int64_t entry) {
    if (const Status status = operands_.enter(entry); status != Status::ok) return status;
    const std::int64_t group = p_.heads / p_.kv_heads;
    for (std::int64_t head = 0; head < p_.heads; ++head) {
      if (head % group == 0) {
        operands_.enter_kv_head(head / group);
        turns_.enter_kv_head(head / group);
      }
      head_ = static_cast<int>(head);
      turns_.enter_head(head);
      Status status = scores_.build(p_, operands_, head_);
      if (status == Status::ok) status = bias_.enter(operands_, head_);
      if (status != Status::ok) return status;
      content_.enter(operands_, head_);
      // Gates are counted along whole rows, of one panel at a time.
      const std::int64_t count = gated_ ? kPanel : kQueryBlock;
      for (std::int64_t first = 0; first < p_.queries; first += count) {
        run_query_block(first, std::min(count, p_.queries - first));
      }
      bias_.leave();
      content_.leave();
      turns_.leave_head(head_);
      if ((head + 1) % group == 0) turns_.leave_kv_head(head / group);
    }
    return Status::ok;
  }

  void run_query_block(std::int64_t first, std::int64_t count) {
    block_.start(scores_, head_, first, count);
    std::fill_n(d_queries_.data(), block_.panels() * d_query_size(), 0.0F);
    std::fill_n(d_factors_.data(), kQueryBlock, 0.0F);
    content_.start_block(block_.panels(), {block_.query_rows(), block_.unscaled_rows(),
                                           block_.d_output_rows(), block_.d_output_packed()});
    const KeyRows& keys = operands_.rows();
    for (std::int64_t step = 0; step < keys.block_count; ++step) {
      const KeyBlock& block = keys.block(gated_ ? keys.block_count - 1 - step : step);
      for (std::int64_t i = 0; i < block_.panels(); ++i) run_tile(i, block);
      if (turns_.d_values() != nullptr) {
        gather({weights_.data(), kTile, block_.d_output_rows(), active_, block_.panels()},
               !block_.clean_outputs(), block.count, p_.value_dim,
               turns_.d_values() + block.first * p_.value_dim);
      }
      if (!gated_) spread(block);
    }
    if (gated_) run_gates();
    for (std::int64_t i = 0; i < block_.panels(); ++i) finish_panel(i);
  }

  /// Weights and gradients by scores of a tile.
  void run_tile(std::int64_t i, const KeyBlock& block) {
    Panel& panel = block_.panel(i);
    const Visibility visibility = scores_.masks().visibility(panel, block);
    active_[i] = visibility != Visibility::none;
    float* weights = weights_.data() + i * kTile;
    float* d = d_scores_.data() + i * kTile;
    if (!active_[i]) {
      if (gated_) hide_gates(block);
      return;
    }
    scores_.logits(panel, block, visibility == Visibility::all, weights,
                   p_.softcap == 0.0F ? nullptr : capped_.data());
    PanelValue offset = {Batch(0.0F), Batch(0.0F)};
    if (scores_.masks().adds()) offset = scores_.masks().add(panel, block, weights);
    final_weights(weights, block.count, offset, block_.state(i));
    dot_keys(operands_.values() + block.first * p_.value_dim, block.count, p_.value_dim,
             block_.d_output_packed() + i * kPanel * p_.value_dim, kZeros, 0, d);
    content_.add_to_weights(i, panel, block, scores_, d);
    softmax_grad(weights, block.count, block_.delta(i), d);
    bias_.add(panel, block, d);
    if (p_.softcap != 0.0F) softcap_grad(capped_.data(), p_.softcap, block.count, d);
    if (gated_) {
      std::copy_n(scores_.gate_scores(), block.count * kPanel,
                  gate_scores_.data() + block.first * kPanel);
      std::copy_n(d, block.count * kPanel, d_rows_.data() + block.first * kPanel);
    }
  }

  void hide_gates(const KeyBlock& block) {
    std::fill_n(gate_scores_.data() + block.first * kPanel, block.count * kPanel,
                -std::numeric_limits<float>::infinity());
    std::fill_n(d_rows_.data() + block.first * kPanel, block.count * kPanel, 0.0F);
  }

  /// Gradients by scores of whole rows from those by scores with counted terms.
  void run_gates() {
    float* d_scores = d_rows_.data() + p_.keys * kPanel;
    std::copy_n(d_rows_.data(), p_.keys * kPanel, d_scores);
    content_.add_gated(0, block_.panel(0), gate_scores_.data(), d_rows_.data(), d_scores);
    active_[0] = true;
    const KeyRows& keys = operands_.rows();
    for (std::int64_t b = 0; b < keys.block_count; ++b) {
      const KeyBlock& block = keys.block(b);
      std::copy_n(d_scores + block.first * kPanel, block.count * kPanel, d_scores_.data());
      spread(block);
    }
  }

  /// Adds to the gradients of queries and keys what those by the scores of a block of keys say.
  void spread(const KeyBlock& block) {
    const std::int64_t dim = operands_.dim();
    const Range regimes = operands_.regimes();
    bool used[kMostRegimes][kPanels] = {};
    bool clean[kMostRegimes] = {};  // keys without NaN and infinities
    for (int r = 0; r < regimes.count(); ++r) {
      clean[r] = all_finite(keys_of(r, block), block.count * dim);
    }
    for (std::int64_t i = 0; i < block_.panels(); ++i) {
      if (!active_[i]) continue;
      const float* d = d_scores_.data() + i * kTile;
      content_.add(i, block_.panel(i), block, scores_, weights_.data() + i * kTile, d,
                   turns_.d_keys(0), d_factors_.data() + i * kPanel);
      const Range occurring = scores_.regimes(block_.panel(i), block);
      for (int regime = occurring.first; regime <= occurring.last; ++regime) {
        const int r = regime - regimes.first;
        used[r][i] = true;
        const float* part = d;
        if (regimes.count() > 1) {
          float* out = parts_.data() + (r * kPanels + i) * kTile;
          scores_.take_regime(block_.panel(i), block, occurring, regime, d, out);
          part = out;
        }
        add_to_queries(i, r, block, part, clean[r]);
      }
    }
    const float* parts = regimes.count() > 1 ? parts_.data() : d_scores_.data();
    for (int r = 0; r < regimes.count(); ++r) {
      if (turns_.d_keys(r) == nullptr) continue;
      gather({parts + r * kPanels * kTile, kTile, block_.key_rows(r), used[r], block_.panels()},
             !block_.clean_queries(), block.count, dim, turns_.d_keys(r) + block.first * dim);
    }
  }

  void add_to_queries(std::int64_t i, int r, const KeyBlock& block, const float* d_scores,
                      bool clean) {
    const std::int64_t dim = operands_.dim();
    const PanelValue keep = {Batch(1.0F), Batch(1.0F)};
    if (clean) {
      mix_values<false>(d_scores, block.count, keys_of(r, block), dim, keep, d_query(i, r));
    } else {
      mix_values<true>(d_scores, block.count, keys_of(r, block), dim, keep, d_query(i, r));
    }
  }

  const float* keys_of(int r, const KeyBlock& block) const {
    return operands_.keys(operands_.regimes().first + r) + block.first * operands_.dim();
  }

  void finish_panel(std::int64_t i) {
    const Panel& panel = block_.panel(i);
    const std::int64_t dim = operands_.dim();
    float* d_factors = d_factors_.data() + i * kPanel;
    content_.finish_panel(i, panel, d_query(i, 0), d_factors);
    for (int r = 0; r < operands_.regimes().count(); ++r) {
      const float* d = d_query(i, r);
      if (scales_wanted()) {
        const float* rows = operands_.queries(head_, panel.first, panel.count,
                                              operands_.regimes().first + r, turned_.data());
        for (std::int64_t lane = 0; lane < panel.count; ++lane) {
          if (block_.state(i).sum[lane] == 0.0F) continue;  // sees nothing, and may be NaN
          for (std::int64_t c = 0; c < dim; ++c) {
            d_factors[lane] += rows[lane * dim + c] * d[c * kPanel + lane];
          }
        }
      }
      if (turns_.d_queries(r) == nullptr) continue;
      for (std::int64_t lane = 0; lane < panel.count; ++lane) {
        float* out = turns_.d_queries(r) + (panel.first + lane) * dim;
        for (std::int64_t c = 0; c < dim; ++c) out[c] = panel.factor[lane] * d[c * kPanel + lane];
        content_.add_to_query(i, lane, out);
      }
    }
    if (scales_wanted()) add_scale_grads(panel, d_factors);
  }

  bool scales_wanted() const {
    return !g_.scale.empty() || g_.head_scales != nullptr || g_.query_scales != nullptr;
  }

  void add_scale_grads(const Panel& panel, const float* d_factors) {
    const Scale* scale = p_.terms.scale;
    const std::int64_t entry = p_.query_scales.per_batch ? operands_.entry() : 0;
    for (std::int64_t lane = 0; lane < panel.count; ++lane) {
      const std::int64_t token = panel.first + lane;
      const Positions query = operands_.query_positions().from(token, 1);
      const std::int64_t row = entry * p_.queries + token;
      const float by_head = p_.head_scales == nullptr ? 1.0F : p_.head_scales[head_];
      const float by_query = p_.query_scales.data == nullptr ? 1.0F : p_.query_scales.data[row];
      const float by_term = scale == nullptr ? 1.0F : scale->factor(head_, query);
      const float d = p_.scale * d_factors[lane];
      if (scale != nullptr && !g_.scale.empty()) {
        scale->factor_grad(head_, query, d * by_head * by_query, g_.scale);
      }
      if (g_.head_scales != nullptr) g_.head_scales[head_] += d * by_query * by_term;
      if (g_.query_scales != nullptr) g_.query_scales[row] += d * by_head * by_term;
    }
  }

  /// Gradient by the turned queries of a panel, before their factor.
  float* d_query(std::int64_t i, int r) {
    return d_queries_.data() + i * d_query_size() + r * operands_.dim() * kPanel;
  }
  std::int64_t d_query_size() const {
    return operands_.regimes().count() * operands_.dim() * kPanel;
  }

  const AttentionProblem& p_;
  const AttentionGradients& g_;
  Operands operands_;
  HeadScores scores_;
  BackwardBlock block_;
  TurnGradient turns_;
  BiasGradient bias_;
  ContentGradient content_;
  int head_ = 0;
  bool gated_ = false;
  bool active_[kPanels] = {};  // panels that see some of the block of keys
  Buffer<float> d_queries_;    // (panels, regimes, dim, kPanel)
  Buffer<float> weights_;      // (panels, kKeyBlock, kPanel)
  Buffer<float> d_scores_;     // (panels, kKeyBlock, kPanel)
  Buffer<float> parts_;        // (regimes, panels, kKeyBlock, kPanel), of several regimes
  Buffer<float> turned_;       // (kPanel, dim): scratch
  Buffer<float> capped_;       // (kKeyBlock, kPanel)
  Buffer<float> gate_scores_;  // (keys, kPanel), where gated
  Buffer<float> d_rows_;       // (2, keys, kPanel), where gated: by logits, by scores
  Buffer<float> d_factors_;    // (queries of a block)
};

}  // namespace

Status attention_backward(const AttentionProblem& problem, const AttentionGradients& gradients) {
  const Status status = check(problem);
  const ScoreTerms& terms = problem.terms;
  if (problem.query_rows != 0 || problem.key_rows != 0 || problem.key_counts != nullptr ||
      problem.keys_turned) {
    return Status::unsupported;
  }
  if (terms.head_mix != nullptr || (terms.bias != nullptr && terms.bias->weighs())) {
    return Status::unsupported;
  }
  return status == Status::ok ? Backward(problem, gradients).run() : status;
}

}  // namespace posenc
