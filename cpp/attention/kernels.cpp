#include "attention/kernels.hpp"

namespace posenc {

namespace {

/// Scores of `Rows` consecutive keys: out[r] = Σ_d key[r][d] · query[d] + bias[r].
template <int Rows>
void dot_rows(const float* key /* (Rows, head_dim) */, std::int64_t head_dim,
              const float* query /* (head_dim, kPanel) */, const float* bias,
              std::int64_t bias_stride, float* out /* (Rows, kPanel) */) {
  Batch low[Rows];
  Batch high[Rows];
  // A pointer per row that moves on costs one instruction a step, an index times a width three.
  const float* row[Rows];
  for (int r = 0; r < Rows; ++r) {
    low[r] = high[r] = Batch(0.0F);
    row[r] = key + r * head_dim;
  }
  for (const float* end = query + head_dim * kPanel; query != end; query += kPanel) {
    const Batch q_low = load(query);
    const Batch q_high = load(query + kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Batch k(*row[r]++);
      low[r] = fma(k, q_low, low[r]);
      high[r] = fma(k, q_high, high[r]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    store(out + r * kPanel, low[r] + load(bias + r * bias_stride));
    store(out + r * kPanel + kLanes, high[r] + load(bias + r * bias_stride + kLanes));
  }
}

/// Accumulates `Rows` columns of the output: out[r] = out[r] · correction + Σ_n value[n][r] ·
/// weight[n]. `Careful` skips products with weight 0, so that a NaN or infinity among the values of
/// masked keys stays out.
template <int Rows, bool Careful>
void mix_rows(const float* weight /* (count, kPanel) */, std::int64_t count,
              const float* value /* (count, value_dim) */, std::int64_t value_dim,
              PanelValue correction, float* out /* (Rows, kPanel) */) {
  Batch low[Rows];
  Batch high[Rows];
  for (int r = 0; r < Rows; ++r) {
    low[r] = load(out + r * kPanel) * correction.low;
    high[r] = load(out + r * kPanel + kLanes) * correction.high;
  }
  const Batch zero(0.0F);
  for (const float* end = weight + count * kPanel; weight != end; weight += kPanel) {
    const Batch w_low = load(weight);
    const Batch w_high = load(weight + kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Batch v(value[r]);
      if constexpr (Careful) {
        low[r] = select(w_low == zero, low[r], fma(v, w_low, low[r]));
        high[r] = select(w_high == zero, high[r], fma(v, w_high, high[r]));
      } else {
        low[r] = fma(v, w_low, low[r]);
        high[r] = fma(v, w_high, high[r]);
      }
    }
    value += value_dim;
  }
  for (int r = 0; r < Rows; ++r) {
    store(out + r * kPanel, low[r]);
    store(out + r * kPanel + kLanes, high[r]);
  }
}

}  // namespace

void pack_rows(const float* rows /* (count ≤ kPanel, width) */, std::int64_t count,
               std::int64_t width, const float* factor /* (kPanel) */,
               float* out /* (width, kPanel) */, std::int64_t stride) {
  if (stride == 0) stride = width;
  for (int half = 0; half < kPanel; half += kLanes) {
    std::int64_t d = 0;
    const Batch factors = load(factor + half);
    for (; half + kLanes <= count && d + kLanes <= width; d += kLanes) {
      Batch x[kLanes];
      for (int i = 0; i < kLanes; ++i) x[i] = load(rows + (half + i) * stride + d);
      transpose(x);
      for (int i = 0; i < kLanes; ++i) store(out + (d + i) * kPanel + half, x[i] * factors);
    }
    for (; d < width; ++d) {
      for (int lane = half; lane < half + kLanes; ++lane) {
        out[d * kPanel + lane] = lane < count ? rows[lane * stride + d] * factor[lane] : 0.0F;
      }
    }
  }
}

void unpack_rows(const float* columns /* (width, kPanel) */, std::int64_t count, std::int64_t width,
                 const float* factor /* (kPanel) */, float* out /* (count, width) */,
                 std::int64_t stride) {
  if (stride == 0) stride = width;
  for (int half = 0; half < kPanel; half += kLanes) {
    std::int64_t d = 0;
    const Batch zero(0.0F);
    const Batch factors = load(factor + half);
    for (; half + kLanes <= count && d + kLanes <= width; d += kLanes) {
      Batch x[kLanes];
      for (int i = 0; i < kLanes; ++i) {
        x[i] = select(factors == zero, zero, load(columns + (d + i) * kPanel + half) * factors);
      }
      transpose(x);
      for (int i = 0; i < kLanes; ++i) store(out + (half + i) * stride + d, x[i]);
    }
    for (; d < width; ++d) {
      for (std::int64_t lane = half; lane < std::min<std::int64_t>(half + kLanes, count); ++lane) {
        const float f = factor[lane];
        out[lane * stride + d] = f == 0.0F ? 0.0F : columns[d * kPanel + lane] * f;
      }
    }
  }
}

void dot_keys(const float* key, std::int64_t count, std::int64_t head_dim, const float* query,
              const float* bias, std::int64_t bias_stride, float* out) {
  in_tiles(count, [&]<int Rows>(std::int64_t n, std::integral_constant<int, Rows>) {
    dot_rows<Rows>(key + n * head_dim, head_dim, query, bias + n * bias_stride, bias_stride,
                   out + n * kPanel);
  });
}

template <bool Careful>
void mix_values(const float* weight, std::int64_t count, const float* value, std::int64_t value_dim,
                PanelValue correction, float* out /* (value_dim, kPanel) */) {
  in_tiles(value_dim, [&]<int Rows>(std::int64_t d, std::integral_constant<int, Rows>) {
    mix_rows<Rows, Careful>(weight, count, value + d, value_dim, correction, out + d * kPanel);
  });
}

template void mix_values<false>(const float*, std::int64_t, const float*, std::int64_t, PanelValue,
                                float*);
template void mix_values<true>(const float*, std::int64_t, const float*, std::int64_t, PanelValue,
                               float*);

}  // namespace posenc
