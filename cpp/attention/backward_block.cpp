#include "attention/backward_block.hpp"

#include <algorithm>

#include "core/dot.hpp"

namespace posenc {

Status BackwardBlock::allocate() {
  const Rotate* rotate = p_.terms.rotate;
  const Content* content = p_.terms.content;
  const std::int64_t rows = kQueryBlock * operands_.dim();
  const std::int64_t regimes = rotate == nullptr ? 1 : rotate->regimes();
  const std::int64_t content_rows = content == nullptr ? 0 : content->rows();
  gated_ = content != nullptr && content->gated();
  packed_ = Buffer<float>(regimes * rows);
  packed_content_ = Buffer<float>(kQueryBlock * content_rows);
  query_rows_ = Buffer<float>(regimes * rows);
  key_rows_ = Buffer<float>(regimes * rows);
  unscaled_ = Buffer<float>(gated_ ? rows : 0);
  d_output_rows_ = Buffer<float>(kQueryBlock * p_.value_dim);
  d_output_packed_ = Buffer<float>(kQueryBlock * p_.value_dim);
  panels_ = Buffer<Panel>(kPanels);
  states_ = Buffer<SoftmaxState>(kPanels);
  delta_ = Buffer<float>(kQueryBlock);
  if (!packed_.ok() || !packed_content_.ok() || !query_rows_.ok() || !key_rows_.ok() ||
      !unscaled_.ok() || !d_output_rows_.ok() || !d_output_packed_.ok() || !panels_.ok() ||
      !states_.ok() || !delta_.ok()) {
    return Status::memory;
  }
  for (std::int64_t i = 0; i < kPanels; ++i) {
    panels_[i].query = packed_.data() + i * regimes * operands_.dim() * kPanel;
    panels_[i].content = packed_content_.data() + i * content_rows * kPanel;
  }
  return Status::ok;
}

void BackwardBlock::start(HeadScores& scores, int head, std::int64_t first, std::int64_t count) {
  panel_count_ = blocks_of(count, kPanel);
  for (std::int64_t i = 0; i < panel_count_; ++i) {
    const std::int64_t token = first + i * kPanel;
    scores.pack(token, std::min<std::int64_t>(kPanel, first + count - token), panels_[i]);
    panels_[i].start();
    read_queries(i, head);
    read_outputs(i, head);
  }
  const std::int64_t rows = panel_count_ * kPanel;
  clean_outputs_ = all_finite(d_output_rows_.data(), rows * p_.value_dim);
  clean_queries_ = true;
  for (int r = 0; r < operands_.regimes().count(); ++r) {
    clean_queries_ &= all_finite(key_rows(r), rows * operands_.dim());
  }
}

void BackwardBlock::read_queries(std::int64_t i, int head) {
  const Panel& panel = panels_[i];
  const std::int64_t dim = operands_.dim();
  const float* global = p_.terms.content == nullptr ? nullptr : p_.terms.content->global(head);
  const Range regimes = operands_.regimes();
  for (int r = 0; r < regimes.count(); ++r) {
    const std::int64_t start = (r * kQueryBlock + i * kPanel) * dim;
    float* rows = query_rows_.data() + start;
    float* met = key_rows_.data() + start;
    const float* turned =
        operands_.queries(head, panel.first, panel.count, regimes.first + r, rows);
    if (gated_) std::copy_n(turned, panel.count * dim, unscaled_.data() + i * kPanel * dim);
    for (std::int64_t lane = 0; lane < kPanel; ++lane) {
      const float factor = panel.factor[lane];
      for (std::int64_t d = lane * dim; d < (lane + 1) * dim; ++d) {
        rows[d] = lane < panel.count ? turned[d] * factor : 0.0F;
        met[d] = rows[d] + (global == nullptr ? 0.0F : factor * global[d - lane * dim]);
      }
    }
    if (gated_) {
      std::fill_n(unscaled_.data() + (i * kPanel + panel.count) * dim, (kPanel - panel.count) * dim,
                  0.0F);
    }
  }
}

void BackwardBlock::read_outputs(std::int64_t i, int head) {
  const Panel& panel = panels_[i];
  const std::int64_t width = p_.value_dim;
  float* rows = d_output_rows_.data() + i * kPanel * width;
  float* packed = d_output_packed_.data() + i * kPanel * width;
  const std::int64_t row = operands_.query_row(head, panel.first);
  const float* d_output = g_.d_output + row * width;
  operands_.turn_back_grad(head, panel.first, panel.count, d_output, rows);
  SoftmaxState& state = states_[i];
  for (std::int64_t lane = 0; lane < kPanel; ++lane) {
    RowStatistics statistics{};
    float delta = 0.0F;
    if (lane < panel.count) {
      statistics = p_.statistics[row + lane];
      delta = dot(d_output + lane * width, p_.output + (row + lane) * width, width);
      if (g_.sink_logits != nullptr) add_sink_grad(head, statistics, delta);
    } else {
      std::fill_n(rows + lane * width, width, 0.0F);
    }
    state.offset[lane] = statistics.offset;
    state.maximum[lane] = statistics.maximum;
    state.sum[lane] = statistics.sum;
    delta_[i * kPanel + lane] = delta;
    for (std::int64_t d = 0; d < width; ++d) packed[d * kPanel + lane] = rows[lane * width + d];
  }
}

void BackwardBlock::add_sink_grad(int head, const RowStatistics& row, float delta) {
  float weight[kLanes];
  store(weight, exp(Batch(p_.sink_logits[head] - row.offset - row.maximum)));
  g_.sink_logits[head] -= weight[0] / row.sum * delta;
}

}  // namespace posenc
