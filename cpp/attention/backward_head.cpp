#include "attention/backward_head.hpp"

#include <algorithm>
#include <limits>

#include "attention/backward_kernels.hpp"

namespace posenc {

namespace {

constexpr float kZeros[kPanel] = {};

}  // namespace

HeadBackward::HeadBackward(const AttentionProblem& problem, const AttentionGradients& gradients,
                           const Operands& operands, KeyGradient& keys)
    : p_(problem),
      operands_(operands),
      keys_(keys),
      queries_(problem, gradients, operands),
      block_(problem, gradients, operands),
      bias_(problem, gradients.bias, gradients.added),
      content_(problem, gradients.content),
      scales_(problem, gradients),
      gated_(problem.terms.content != nullptr && problem.terms.content->gated()),
      keeps_capped_(problem.softcap != 0.0F || bias_.weighs()) {}

Status HeadBackward::allocate() {
  const int regimes = p_.terms.rotate == nullptr ? 1 : p_.terms.rotate->regimes();
  d_queries_ = Buffer<float>(regimes * kQueryBlock * operands_.dim());
  weights_ = Buffer<float>(kPanels * kTile);
  d_scores_ = Buffer<float>(kPanels * kTile);
  parts_ = Buffer<float>(regimes == 1 ? 0 : regimes * kPanels * kTile);
  capped_ = Buffer<float>(keeps_capped_ ? kTile : 0);
  turned_ = Buffer<float>(kPanel * operands_.dim());
  gate_scores_ = Buffer<float>(gated_ ? p_.keys * kPanel : 0);
  d_rows_ = Buffer<float>(gated_ ? 2 * p_.keys * kPanel : 0);
  d_factors_ = Buffer<float>(kQueryBlock);
  if (!d_queries_.ok() || !weights_.ok() || !d_scores_.ok() || !parts_.ok() || !capped_.ok() ||
      !turned_.ok() || !gate_scores_.ok() || !d_rows_.ok() || !d_factors_.ok()) {
    return Status::memory;
  }
  Status status = block_.allocate();
  if (status == Status::ok) status = queries_.allocate();
  return status == Status::ok ? content_.allocate(kPanels) : status;
}

Status HeadBackward::enter(std::int64_t head) {
  head_ = static_cast<int>(head);
  queries_.enter(head);
  content_.enter(operands_, head_);
  const Status status = scores_.build(p_, operands_, head_);
  return status == Status::ok ? bias_.enter(operands_, head_) : status;
}

std::int64_t HeadBackward::block_size() const {
  // Gates are counted along whole rows, of one panel at a time.
  return gated_ ? kPanel : kQueryBlock;
}

void HeadBackward::start(std::int64_t first, std::int64_t count) {
  block_.start(scores_, head_, first, count);
  std::fill_n(d_queries_.data(), block_.panels() * d_query_size(), 0.0F);
  std::fill_n(d_factors_.data(), kQueryBlock, 0.0F);
  content_.start_block(block_.panels(), {block_.query_rows(), block_.unscaled_rows(),
                                         block_.d_output_rows(), block_.d_output_packed()});
}

bool HeadBackward::sees(std::int64_t i, const KeyBlock& block) {
  visibility_[i] = scores_.masks().visibility(block_.panel(i), block);
  active_[i] = visibility_[i] != Visibility::none;
  return active_[i];
}

void HeadBackward::run_tile(std::int64_t i, const KeyBlock& block) {
  if (!sees(i, block)) {
    if (gated_) hide_gates(block);
    return;
  }
  scores_.logits(block_.panel(i), block, visibility_[i] == Visibility::all, weights(i), capped());
  differentiate(i, block);
  if (gated_) {
    std::copy_n(scores_.gate_scores(), block.count * kPanel,
                gate_scores_.data() + block.first * kPanel);
    std::copy_n(d_scores(i), block.count * kPanel, d_rows_.data() + block.first * kPanel);
  }
}

void HeadBackward::write_raw(std::int64_t i, const KeyBlock& block, float* scores, float* biases) {
  scores_.raw(block_.panel(i), block, scores);
  std::fill_n(biases, block.count * kPanel, 0.0F);
  scores_.add_bias(block_.panel(i), block, biases);
}

void HeadBackward::run_mixed_tile(std::int64_t i, const KeyBlock& block, const float* sums,
                                  float* d_sums) {
  const std::int64_t count = block.count * kPanel;
  if (visibility_[i] == Visibility::none) {
    std::fill_n(weights(i), count, 0.0F);
    std::fill_n(d_sums, count, 0.0F);
    return;
  }
  std::copy_n(sums, count, weights(i));
  scores_.cap(block, weights(i));
  if (keeps_capped_) std::copy_n(weights(i), count, capped_.data());
  scores_.add_bias(block_.panel(i), block, weights(i));
  if (visibility_[i] == Visibility::some) {
    scores_.masks().hide(block_.panel(i), block, weights(i));
  }
  differentiate(i, block);
  std::copy_n(d_scores(i), count, d_sums);
}

void HeadBackward::take_mix_grad(std::int64_t i, const KeyBlock& block, const float* d_scores_here,
                                 const float* d_biases) {
  active_[i] = true;  // also where this head sees nothing: others read its scores
  std::copy_n(d_scores_here, block.count * kPanel, d_scores(i));
  bias_.add(block_.panel(i), block, d_biases);
}

/// From the logits that stand in place of the weights.
void HeadBackward::differentiate(std::int64_t i, const KeyBlock& block) {
  const Panel& panel = block_.panel(i);
  float* w = weights(i);
  float* d = d_scores(i);
  PanelValue offset = {Batch(0.0F), Batch(0.0F)};
  if (scores_.masks().adds()) offset = scores_.masks().add(panel, block, w);
  final_weights(w, block.count, offset, block_.state(i));
  dot_keys(operands_.values() + block.first * p_.value_dim, block.count, p_.value_dim,
           block_.d_output_packed() + i * kPanel * p_.value_dim, kZeros, 0, d);
  content_.add_to_weights(i, panel, block, scores_, d);
  softmax_grad(w, block.count, block_.delta(i), d);
  bias_.add_dense(panel, block, d);
  bias_.add(panel, block, d);
  bias_.unweigh(scores_, panel, block, capped_.data(), d);
  if (p_.softcap != 0.0F) softcap_grad(capped_.data(), p_.softcap, block.count, d);
}

void HeadBackward::hide_gates(const KeyBlock& block) {
  std::fill_n(gate_scores_.data() + block.first * kPanel, block.count * kPanel,
              -std::numeric_limits<float>::infinity());
  std::fill_n(d_rows_.data() + block.first * kPanel, block.count * kPanel, 0.0F);
}

void HeadBackward::finish_keys(const KeyBlock& block) {
  if (keys_.values() != nullptr) {
    gather({weights_.data(), kTile, block_.d_output_rows(), active_, block_.panels()},
           !block_.clean_outputs(), block.count, p_.value_dim,
           keys_.values() + block.first * p_.value_dim);
  }
  if (!gated_) spread(block);
}

void HeadBackward::finish_queries() {
  if (gated_ && p_.keys > 0) run_gates();
  for (std::int64_t i = 0; i < block_.panels(); ++i) finish_panel(i);
}

/// Gradients by scores of whole rows from those by scores with counted terms.
void HeadBackward::run_gates() {
  float* d = d_rows_.data() + p_.keys * kPanel;
  std::copy_n(d_rows_.data(), p_.keys * kPanel, d);
  content_.add_gated(0, block_.panel(0), gate_scores_.data(), d_rows_.data(), d);
  active_[0] = true;
  const KeyRows& keys = operands_.rows();
  for (std::int64_t b = 0; b < keys.block_count; ++b) {
    const KeyBlock& block = keys.block(b);
    std::copy_n(d + block.first * kPanel, block.count * kPanel, d_scores(0));
    spread(block);
  }
}

/// Adds to the gradients of queries and keys what those by the scores of a block of keys say.
void HeadBackward::spread(const KeyBlock& block) {
  const std::int64_t dim = operands_.dim();
  const Range regimes = operands_.regimes();
  bool used[kMostRegimes][kPanels] = {};
  bool clean[kMostRegimes] = {};  // keys without NaN and infinities
  for (int r = 0; r < regimes.count(); ++r) {
    clean[r] = all_finite(keys_of(r, block), block.count * dim);
  }
  for (std::int64_t i = 0; i < block_.panels(); ++i) {
    if (!active_[i]) continue;
    content_.add(i, block_.panel(i), block, scores_, weights(i), d_scores(i), keys_.keys(0),
                 d_factors_.data() + i * kPanel);
    const Range occurring = scores_.regimes(block_.panel(i), block);
    for (int regime = occurring.first; regime <= occurring.last; ++regime) {
      const int r = regime - regimes.first;
      used[r][i] = true;
      const float* part = d_scores(i);
      if (regimes.count() > 1) {
        float* out = parts_.data() + (r * kPanels + i) * kTile;
        scores_.take_regime(block_.panel(i), block, occurring, regime, part, out);
        part = out;
      }
      add_to_queries(i, r, block, part, clean[r]);
    }
  }
  const float* parts = regimes.count() > 1 ? parts_.data() : d_scores_.data();
  for (int r = 0; r < regimes.count(); ++r) {
    if (keys_.keys(r) == nullptr) continue;
    gather({parts + r * kPanels * kTile, kTile, block_.key_rows(r), used[r], block_.panels()},
           !block_.clean_queries(), block.count, dim, keys_.keys(r) + block.first * dim);
  }
}

void HeadBackward::add_to_queries(std::int64_t i, int r, const KeyBlock& block,
                                  const float* d_scores, bool clean) {
  const std::int64_t dim = operands_.dim();
  const PanelValue keep = {Batch(1.0F), Batch(1.0F)};
  if (clean) {
    mix_values<false>(d_scores, block.count, keys_of(r, block), dim, keep, d_query(i, r));
  } else {
    mix_values<true>(d_scores, block.count, keys_of(r, block), dim, keep, d_query(i, r));
  }
}

void HeadBackward::finish_panel(std::int64_t i) {
  const Panel& panel = block_.panel(i);
  const std::int64_t dim = operands_.dim();
  float* d_factors = d_factors_.data() + i * kPanel;
  content_.finish_panel(i, panel, d_query(i, 0), d_factors);
  for (int r = 0; r < operands_.regimes().count(); ++r) {
    const float* d = d_query(i, r);
    if (scales_.wanted()) {
      const float* rows = operands_.queries(head_, panel.first, panel.count,
                                            operands_.regimes().first + r, turned_.data());
      for (std::int64_t lane = 0; lane < panel.count; ++lane) {
        for (std::int64_t c = 0; c < dim; ++c) {
          const float by = d[c * kPanel + lane];
          // A row that sees nothing may hold anything.
          if (by != 0.0F) d_factors[lane] += rows[lane * dim + c] * by;
        }
      }
    }
    if (queries_.queries(r) == nullptr) continue;
    for (std::int64_t lane = 0; lane < panel.count; ++lane) {
      float* out = queries_.queries(r) + (panel.first + lane) * dim;
      for (std::int64_t c = 0; c < dim; ++c) out[c] = panel.factor[lane] * d[c * kPanel + lane];
      content_.add_to_query(i, lane, out);
    }
  }
  if (scales_.wanted()) scales_.add(operands_, head_, panel, d_factors);
}

Status HeadBackward::leave() {
  bias_.leave();
  content_.leave();
  return queries_.leave();
}

}  // namespace posenc
