// The inner loops of attention with few queries. There is nothing to put side by side in registers
// but the numbers of one row, so that keys and values stream through once, as they lie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/dot.hpp"
#include "core/math.hpp"
#include "core/simd.hpp"

namespace posenc {

/// Queries that share the loads of keys and values.
inline constexpr int kSharedRows = 2;

/// Where keys and values come from. Out of a cache they come faster than they are multiplied, so
/// that many rows side by side, which share loads, are best. From memory they come in time only
/// while the processor foresees the next ones, which it does for one row after another (measured:
/// side by side half as fast).
enum class Source : std::uint8_t { cache, memory };

/// Scores of `count` keys: out[r][n] = Σ_d query[r][d] · key[n][d]. Defined for 1 and kSharedRows
/// rows (decode_kernels.cpp).
template <int Rows, Source From>
void dot_few(const float* query /* (Rows, width) */, const float* key /* (count, width) */,
             std::int64_t count, std::int64_t width, float* out /* (Rows, out_stride) */,
             std::int64_t out_stride);

/// Columns of which the sums stay in `Registers` registers: sums[r] += Σ_n weight[r][n] · value[n].
template <int Rows, int Registers>
inline void mix_columns(const float* weight, std::int64_t weight_stride, std::int64_t count,
                        const float* value, std::int64_t width, float* sums /* (Rows, width) */) {
  Batch acc[Rows][Registers];
  for (int r = 0; r < Rows; ++r) {
    for (int c = 0; c < Registers; ++c) acc[r][c] = load(sums + r * width + c * kLanes);
  }
  for (const float* end = weight + count; weight != end; ++weight, value += width) {
    Batch w[Rows];
    for (int r = 0; r < Rows; ++r) w[r] = Batch(weight[r * weight_stride]);
    for (int c = 0; c < Registers; ++c) {
      const Batch v = load(value + c * kLanes);
      for (int r = 0; r < Rows; ++r) acc[r][c] = fma(w[r], v, acc[r][c]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int c = 0; c < Registers; ++c) store(sums + r * width + c * kLanes, acc[r][c]);
  }
}

/// One value after another: sums[r] += weight[r][n] · value[n].
template <int Rows, int Registers>
inline void mix_rows_of_values(const float* weight, std::int64_t weight_stride, std::int64_t count,
                               const float* value, std::int64_t width,
                               float* sums /* (Rows, width) */) {
  for (const float* end = weight + count; weight != end; ++weight) {
    Batch w[Rows];
    for (int r = 0; r < Rows; ++r) w[r] = Batch(weight[r * weight_stride]);
    float* out = sums;
    for (const float* last = value + width; value != last;) {
      for (int c = 0; c < Registers; ++c) {
        const Batch v = load(value + c * kLanes);
        for (int r = 0; r < Rows; ++r) {
          float* sum = out + r * width + c * kLanes;
          store(sum, fma(w[r], v, load(sum)));
        }
      }
      value += Registers * kLanes;
      out += Registers * kLanes;
    }
  }
}

/// sums[r] += Σ_n weight[r][n] · value[n]
template <int Rows, Source From>
inline void mix_few(const float* weight /* (Rows, weight_stride) */, std::int64_t weight_stride,
                    std::int64_t count, const float* value /* (count, width) */, std::int64_t width,
                    float* sums /* (Rows, width) */) {
  constexpr int kRegisters = 4;
  if (From == Source::memory && width % (kRegisters * kLanes) == 0) {
    mix_rows_of_values<Rows, kRegisters>(weight, weight_stride, count, value, width, sums);
    return;
  }
  constexpr int kColumns = 8 / Rows;
  std::int64_t d = 0;
  for (; d + kColumns * kLanes <= width; d += kColumns * kLanes) {
    mix_columns<Rows, kColumns>(weight, weight_stride, count, value + d, width, sums + d);
  }
  for (; d + kLanes <= width; d += kLanes) {
    mix_columns<Rows, 1>(weight, weight_stride, count, value + d, width, sums + d);
  }
  for (; d < width; ++d) {
    for (int r = 0; r < Rows; ++r) {
      for (std::int64_t n = 0; n < count; ++n) {
        sums[r * width + d] += weight[r * weight_stride + n] * value[n * width + d];
      }
    }
  }
}

/// The same for one row, without the values of weight 0, whatever they are.
inline void mix_visible(const float* weight, std::int64_t count, const float* value,
                        std::int64_t width, float* sums /* (width) */) {
  for (std::int64_t n = 0; n < count; ++n) {
    if (weight[n] != 0.0F) add_times(weight[n], value + n * width, width, sums);
  }
}

/// Running maximum and sum of the softmax of one query.
struct RowState {
  float maximum, sum;
};

/// One step of it: turns scores into weights, in place, and returns the factor by which what was
/// summed before must be multiplied. Numbers past `count` up to a whole register are overwritten.
inline float softmax_row(float* score, std::int64_t count, RowState& state) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  const std::int64_t padded = (count + kLanes - 1) / kLanes * kLanes;
  std::fill(score + count, score + padded, kNothing);
  Batch largest(kNothing);
  for (std::int64_t n = 0; n < padded; n += kLanes) largest = max(largest, load(score + n));
  float lanes[kLanes];
  store(lanes, largest);
  const float before = state.maximum;
  for (const float lane : lanes) state.maximum = std::max(state.maximum, lane);

  const HoistedExp exp;
  const float shift = state.maximum == kNothing ? 0.0F : state.maximum;
  Batch sum(0.0F);
  for (std::int64_t n = 0; n < padded; n += kLanes) {
    const Batch w = exp(load(score + n) - Batch(shift));
    store(score + n, w);
    sum = sum + w;
  }
  store(lanes, exp(Batch(before - shift)));
  const float correction = lanes[0];
  store(lanes, sum);
  state.sum *= correction;
  for (const float lane : lanes) state.sum += lane;
  return correction;
}

}  // namespace posenc
