// Gradients of queries, keys and values from those of the turned ones.
#pragma once

#include <cstdint>

#include "attention/backward.hpp"
#include "attention/operands.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// Where the gradients of turned rows of a head are summed up. When it is done they go on to the
/// caller's array, and to the trained parameters of the rotation.
class TurnGradient {
 protected:
  TurnGradient(const AttentionProblem& problem, const AttentionGradients& gradients,
               const Operands& operands)
      : p_(problem), g_(gradients), operands_(operands) {}

  const Rotate* rotate() const { return p_.terms.rotate; }
  Status allocate(std::int64_t tokens);
  /// `rows` of the caller's array, or null: not wanted.
  void enter(float* rows);
  /// Sums of the regime number r of the entry, (tokens, dim); null = not wanted.
  float* sums(int r) const {
    return sums_ == nullptr ? nullptr : sums_ + r * tokens_ * operands_.dim();
  }
  Status leave(Side side, std::int64_t head, Positions positions,
               const float* x /* (tokens, head_dim) */);

  const AttentionProblem& p_;
  const AttentionGradients& g_;
  const Operands& operands_;

 private:
  bool trains() const { return rotate() != nullptr && !g_.rotate.empty(); }

  std::int64_t tokens_ = 0;
  float* rows_ = nullptr;
  float* sums_ = nullptr;
  Buffer<float> turned_;  // (regimes, tokens, dim), where rows turn
  Buffer<float> other_;   // (tokens, head_dim): of a regime after the first
};

/// Of the queries of a head.
class QueryGradient : private TurnGradient {
 public:
  QueryGradient(const AttentionProblem& problem, const AttentionGradients& gradients,
                const Operands& operands)
      : TurnGradient(problem, gradients, operands) {}

  Status allocate() { return TurnGradient::allocate(p_.queries); }
  void enter(std::int64_t head);
  float* queries(int r) const { return sums(r); }
  Status leave();

 private:
  std::int64_t head_ = 0;
};

/// Of the keys and values of a kv head.
class KeyGradient : private TurnGradient {
 public:
  KeyGradient(const AttentionProblem& problem, const AttentionGradients& gradients,
              const Operands& operands)
      : TurnGradient(problem, gradients, operands) {}

  Status allocate();
  void enter(std::int64_t kv_head);
  float* keys(int r) const { return sums(r); }
  float* values() const { return values_; }  // (keys, value_dim); null = not wanted
  Status leave();

 private:
  std::int64_t kv_head_ = 0;
  float* values_ = nullptr;
  Buffer<float> turned_values_;  // (keys, value_dim), where they turn
};

}  // namespace posenc
