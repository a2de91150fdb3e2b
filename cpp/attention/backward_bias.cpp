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
  if (toeplitz_) {
    // Panels may reach past the last query; what they add there is 0.
    const std::int64_t count = p_.queries + p_.keys + kPanel;
    first_distance_ =
        std::int64_t{operands.query_positions().at(0)} - keys.positions.at(p_.keys - 1);
    by_distance_ = Buffer<float>(count);
    positions_ = Buffer<std::int32_t>(count);
    if (!by_distance_.ok() || !positions_.ok()) return Status::memory;
    std::fill_n(by_distance_.data(), count, 0.0F);
  } else {
    row_ = Buffer<float>(kKeyBlock);
    if (!row_.ok()) return Status::memory;
  }
  return Status::ok;
}

void BiasGradient::add(const Panel& panel, const KeyBlock& block, const float* d) {
  if (added_.data != nullptr) {
    for (std::int64_t lane = 0; lane < panel.count; ++lane) {
      float* row = added_.row(operands_->entry(), head_, panel.first + lane);
      for (std::int64_t n = 0; n < block.count; ++n) {
        row[(block.first + n) * added_.key_stride] += d[n * kPanel + lane];
      }
    }
  }
  if (!wanted()) return;
  const Positions keys = operands_->rows().positions;
  if (toeplitz_) {
    const std::int64_t distance = std::int64_t{panel.positions[0]} - keys.at(block.first);
    float* out = by_distance_.data() + (distance - first_distance_);
    for (std::int64_t n = 0; n < block.count; ++n, --out) {
      store(out, load(out) + load(d + n * kPanel));
      store(out + kLanes, load(out + kLanes) + load(d + n * kPanel + kLanes));
    }
    return;
  }
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    for (std::int64_t n = 0; n < block.count; ++n) row_[n] = d[n * kPanel + lane];
    p_.terms.bias->row_grad(head_, operands_->query_positions().from(panel.first + lane, 1),
                            keys.from(block.first, block.count), row_.data(), grads_);
  }
}

void BiasGradient::leave() {
  if (!wanted() || !toeplitz_) return;
  // One query against a key at each distance: the bias depends on nothing else.
  const std::int64_t count = p_.queries + p_.keys - 1;
  const std::int32_t query = operands_->query_positions().at(0);
  for (std::int64_t i = 0; i < count; ++i) {
    positions_[i] = static_cast<std::int32_t>(query - (first_distance_ + i));
  }
  p_.terms.bias->row_grad(head_, {&query, 1}, {positions_.data(), count}, by_distance_.data(),
                          grads_);
}

}  // namespace posenc
