// Applies a table of cosines and sines to rows of queries or keys.
#pragma once

#include <cstdint>

#include "core/status.hpp"
#include "position/position.hpp"

namespace posenc {

/// Turns `tokens` rows of `head_dim` numbers: pair i of row t by the angle whose cosine and sine
/// are at [t][i]. Dimensions that do not turn are copied. `out` may be `x`.
void rotate_rows(const Rotate& rotate, const float* x /* (tokens, head_dim) */,
                 const float* cos /* rotary_dim/2 numbers, table_width apart */,
                 const float* sin /* the same */, std::int64_t tokens,
                 float* out /* (tokens, head_dim) */);

/// Makes a table turn back: the exact inverse, also where cosines and sines carry a factor.
void invert_table(float* cos, float* sin, std::int64_t count);

/// A tensor to turn.
struct RotateCall {
  const float* x;  // (batch, heads, tokens, head_dim)
  float* out;      // (batch, heads, tokens, turned_dim); may be x where the width stays
  std::int64_t batch, heads, tokens;
  const std::int32_t* positions;  // (tokens, axes), or (batch, tokens, axes)
  bool positions_per_batch;
  int axes;
  Side side;
  bool inverse;  ///< Turn back: exact inverse of the same call without it.
};

/// Turns a whole tensor; tables are made once per stretch of tokens and shared by all heads.
Status rotate_tensor(const Rotate& rotate, const RotateCall& call);

}  // namespace posenc
