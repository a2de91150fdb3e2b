// What the loops of attention read: queries, keys and values of one head, turned to their
// positions.
#pragma once

#include <cstdint>

#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/rows.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// Numbers first, first + 1, …, last.
struct Range {
  int first = 0, last = 0;
  int count() const { return last - first + 1; }
};

class Operands {
 public:
  explicit Operands(const AttentionProblem& problem) : p_(problem) {}

  /// Once, before all else.
  Status allocate();
  /// Tables and positions of a batch entry.
  Status enter(std::int64_t entry);
  /// Keys and values of a kv head of the entry.
  void enter_kv_head(std::int64_t kv_head);

  std::int64_t entry() const { return entry_; }
  /// Width of a turned query or key.
  std::int64_t dim() const { return dim_; }
  const KeyRows& rows() const { return rows_; }
  Positions query_positions() const { return query_positions_; }
  bool queries_consecutive() const { return queries_consecutive_; }
  /// The regimes of the rotation that occur in this entry.
  Range regimes() const { return regimes_; }

  const float* keys(int regime) const /* (keys, dim) */ {
    return keys_ + (regime - regimes_.first) * p_.keys * dim_;
  }
  const float* values() const { return values_; }  // (keys, value_dim)
  /// True when all values of the block of keys that a stretch of them lies in are finite.
  bool clean(const KeyBlock& stretch);
  /// Turns `count` ≤ kPanel queries of a head from `token`.
  const float* queries(std::int64_t head, std::int64_t token, std::int64_t count, int regime,
                       float* scratch /* (count, dim) */) const;
  /// Row of a query in arrays of (batch, heads, queries).
  std::int64_t query_row(std::int64_t head, std::int64_t token) const {
    return (entry_ * p_.heads + head) * p_.queries + token;
  }
  /// Row of the first key in arrays of (batch, kv_heads, keys).
  std::int64_t key_row(std::int64_t kv_head) const {
    return (entry_ * p_.kv_heads + kv_head) * p_.keys;
  }
  /// True when values turn like keys.
  bool turns_back() const {
    return p_.terms.rotate != nullptr && p_.terms.rotate->turns_output_back();
  }
  /// Turns rows of the output back to where the encoding wants them.
  void turn_back(std::int64_t head, std::int64_t token, std::int64_t count,
                 float* output /* (count, value_dim) */) const;

  // Gradients by rows as they came in, from those by the rows of the same token as they were used.
  void turn_back_grad(std::int64_t head, std::int64_t token, std::int64_t count,
                      const float* d_output, float* out /* (count, value_dim) */) const;
  void query_grad(std::int64_t head, int regime, const float* d_turned /* (queries, dim) */,
                  float* d_query /* (queries, head_dim) */) const;
  void key_grad(std::int64_t kv_head, int regime, const float* d_turned /* (keys, dim) */,
                float* d_key /* (keys, head_dim) */) const;
  void value_grad(std::int64_t kv_head, const float* d_turned /* (keys, value_dim) */,
                  float* d_value /* the same */) const;

 private:
  Range occurring() const;

  const AttentionProblem& p_;
  std::int64_t entry_ = 0;
  std::int64_t dim_ = 0;
  KeyRows rows_;
  Positions query_positions_{};
  bool queries_consecutive_ = false;
  Range regimes_;
  RotationTables query_tables_[kMostRegimes], key_tables_[kMostRegimes];  // from the first regime
  RotationTables back_tables_;
  const float* keys_ = nullptr;    // (regimes, keys, dim)
  const float* values_ = nullptr;  // (keys, value_dim)
  Buffer<float> turned_keys_;      // (regimes, keys, dim)
  Buffer<float> turned_values_;    // (keys, value_dim), where values turn like keys
  enum class Finite : std::uint8_t { unknown, yes, no };
  Buffer<Finite> finite_;  // values of each key block, once it was asked for
};

}  // namespace posenc
