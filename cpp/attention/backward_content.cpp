#include "attention/backward_content.hpp"

#include <algorithm>

#include "core/dot.hpp"
#include "position/gates.hpp"

namespace posenc {

namespace {

constexpr float kZeros[kPanel] = {};
constexpr bool kActive[] = {true};
const PanelValue kKeep = {Batch(1.0F), Batch(1.0F)};

}  // namespace

Status ContentGradient::allocate(std::int64_t panels) {
  if (content_ == nullptr) return Status::ok;
  rows_ = content_->rows();
  dim_ = content_->head_dim();
  const std::int64_t values = rows_ * content_->value_dim();
  const std::int64_t sums = panels * rows_ * kPanel;
  row_scores_ = Buffer<float>(sums);
  row_weights_ = Buffer<float>(values > 0 ? sums : 0);
  value_terms_ = Buffer<float>(values > 0 ? sums : 0);
  counts_ = Buffer<float>(rows_);
  d_counts_ = Buffer<float>(rows_);
  d_query_vectors_ = Buffer<float>(rows_ * dim_);
  d_key_vectors_ = Buffer<float>(rows_ * dim_);
  d_value_vectors_ = Buffer<float>(values);
  d_global_ = Buffer<float>(dim_);
  d_offsets_ = Buffer<float>(rows_);
  const bool ok = row_scores_.ok() && row_weights_.ok() && value_terms_.ok() && counts_.ok() &&
                  d_counts_.ok() && d_query_vectors_.ok() && d_key_vectors_.ok() &&
                  d_value_vectors_.ok() && d_global_.ok() && d_offsets_.ok();
  return ok ? Status::ok : Status::memory;
}

void ContentGradient::enter(const Operands& operands, int head) {
  if (content_ == nullptr) return;
  head_ = head;
  keys_ = operands.keys(0);
  std::fill_n(d_query_vectors_.data(), rows_ * dim_, 0.0F);
  std::fill_n(d_key_vectors_.data(), rows_ * dim_, 0.0F);
  std::fill_n(d_value_vectors_.data(), rows_ * content_->value_dim(), 0.0F);
  std::fill_n(d_global_.data(), dim_, 0.0F);
  std::fill_n(d_offsets_.data(), rows_, 0.0F);
}

void ContentGradient::start_block(std::int64_t panels, const QueryBlockRows& rows) {
  if (content_ == nullptr) return;
  block_ = rows;
  const std::int64_t sums = panels * rows_ * kPanel;
  std::fill_n(row_scores_.data(), sums, 0.0F);
  const float* vectors = content_->value_vectors(head_);
  if (vectors == nullptr) return;
  std::fill_n(row_weights_.data(), sums, 0.0F);
  for (std::int64_t i = 0; i < panels; ++i) {
    dot_keys(vectors, rows_, p_.value_dim, rows.d_packed + i * p_.value_dim * kPanel, kZeros, 0,
             value_terms_.data() + i * rows_ * kPanel);
  }
}

void ContentGradient::add_to_weights(std::int64_t i, const Panel& panel, const KeyBlock& block,
                                     HeadScores& scores, float* d_weights) {
  if (content_ == nullptr || content_->value_vectors(head_) == nullptr) return;
  const float* terms = value_terms_.data() + i * rows_ * kPanel;
  const std::int32_t* rows = scores.content_rows(panel, block);
  for (std::int64_t pair = 0; pair < block.count * kPanel; ++pair) {
    d_weights[pair] += terms[rows[pair] * kPanel + pair % kPanel];
  }
}

void ContentGradient::add(std::int64_t i, const Panel& panel, const KeyBlock& block,
                          HeadScores& scores, const float* weights, const float* d_scores,
                          float* d_keys, float* d_factors) {
  if (content_ == nullptr || content_->gated()) return;
  scores.add_row_weights(panel, block, d_scores, kKeep, row_scores_.data() + i * rows_ * kPanel);
  if (content_->value_vectors(head_) != nullptr) {
    scores.add_row_weights(panel, block, weights, kKeep, row_weights_.data() + i * rows_ * kPanel);
  }
  const float* vectors = content_->key_vectors(head_);
  if (vectors == nullptr) return;
  const std::int32_t* rows = scores.content_rows(panel, block);
  for (std::int64_t n = 0; n < block.count; ++n) {
    const float* key = keys_ + (block.first + n) * dim_;
    for (int lane = 0; lane < kPanel;) {
      // Neighbours share a row where distances are clipped or buckets wide.
      const std::int64_t row = rows[n * kPanel + lane];
      const int first = lane;
      float sum = 0.0F;
      bool any = false;
      for (; lane < kPanel && rows[n * kPanel + lane] == row; ++lane) {
        const float d = d_scores[n * kPanel + lane];
        sum += panel.factor[lane] * d;
        any |= d != 0.0F;
      }
      if (!any) continue;  // what is hidden may hold anything
      const float* vector = vectors + row * dim_;
      const float term = dot(vector, key, dim_);
      for (int l = first; l < lane; ++l) {
        if (d_scores[n * kPanel + l] != 0.0F) d_factors[l] += d_scores[n * kPanel + l] * term;
      }
      add_times(sum, key, dim_, d_key_vectors_.data() + row * dim_);
      if (d_keys != nullptr) add_times(sum, vector, dim_, d_keys + (block.first + n) * dim_);
    }
  }
}

void ContentGradient::add_gated(std::int64_t i, const Panel& panel, const float* scores,
                                const float* d_terms, float* d_scores) {
  float* sums = row_scores_.data() + i * rows_ * kPanel;
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    for (std::int64_t r = 0; r < rows_; ++r) counts_[r] = panel.content[r * kPanel + lane];
    std::fill_n(d_counts_.data(), rows_, 0.0F);
    const GatedRow row = {p_.keys, rows_, kPanel, scores + lane, counts_.data(), d_terms + lane};
    gated_row_grad(row, d_scores + lane, d_counts_.data());
    for (std::int64_t r = 0; r < rows_; ++r) sums[r * kPanel + lane] += d_counts_[r];
  }
}

