#include "attention/backward_turns.hpp"

#include <algorithm>

namespace posenc {

Status TurnGradient::allocate() {
  const Rotate* rotate = p_.terms.rotate;
  if (rotate == nullptr) return Status::ok;
  const std::int64_t size = rotate->regimes() * operands_.dim();
  turned_keys_ = Buffer<float>(size * p_.keys);
  turned_queries_ = Buffer<float>(size * p_.queries);
  if (operands_.turns_back()) turned_values_ = Buffer<float>(p_.keys * p_.value_dim);
  if (rotate->regimes() > 1) other_ = Buffer<float>(std::max(p_.keys, p_.queries) * p_.head_dim);
  const bool ok = turned_keys_.ok() && turned_queries_.ok() && turned_values_.ok() && other_.ok();
  return ok ? Status::ok : Status::memory;
}

void TurnGradient::enter_kv_head(std::int64_t kv_head) {
  const std::int64_t row = operands_.key_row(kv_head);
  const std::int64_t regimes = operands_.regimes().count();
  d_keys_ = g_.key == nullptr ? nullptr : g_.key + row * p_.head_dim;
  d_values_ = g_.value == nullptr ? nullptr : g_.value + row * p_.value_dim;
  if (p_.terms.rotate != nullptr && (g_.key != nullptr || trains())) d_keys_ = turned_keys_.data();
  if (operands_.turns_back() && g_.value != nullptr) d_values_ = turned_values_.data();
  if (d_keys_ != nullptr) std::fill_n(d_keys_, regimes * p_.keys * operands_.dim(), 0.0F);
  if (d_values_ != nullptr) std::fill_n(d_values_, p_.keys * p_.value_dim, 0.0F);
}

void TurnGradient::enter_head(std::int64_t head) {
  d_queries_ =
      g_.query == nullptr ? nullptr : g_.query + operands_.query_row(head, 0) * p_.head_dim;
  if (p_.terms.rotate != nullptr && (g_.query != nullptr || trains())) {
    d_queries_ = turned_queries_.data();
  }
}

template <class Turned>
void TurnGradient::sum_regimes(std::int64_t count, float* out, Turned turned) {
  turned(0, out);
  for (int r = 1; r < operands_.regimes().count(); ++r) {
    turned(r, other_.data());
    for (std::int64_t i = 0; i < count; ++i) out[i] += other_[i];
  }
}

void TurnGradient::leave_head(std::int64_t head) {
  if (p_.terms.rotate == nullptr) return;
  const std::int64_t row = operands_.query_row(head, 0) * p_.head_dim;
  if (trains()) {
    p_.terms.rotate->turn_grad(Side::query, static_cast<int>(head), operands_.query_positions(),
                               p_.query + row, d_queries_, g_.rotate);
  }
  if (g_.query == nullptr) return;
  sum_regimes(p_.queries * p_.head_dim, g_.query + row, [&](int r, float* out) {
    operands_.query_grad(head, operands_.regimes().first + r, d_queries(r), out);
  });
}

void TurnGradient::leave_kv_head(std::int64_t kv_head) {
  if (p_.terms.rotate == nullptr) return;
  const std::int64_t row = operands_.key_row(kv_head);
  if (trains()) {
    p_.terms.rotate->turn_grad(Side::key, static_cast<int>(kv_head), operands_.rows().positions,
                               p_.key + row * p_.head_dim, d_keys_, g_.rotate);
  }
  if (g_.key != nullptr) {
    sum_regimes(p_.keys * p_.head_dim, g_.key + row * p_.head_dim, [&](int r, float* out) {
      operands_.key_grad(kv_head, operands_.regimes().first + r, d_keys(r), out);
    });
  }
  if (operands_.turns_back() && g_.value != nullptr) {
    operands_.value_grad(kv_head, d_values_, g_.value + row * p_.value_dim);
  }
}

}  // namespace posenc
