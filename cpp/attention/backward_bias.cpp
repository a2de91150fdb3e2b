#include "attention/backward_bias.hpp"

#include <algorithm>

namespace posenc {

Status BiasGradient::enter(const Operands& operands, int head) {
  operands_ = &operands;
  head_ = head;
  if (!wanted()) return Status::ok;
  const KeyRows& keys = operands.rows();
  toeplitz_ = p_.terms.bias->toeplitz() && keys.consecutive && operands.queries_consecutive() &&
              p_.queries > 0 && p_.keys > 0;
  // Panels may reach past the last query; what they add there is 0.
  const std::int64_t count = toeplitz_ ? p_.queries + p_.keys + kPanel : 0;
  if (toeplitz_) {
    first_distance_ =
        std::int64_t{operands.query_positions().at(0)} - keys.positions.at(p_.keys - 1);
  }
  biases_ = Buffer<float>(count);
  weights_ = Buffer<float>(weighs() ? count : 0);
  positions_ = Buffer<std::int32_t>(count);
  row_ = Buffer<float>(toeplitz_ ? 0 : kKeyBlock);
  products_ = Buffer<float>(weighs() ? kKeyBlock * kPanel : 0);
  if (!biases_.ok() || !weights_.ok() || !positions_.ok() || !row_.ok() || !products_.ok()) {
    return Status::memory;
  }
  std::fill_n(biases_.data(), count, 0.0F);
  std::fill_n(weights_.data(), weighs() ? count : 0, 0.0F);
  return Status::ok;
}

void BiasGradient::add_dense(const Panel& panel, const KeyBlock& block, const float* d) const {
  if (added_.data == nullptr) return;
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    float* row = added_.row(operands_->entry(), head_, panel.first + lane);
    for (std::int64_t n = 0; n < block.count; ++n) {
      row[(block.first + n) * added_.key_stride] += d[n * kPanel + lane];
    }
  }
}

void BiasGradient::add(const Panel& panel, const KeyBlock& block, const float* d) {
  if (wanted()) collect(panel, block, d, biases_, &Bias::row_grad);
}

void BiasGradient::unweigh(HeadScores& scores, const Panel& panel, const KeyBlock& block,
                           const float* logits, float* d) {
  if (!weighs()) return;
  if (wanted()) {
    for (std::int64_t i = 0; i < block.count * kPanel; ++i) {
      products_[i] = d[i] == 0.0F ? 0.0F : d[i] * logits[i];  // what is hidden may hold anything
    }
    collect(panel, block, products_.data(), weights_, &Bias::weights_row_grad);
  }
  scores.weigh(panel, block, d);
}

void BiasGradient::collect(const Panel& panel, const KeyBlock& block, const float* d,
                           Buffer<float>& by_distance, RowGradient gradient) {
  const Positions keys = operands_->rows().positions;
  if (toeplitz_) {
    const std::int64_t distance = std::int64_t{panel.positions[0]} - keys.at(block.first);
    float* out = by_distance.data() + (distance - first_distance_);
    for (std::int64_t n = 0; n < block.count; ++n, --out) {
      store(out, load(out) + load(d + n * kPanel));
      store(out + kLanes, load(out + kLanes) + load(d + n * kPanel + kLanes));
    }
    return;
  }
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    for (std::int64_t n = 0; n < block.count; ++n) row_[n] = d[n * kPanel + lane];
    (p_.terms.bias->*gradient)(head_, operands_->query_positions().from(panel.first + lane, 1),
                               keys.from(block.first, block.count), row_.data(), grads_);
  }
}

void BiasGradient::leave() {
  if (!wanted() || !toeplitz_) return;
  const std::int32_t query = operands_->query_positions().at(0);
  for (std::int64_t i = 0; i < p_.queries + p_.keys - 1; ++i) {
    positions_[i] = static_cast<std::int32_t>(query - (first_distance_ + i));
  }
  hand_on(biases_, &Bias::row_grad);
  if (weighs()) hand_on(weights_, &Bias::weights_row_grad);
}

void BiasGradient::hand_on(const Buffer<float>& by_distance, RowGradient gradient) {
  // One query against a key at each distance: nothing else matters.
  const std::int32_t query = operands_->query_positions().at(0);
  const Positions keys{positions_.data(), p_.queries + p_.keys - 1};
  (p_.terms.bias->*gradient)(head_, {&query, 1}, keys, by_distance.data(), grads_);
}

}  // namespace posenc
