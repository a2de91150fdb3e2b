// The inner loops of attention. Tiles are transposed: a panel is kPanel queries side by side in two
// registers, so that the softmax over keys is purely vertical and keys and values are read as they
// lie, one broadcast number at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

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

/// Scores of `Rows` consecutive keys: out[r] = Σ_d key[r][d] · query[d] + bias[r]. The bias comes
/// last: a large one at the start of the sum would cost every product its last bits.
template <int Rows>
inline void dot_rows(const float* key /* (Rows, head_dim) */, std::int64_t head_dim,
                     const float* query /* (head_dim, kPanel) */, const float* bias,
                     std::int64_t bias_stride, float* out /* (Rows, kPanel) */) {
  Batch low[Rows];
  Batch high[Rows];
  for (int r = 0; r < Rows; ++r) low[r] = high[r] = Batch(0.0F);
  for (std::int64_t d = 0; d < head_dim; ++d) {
    const Batch q_low = load(query + d * kPanel);
    const Batch q_high = load(query + d * kPanel + kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Batch k(key[r * head_dim + d]);
      low[r] = fma(k, q_low, low[r]);
      high[r] = fma(k, q_high, high[r]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    store(out + r * kPanel, low[r] + load(bias + r * bias_stride));
    store(out + r * kPanel + kLanes, high[r] + load(bias + r * bias_stride + kLanes));
  }
}

/// The same for any number of keys.
inline void dot_keys(const float* key, std::int64_t count, std::int64_t head_dim,
                     const float* query, const float* bias, std::int64_t bias_stride, float* out) {
  std::int64_t n = 0;
  for (; n + kTileRows <= count; n += kTileRows) {
    dot_rows<kTileRows>(key + n * head_dim, head_dim, query, bias + n * bias_stride, bias_stride,
                        out + n * kPanel);
  }
  for (; n < count; ++n) {
    dot_rows<1>(key + n * head_dim, head_dim, query, bias + n * bias_stride, bias_stride,
                out + n * kPanel);
  }
}

/// Accumulates `Rows` columns of the output: out[r] = out[r] · correction + Σ_n value[n][r] ·
/// weight[n]. `Careful` skips products with weight 0, so that a NaN or infinity among the values of
/// masked keys stays out.
template <int Rows, bool Careful>
inline void mix_rows(const float* weight /* (count, kPanel) */, std::int64_t count,
                     const float* value /* (count, value_dim) */, std::int64_t value_dim,
                     PanelValue correction, float* out /* (Rows, kPanel) */) {
  Batch low[Rows];
  Batch high[Rows];
  for (int r = 0; r < Rows; ++r) {
    low[r] = load(out + r * kPanel) * correction.low;
    high[r] = load(out + r * kPanel + kLanes) * correction.high;
  }
  const Batch zero(0.0F);
  for (std::int64_t n = 0; n < count; ++n) {
    const Batch w_low = load(weight + n * kPanel);
    const Batch w_high = load(weight + n * kPanel + kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Batch v(value[n * value_dim + r]);
      if constexpr (Careful) {
        low[r] = select(w_low == zero, low[r], fma(v, w_low, low[r]));
        high[r] = select(w_high == zero, high[r], fma(v, w_high, high[r]));
      } else {
        low[r] = fma(v, w_low, low[r]);
        high[r] = fma(v, w_high, high[r]);
      }
    }
  }
  for (int r = 0; r < Rows; ++r) {
    store(out + r * kPanel, low[r]);
    store(out + r * kPanel + kLanes, high[r]);
  }
}

/// The same for all columns.
template <bool Careful>
inline void mix_values(const float* weight, std::int64_t count, const float* value,
                       std::int64_t value_dim, PanelValue correction,
                       float* out /* (value_dim, kPanel) */) {
  std::int64_t d = 0;
  for (; d + kTileRows <= value_dim; d += kTileRows) {
    mix_rows<kTileRows, Careful>(weight, count, value + d, value_dim, correction, out + d * kPanel);
  }
  for (; d + 2 <= value_dim; d += 2) {
    mix_rows<2, Careful>(weight, count, value + d, value_dim, correction, out + d * kPanel);
  }
  if (d < value_dim) {
    mix_rows<1, Careful>(weight, count, value + d, value_dim, correction, out + d * kPanel);
  }
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
  /// With a logit that takes weight and mixes nothing in.
  void reset_with_sink(float logit) {
    std::fill_n(offset, kPanel, 0.0F);
    std::fill_n(maximum, kPanel, logit);
    std::fill_n(sum, kPanel, 1.0F);
  }
};

inline constexpr float kLog2E = 1.44269504088896341F;

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
  const Batch hidden(-std::numeric_limits<float>::infinity());
  for (int half = 0; half < kPanel; half += kLanes) {
    const Batch sum = load(state.sum + half);
    const Batch shift = softmax_shift(load(state.maximum + half));
    const Batch up = (half == 0 ? offset.low : offset.high) - load(state.offset + half);
    for (std::int64_t n = 0; n < count; ++n) {
      float* s = score + n * kPanel + half;
      const Batch logit = load(s);
      const Batch weight = exp2((logit + up - shift) * Batch(kLog2E)) / sum;
      store(s, select(sum == Batch(0.0F) || logit == hidden, Batch(0.0F), weight));
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
  const Batch log2e(kLog2E);
  const PanelValue shift = {softmax_shift(maximum.low), softmax_shift(maximum.high)};
  const PanelValue correction = {exp2((before.low - shift.low) * log2e),
                                 exp2((before.high - shift.high) * log2e)};
  PanelValue sum = PanelValue::load_from(state.sum);
  sum = {sum.low * correction.low, sum.high * correction.high};
  for (std::int64_t n = 0; n < count; ++n) {
    const PanelValue s = PanelValue::load_from(score + n * kPanel);
    const PanelValue w = {exp2((s.low - shift.low) * log2e), exp2((s.high - shift.high) * log2e)};
    w.store_to(score + n * kPanel);
    sum = {sum.low + w.low, sum.high + w.high};
  }
  maximum.store_to(state.maximum);
  sum.store_to(state.sum);
  return correction;
}

}  // namespace posenc
