// Attention so small that its scores can be worked out by hand: one head of one number.
#pragma once

#include <vector>

#include "attention_case.hpp"
#include "table.hpp"

namespace posenc::test {

/// Scores of one query against keys at the given positions, unscaled.
inline Stages<float> attend(const Encoding& encoding, float query, std::int32_t position,
                            std::vector<float> keys, std::vector<std::int32_t> key_positions,
                            std::vector<float> values = {}) {
  AttentionCase c;
  c.head_dim = c.value_dim = 1;
  c.keys = static_cast<std::int64_t>(keys.size());
  c.fill(1);
  c.query = {query};
  c.key = std::move(keys);
  if (!values.empty()) c.value = std::move(values);
  c.query_positions = {position};
  c.key_positions = std::move(key_positions);
  c.scale = 1.0F;
  c.encodings = {&encoding};
  return run(c);
}

}  // namespace posenc::test
