// Matrices of weights, held as float32 or in fewer bits and widened where they are multiplied.
#pragma once

#include <cstdint>

#include "core/status.hpp"

namespace posenc {

/// How the numbers of a matrix are held.
enum class Precision : std::uint8_t {
  f32,
  f16,   ///< IEEE half precision, finite numbers only.
  int8,  ///< −127 … 127 times the scale of the row.
};

/// Bytes of a number.
constexpr std::int64_t bytes_of(Precision precision) {
  return precision == Precision::f32 ? 4 : precision == Precision::f16 ? 2 : 1;
}

/// A row per output, as checkpoints hold weights. `data` is null in a matrix that is absent.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  Precision precision = Precision::f32;
  const void* data = nullptr;     // (rows, columns)
  const float* scales = nullptr;  // (rows), of int8 only

  bool given() const { return data != nullptr; }
  const float* floats() const { return static_cast<const float*>(data); }
};

/// Writes `count` rows as float32.
void widen(const Matrix& matrix, std::int64_t first, std::int64_t count,
           float* out /* (count, columns) */);

/// Rounds to float16, the nearest or, halfway, the even one; numbers past 65504 become it.
void narrow_to_f16(const float* x, std::int64_t count, std::uint16_t* out);

/// Rounds a row to int8, symmetrically: the largest magnitude becomes 127. Returns the scale.
float narrow_to_int8(const float* x, std::int64_t count, std::int8_t* out);

/// output = input · weightᵀ + bias. `shape` for a negative number of rows, `memory` when there is
/// no room for widened rows.
Status multiply(const float* input /* (rows, columns) */, std::int64_t rows, const Matrix& weight,
                const float* bias /* (weight.rows), or null */,
                float* output /* (rows, weight.rows) */);

}  // namespace posenc
