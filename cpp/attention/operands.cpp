#include "attention/operands.hpp"

#include <algorithm>

namespace posenc {

Status Operands::allocate() {
  const Rotate* rotate = p_.terms.rotate;
  dim_ = rotate == nullptr ? p_.head_dim : rotate->turned_dim();
  finite_ = Buffer<Finite>(blocks_of(p_.keys, kKeyBlock));
  if (rotate != nullptr) turned_keys_ = Buffer<float>(rotate->regimes() * p_.keys * dim_);
  if (turns_back()) turned_values_ = Buffer<float>(p_.keys * p_.value_dim);
  return finite_.ok() && turned_keys_.ok() && turned_values_.ok() ? Status::ok : Status::memory;
}

Range Operands::occurring() const {
  const int last = p_.terms.rotate->regimes() - 1;
  if (last == 0 || p_.queries == 0 || p_.keys == 0) return {};
  std::int32_t low = query_positions_.at(0);
  std::int32_t high = low;
  for (std::int64_t t = 1; t < p_.queries; ++t) {
    low = std::min(low, query_positions_.at(t));
    high = std::max(high, query_positions_.at(t));
  }
  Range range;
  for (int regime = 1; regime <= last; ++regime) {
    if (p_.terms.rotate->last_key(regime, low) >= rows_.high) range.first = regime;
    if (p_.terms.rotate->last_key(regime, high) >= rows_.low) range.last = regime;
  }
  return range;
}

Status Operands::enter(std::int64_t entry) {
  entry_ = entry;
  const std::int64_t offset = p_.query_positions_per_batch ? entry * p_.queries * p_.axes : 0;
  query_positions_ = {p_.query_positions + offset, p_.queries, p_.axes};
  queries_consecutive_ = consecutive(query_positions_);
  Status status = rows_.build(p_, entry);
  const Rotate* rotate = p_.terms.rotate;
  if (status != Status::ok || rotate == nullptr) return status;
  regimes_ = occurring();
  for (int i = 0; i < regimes_.count() && status == Status::ok; ++i) {
    const int regime = regimes_.first + i;
    status = query_tables_[i].build(*rotate, regime, Side::query, query_positions_);
    if (status != Status::ok) return status;
    status = key_tables_[i].build(*rotate, regime, Side::key, rows_.positions);
  }
  if (status == Status::ok && turns_back()) {
    status = back_tables_.build(*rotate, 0, Side::query, query_positions_);
    back_tables_.invert();
  }
  return status;
}

void Operands::enter_kv_head(std::int64_t kv_head) {
  const std::int64_t row = key_row(kv_head);
  keys_ = p_.key + row * p_.head_dim;
  values_ = p_.value + row * p_.value_dim;
  if (const Rotate* rotate = p_.terms.rotate; rotate != nullptr) {
    const auto turn = [&](const float* x, const RotationTables& tables, float* out) {
      rotate->turn(Side::key, static_cast<int>(kv_head), x, tables.cos(), tables.sin(), p_.keys,
                   out);
    };
    for (int i = 0; i < regimes_.count(); ++i) {
      turn(keys_, key_tables_[i], turned_keys_.data() + i * p_.keys * dim_);
    }
    keys_ = turned_keys_.data();
    if (turns_back()) {
      turn(values_, key_tables_[0], turned_values_.data());
      values_ = turned_values_.data();
    }
  }
  std::fill_n(finite_.data(), rows_.block_count, Finite::unknown);
}

bool Operands::clean(const KeyBlock& stretch) {
  const std::int64_t i = stretch.first / kKeyBlock;
  if (finite_[i] == Finite::unknown) {
    const KeyBlock& block = rows_.block(i);
    const float* values = values_ + block.first * p_.value_dim;
    finite_[i] = all_finite(values, block.count * p_.value_dim) ? Finite::yes : Finite::no;
  }
  return finite_[i] == Finite::yes;
}

const float* Operands::queries(std::int64_t head, std::int64_t token, std::int64_t count,
                               int regime, float* scratch) const {
  const float* query = p_.query + query_row(head, token) * p_.head_dim;
  const Rotate* rotate = p_.terms.rotate;
  if (rotate == nullptr) return query;
  const RotationTables& tables = query_tables_[regime - regimes_.first];
  const std::int64_t at = token * rotate->table_width();
  rotate->turn(Side::query, static_cast<int>(head), query, tables.cos() + at, tables.sin() + at,
               count, scratch);
  return scratch;
}

void Operands::turn_back(std::int64_t head, std::int64_t token, std::int64_t count,
                         float* output) const {
  if (!turns_back()) return;
  const std::int64_t at = token * p_.terms.rotate->table_width();
  p_.terms.rotate->turn(Side::query, static_cast<int>(head), output, back_tables_.cos() + at,
                        back_tables_.sin() + at, count, output);
}

void Operands::turn_back_grad(std::int64_t head, std::int64_t token, std::int64_t count,
                              const float* d_output, float* out) const {
  if (!turns_back()) {
    std::copy_n(d_output, count * p_.value_dim, out);
    return;
  }
  const std::int64_t at = token * p_.terms.rotate->table_width();
  // Pairs turn alike whatever is in them.
  p_.terms.rotate->input_grad(Side::query, static_cast<int>(head), d_output,
                              back_tables_.cos() + at, back_tables_.sin() + at, d_output, count,
                              out);
}

void Operands::query_grad(std::int64_t head, int regime, const float* d_turned,
                          float* d_query) const {
  const RotationTables& tables = query_tables_[regime - regimes_.first];
  p_.terms.rotate->input_grad(Side::query, static_cast<int>(head),
                              p_.query + query_row(head, 0) * p_.head_dim, tables.cos(),
                              tables.sin(), d_turned, p_.queries, d_query);
}

void Operands::key_grad(std::int64_t kv_head, int regime, const float* d_turned,
                        float* d_key) const {
  const RotationTables& tables = key_tables_[regime - regimes_.first];
  p_.terms.rotate->input_grad(Side::key, static_cast<int>(kv_head),
                              p_.key + key_row(kv_head) * p_.head_dim, tables.cos(), tables.sin(),
                              d_turned, p_.keys, d_key);
}

void Operands::value_grad(std::int64_t kv_head, const float* d_turned, float* d_value) const {
  const RotationTables& tables = key_tables_[0];
  p_.terms.rotate->input_grad(Side::key, static_cast<int>(kv_head),
                              p_.value + key_row(kv_head) * p_.value_dim, tables.cos(),
                              tables.sin(), d_turned, p_.keys, d_value);
}

}  // namespace posenc
