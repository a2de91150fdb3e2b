// Gradients of queries, keys and values from those of the turned ones.
#pragma once

#include <cstdint>

#include "attention/backward.hpp"
#include "attention/operands.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// Where the gradients of turned rows are summed up; they go on to the caller's arrays, and to the
/// trained parameters of the rotation, when a head is done.
class TurnGradient {
 public:
  TurnGradient(const AttentionProblem& problem, const AttentionGradients& gradients,
               const Operands& operands)
      : p_(problem), g_(gradients), operands_(operands) {}

  Status allocate();
  void enter_kv_head(std::int64_t kv_head);
  void enter_head(std::int64_t head);

  // Sums of the regime number r of the entry; null = not wanted.
  float* d_keys(int r) { return at(d_keys_, r * p_.keys); }           // (keys, dim)
  float* d_queries(int r) { return at(d_queries_, r * p_.queries); }  // (queries, dim)
  float* d_values() { return d_values_; }                             // (keys, value_dim)

  void leave_head(std::int64_t head);
  void leave_kv_head(std::int64_t kv_head);

 private:
  float* at(float* sums, std::int64_t row) const {
    return sums == nullptr ? nullptr : sums + row * operands_.dim();
  }
  bool trains() const { return p_.terms.rotate != nullptr && !g_.rotate.empty(); }
  /// Sums over the regimes what `turned(r, out)` writes.
  template <class Turned>
  void sum_regimes(std::int64_t count, float* out, Turned turned);

  const AttentionProblem& p_;
  const AttentionGradients& g_;
  const Operands& operands_;
  float* d_keys_ = nullptr;
  float* d_queries_ = nullptr;
  float* d_values_ = nullptr;
  Buffer<float> turned_keys_, turned_queries_;  // (regimes, tokens, dim), where they turn
  Buffer<float> turned_values_;                 // (keys, value_dim), where they turn
  Buffer<float> other_;                         // (tokens, head_dim): of a regime after the first
};

}  // namespace posenc
