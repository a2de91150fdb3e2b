// The inner loops of attention. Tiles are transposed: a panel is kPanel queries side by side in two
// registers, so that the softmax over keys is purely vertical and keys and values are read as they
// lie, one broadcast number at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/math.hpp"
#include "core/simd.hpp"

namespace posenc {

/// Queries of a panel.
inline constexpr int kPanel = 2 * kLanes;

/// Rows of the register tile. With fused multiply-add six rows fit the registers; without, each
/// product needs a temporary and four rows are faster (measured; see the benchmark `attention`).
#if defined(__wasm_relaxed_simd__)
inline constexpr int kTileRows = 6;
#else
inline constexpr int kTileRows = 4;
#endif

/// Two registers: one number for each query of a panel.
struct PanelValue {
  Batch low, high;

  static PanelValue load_from(const float* p) { return {load(p), load(p + kLanes)}; }
  void store_to(float* p) const {
    store(p, low);
    store(p + kLanes, high);
  }
};

// Defined once for all who use them (kernels.cpp): their bodies are large.

/// Rows of queries side by side: out[d][lane] = row[lane][d] · factor[lane], 0 past `count`. Rows
/// lie `stride` numbers apart; 0 = their width.
void pack_rows(const float* rows /* (count ≤ kPanel, width) */, std::int64_t count,
               std::int64_t width, const float* factor /* (kPanel) */,
               float* out /* (width, kPanel) */, std::int64_t stride = 0);

/// The other way round: out[lane][d] = columns[d][lane] · factor[lane] for `count` ≤ kPanel rows, 0
/// where the factor is.
void unpack_rows(const float* columns /* (width, kPanel) */, std::int64_t count, std::int64_t width,
                 const float* factor /* (kPanel) */, float* out /* (count, width) */,
                 std::int64_t stride = 0);

/// Scores of `count` keys: out[n] = Σ_d key[n][d] · query[d] + bias[n]. The bias comes last: a
/// large one at the start of the sum would cost every product its last bits.
void dot_keys(const float* key /* (count, head_dim) */, std::int64_t count, std::int64_t head_dim,
              const float* query /* (head_dim, kPanel) */, const float* bias,
              std::int64_t bias_stride, float* out /* (count, kPanel) */);

/// Accumulates the columns of the output: out[d] = out[d] · correction + Σ_n value[n][d] ·
/// weight[n]. `Careful` skips products with weight 0, so that a NaN or infinity among the values of
/// masked keys stays out.
template <bool Careful>
void mix_values(const float* weight /* (count, kPanel) */, std::int64_t count,
                const float* value /* (count, value_dim) */, std::int64_t value_dim,
                PanelValue correction, float* out /* (value_dim, kPanel) */);

inline bool all_finite(const float* x, std::int64_t count) {
  // x·0 is 0 for finite x and NaN otherwise.
  Batch sum(0.0F);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) sum = sum + load(x + i) * Batch(0.0F);
  float lanes[kLanes];
  store(lanes, sum);
  float total = 0.0F;
  for (const float lane : lanes) total += lane;
  for (; i < count; ++i) total += x[i] * 0.0F;
  return total == 0.0F;
}

/// Calls `kernel` with constants as numbers of rows, at most kTileRows, until `count` are done: the
/// last two calls share what is left, since few rows wait for their own sums.
template <class Kernel>
inline void in_tiles(std::int64_t count, const Kernel& kernel) {
  std::int64_t first = 0;
  for (; count - first > 2 * kTileRows; first += kTileRows) {
    kernel(first, std::integral_constant<int, kTileRows>());
  }
  const auto rest = [&](std::int64_t rows) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      static_cast<void>(
          ((rows == I + 1 && (kernel(first, std::integral_constant<int, I + 1>()), true)) || ...));
    }
    (std::make_integer_sequence<int, kTileRows>());
    first += rows;
  };
  if (count - first > kTileRows) rest((count - first + 1) / 2);
  if (count > first) rest(count - first);
}

/// Products of one key with the rows of a table for each query of a panel: Σ_d key[d] ·
/// table[row[lane]][d], with the bits of `dot`.
inline PanelValue dot_table(const float* key, const float* table, const std::int32_t* row,
                            std::int64_t width) {
  const float* rows[kPanel];
  Batch sums[kPanel];
  for (int lane = 0; lane < kPanel; ++lane) {
    rows[lane] = table + row[lane] * width;
    sums[lane] = Batch(0.0F);
  }
  std::int64_t rest = width;
  for (; rest >= kLanes; rest -= kLanes) {
    const Batch k = load(key);
    for (int lane = 0; lane < kPanel; ++lane) {
      sums[lane] = fma(k, load(rows[lane]), sums[lane]);
      rows[lane] += kLanes;
    }
    key += kLanes;
  }
  Batch halves[2];
  for (int half = 0; half < 2; ++half) {
    Batch parts[kLanes];
    std::copy_n(sums + half * kLanes, kLanes, parts);
    transpose(parts);
    Batch sum = parts[0];
    for (int i = 1; i < kLanes; ++i) sum = sum + parts[i];
    for (std::int64_t d = 0; d < rest; ++d) {
      float column[kLanes];
      for (int i = 0; i < kLanes; ++i) column[i] = rows[half * kLanes + i][d];
      sum = sum + Batch(key[d]) * load(column);
    }
    halves[half] = sum;
  }
  return {halves[0], halves[1]};
}