void ContentGradient::finish_panel(std::int64_t i, const Panel& panel, float* d_queries,
                                   float* d_factors) {
  if (content_ == nullptr) return;
  const bool gated = content_->gated();
  const float* sums = row_scores_.data() + i * rows_ * kPanel;
  const float* rows = (gated ? block_.unscaled : block_.query) + i * kPanel * dim_;
  if (const float* global = content_->global(head_); global != nullptr) {
    for (std::int64_t d = 0; d < dim_; ++d) {
      for (int lane = 0; lane < kPanel; ++lane) {
        const float by_keys = d_queries[d * kPanel + lane];
        d_global_[d] += panel.factor[lane] * by_keys;
        d_factors[lane] += global[d] * by_keys;
      }
    }
  }
  if (const float* vectors = content_->query_vectors(head_); vectors != nullptr) {
    // The gated term is not scaled.
    if (!gated) mix_values<false>(sums, rows_, vectors, dim_, kKeep, d_queries);
    gather({sums, 0, rows, kActive, 1}, true, rows_, dim_, d_query_vectors_.data());
  }
  if (const float* offsets = content_->offsets(head_); offsets != nullptr) {
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (int lane = 0; lane < kPanel; ++lane) {
        d_offsets_[r] += panel.factor[lane] * sums[r * kPanel + lane];
        d_factors[lane] += offsets[r] * sums[r * kPanel + lane];
      }
    }
  }
  if (content_->value_vectors(head_) != nullptr) {
    const PanelRows by_output = {row_weights_.data() + i * rows_ * kPanel, 0,
                                 block_.d_output + i * kPanel * p_.value_dim, kActive, 1};
    gather(by_output, true, rows_, p_.value_dim, d_value_vectors_.data());
  }
}

void ContentGradient::add_to_query(std::int64_t i, std::int64_t lane, float* d_query) const {
  if (content_ == nullptr || !content_->gated()) return;
  const float* sums = row_scores_.data() + i * rows_ * kPanel + lane;
  const float* vectors = content_->query_vectors(head_);
  for (std::int64_t r = 0; r < rows_; ++r) {
    add_times(sums[r * kPanel], vectors + r * dim_, dim_, d_query);
  }
}

void ContentGradient::leave() {
  if (content_ == nullptr || grads_.empty()) return;
  ContentGrad effective;
  effective.query_vectors = by(d_query_vectors_, content_->query_vectors(head_));
  effective.key_vectors = by(d_key_vectors_, content_->key_vectors(head_));
  effective.global = by(d_global_, content_->global(head_));
  effective.offsets = by(d_offsets_, content_->offsets(head_));
  effective.value_vectors = by(d_value_vectors_, content_->value_vectors(head_));
  content_->tables_grad(head_, effective, grads_);
}

}  // namespace posenc
