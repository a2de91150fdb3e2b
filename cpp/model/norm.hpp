// Normalisation of rows.
#pragma once

#include <cstdint>

namespace posenc {

enum class NormKind : std::uint8_t {
  rms,    ///< x / √(mean x² + ε) · weight (Zhang and Sennrich 2019, eq. 4)
  layer,  ///< (x − mean) / √(variance + ε) · weight + bias (Ba et al. 2016, eq. 4)
};

struct Norm {
  NormKind kind = NormKind::rms;
  float epsilon = 1e-5F;
  const float* weight = nullptr;  // (width), or null = 1
  const float* bias = nullptr;    // (width), or null = 0
};

/// What a row is shifted and multiplied by before the weight and the bias.
struct RowScale {
  float mean, factor;
};

/// Means are formed in float64.
RowScale row_scale(const Norm& norm, const float* x, std::int64_t width);

/// Normalises each of `rows` rows; `out` may be `x`.
void normalize(const Norm& norm, const float* x /* (rows, width) */, std::int64_t rows,
               std::int64_t width, float* out /* (rows, width) */);

}  // namespace posenc