/// Running maximum and sum of the softmax of each query of a panel. Logits are counted from
/// `offset`, the largest number that a dense mask has added: a float holds no sum of 1e9 and a
/// score.
struct SoftmaxState {
  float offset[kPanel];
  float maximum[kPanel];
  float sum[kPanel];

  void reset(float start) {
    std::fill_n(offset, kPanel, start);
    std::fill_n(maximum, kPanel, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, kPanel, 0.0F);
  }
  /// With a logit that takes weight and mixes nothing in. Beside a dense mask, logits are counted
  /// from it, so that both may be huge.
  void reset_with_sink(float logit, bool adds) {
    std::fill_n(offset, kPanel, adds ? logit : 0.0F);
    std::fill_n(maximum, kPanel, adds ? 0.0F : logit);
    std::fill_n(sum, kPanel, 1.0F);
  }
};

/// What is subtracted before the exponential: the maximum, or 0 for a row that has seen no key.
inline Batch softmax_shift(Batch maximum) {
  return select(maximum == Batch(-std::numeric_limits<float>::infinity()), Batch(0.0F), maximum);
}

/// Counts scores that are less by `offset` from the larger of it and the state's, and the state
/// too.
inline void meet_offset(float* score /* (count, kPanel) */, std::int64_t count, PanelValue offset,
                        SoftmaxState& state) {
  const Batch nothing(-std::numeric_limits<float>::infinity());
  for (int half = 0; half < kPanel; half += kLanes) {
    const Batch mine = load(state.offset + half);
    const Batch theirs = half == 0 ? offset.low : offset.high;
    const Batch common = max(mine, theirs);
    const auto is_empty = common == nothing;
    store(state.offset + half, common);
    store(state.maximum + half,
          load(state.maximum + half) + select(is_empty, Batch(0.0F), mine - common));
    const Batch down = select(is_empty, Batch(0.0F), theirs - common);
    for (std::int64_t n = 0; n < count; ++n) {
      float* s = score + n * kPanel + half;
      store(s, load(s) + down);
    }
  }
}

/// Turns scores that are less by `offset` into the weights of a finished softmax; hidden keys and
/// rows that have seen none get 0.
inline void final_weights(float* score /* (count, kPanel) */, std::int64_t count, PanelValue offset,
                          const SoftmaxState& state) {
  const HoistedExp exp;
  const Batch zero(0.0F);
  const Batch hidden(-std::numeric_limits<float>::infinity());
  for (int half = 0; half < kPanel; half += kLanes) {
    const Batch sum = load(state.sum + half);
    const auto is_empty = sum == zero;
    const Batch inverse = select(is_empty, zero, Batch(1.0F) / sum);
    const Batch down = load(state.offset + half) - (half == 0 ? offset.low : offset.high);
    const Batch shift = select(is_empty, zero, softmax_shift(load(state.maximum + half)) + down);
    for (float* s = score + half; s < score + count * kPanel; s += kPanel) {
      // Also where the query is NaN, and with it its maximum.
      const Batch logit = load(s);
      store(s, select(logit == hidden, zero, exp(logit - shift) * inverse));
    }
  }
}

/// Turns scores into weights relative to the new running maximum, in place, and returns the factor
/// by which what was summed before must be multiplied (Milakov and Gimelshein 2018, "Online
/// normalizer calculation for softmax").
inline PanelValue softmax_step(float* score /* (count, kPanel) */, std::int64_t count,
                               SoftmaxState& state) {
  PanelValue maximum = PanelValue::load_from(state.maximum);
  const PanelValue before = maximum;
  for (std::int64_t n = 0; n < count; ++n) {
    const PanelValue s = PanelValue::load_from(score + n * kPanel);
    maximum = {max(maximum.low, s.low), max(maximum.high, s.high)};
  }
  const HoistedExp exp;
  const PanelValue shift = {softmax_shift(maximum.low), softmax_shift(maximum.high)};
  const PanelValue correction = {exp(before.low - shift.low), exp(before.high - shift.high)};
  PanelValue sum = PanelValue::load_from(state.sum);
  sum = {sum.low * correction.low, sum.high * correction.high};
  for (std::int64_t n = 0; n < count; ++n) {
    const PanelValue s = PanelValue::load_from(score + n * kPanel);
    const PanelValue w = {exp(s.low - shift.low), exp(s.high - shift.high)};
    w.store_to(score + n * kPanel);
    sum = {sum.low + w.low, sum.high + w.high};
  }
  maximum.store_to(state.maximum);
  sum.store_to(state.sum);
  return correction;
}

}  // namespace posenc
