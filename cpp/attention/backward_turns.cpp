#include "attention/backward_turns.hpp"

#include <algorithm>

namespace posenc {

Status TurnGradient::allocate(std::int64_t tokens) {
  tokens_ = tokens;
  if (rotate() == nullptr) return Status::ok;
  turned_ = Buffer<float>(rotate()->regimes() * tokens * operands_.dim());
  if (rotate()->regimes() > 1) other_ = Buffer<float>(tokens * p_.head_dim);
  return turned_.ok() && other_.ok() ? Status::ok : Status::memory;
}

void TurnGradient::enter(float* rows) {
  rows_ = sums_ = rows;
  if (rotate() != nullptr && (rows != nullptr || trains())) sums_ = turned_.data();
}

Status TurnGradient::leave(Side side, std::int64_t head, Positions positions, const float* x) {
  if (rotate() == nullptr) return Status::ok;
  if (trains()) {
    const Status status =
        rotate()->turn_grad(side, static_cast<int>(head), positions, x, sums_, g_.rotate);
    if (status != Status::ok) return status;
  }
  if (rows_ == nullptr) return Status::ok;
  const Range regimes = operands_.regimes();
  for (int r = 0; r < regimes.count(); ++r) {
    float* out = r == 0 ? rows_ : other_.data();
    if (side == Side::query) {
      operands_.query_grad(head, regimes.first + r, sums(r), out);
    } else {
      operands_.key_grad(head, regimes.first + r, sums(r), out);
    }
    for (std::int64_t i = 0; r > 0 && i < tokens_ * p_.head_dim; ++i) rows_[i] += other_[i];
  }
  return Status::ok;
}

void QueryGradient::enter(std::int64_t head) {
  head_ = head;
  const std::int64_t row = operands_.query_row(head, 0);
  TurnGradient::enter(g_.query == nullptr ? nullptr : g_.query + row * p_.head_dim);
}

Status QueryGradient::leave() {
  const float* x = p_.query + operands_.query_row(head_, 0) * p_.head_dim;
  return TurnGradient::leave(Side::query, head_, operands_.query_positions(), x);
}

Status KeyGradient::allocate() {
  if (operands_.turns_back()) turned_values_ = Buffer<float>(p_.keys * p_.value_dim);
  return turned_values_.ok() ? TurnGradient::allocate(p_.keys) : Status::memory;
}

void KeyGradient::enter(std::int64_t kv_head) {
  kv_head_ = kv_head;
  const std::int64_t row = operands_.key_row(kv_head);
  TurnGradient::enter(g_.key == nullptr ? nullptr : g_.key + row * p_.head_dim);
  values_ = g_.value == nullptr ? nullptr : g_.value + row * p_.value_dim;
  if (operands_.turns_back() && values_ != nullptr) values_ = turned_values_.data();
  const std::int64_t size = operands_.regimes().count() * p_.keys * operands_.dim();
  if (keys(0) != nullptr) std::fill_n(keys(0), size, 0.0F);
  if (values_ != nullptr) std::fill_n(values_, p_.keys * p_.value_dim, 0.0F);
}

Status KeyGradient::leave() {
  const std::int64_t row = operands_.key_row(kv_head_);
  if (operands_.turns_back() && values_ != nullptr) {
    operands_.value_grad(kv_head_, values_, g_.value + row * p_.value_dim);
  }
  const float* x = p_.key + row * p_.head_dim;
  return TurnGradient::leave(Side::key, kv_head_, operands_.rows().positions, x);
}

}  // namespace posenc
