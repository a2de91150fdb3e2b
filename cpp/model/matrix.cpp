#include "model/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "core/buffer.hpp"
#include "core/dot.hpp"
#include "core/simd.hpp"
#include "model/linear.hpp"

namespace posenc {

namespace {

/// Numbers of a row that are widened together.
constexpr int kStep = 2 * kLanes;

/// float16 without infinities and NaN: its exponent and fraction, moved to where those of a float
/// are, make a number that is too small by 2^112, subnormal ones included.
Batch from_half(IntBatch half) {
  const IntBatch sign = (half & IntBatch(0x8000)) << 16;
  const IntBatch magnitude = (half & IntBatch(0x7fff)) << 13;
  return from_bits(bits(from_bits(magnitude) * Batch(0x1p112F)) | sign);
}

struct Halves {
  using Number = std::uint16_t;
  static void read(const Number* p, Batch& low, Batch& high) {
    low = from_half(load_wide(p));
    high = from_half(load_wide(p + kLanes));
  }
};

struct Bytes {
  using Number = std::int8_t;
  static void read(const Number* p, Batch& low, Batch& high) {
    IntBatch words[2];
    load_wide(p, words);
    low = xsimd::to_float(words[0]);
    high = xsimd::to_float(words[1]);
  }
};

/// Calls run(Halves() or Bytes(), pointer to the numbers).
template <class Run>
void with_numbers(const Matrix& matrix, Run run) {
  if (matrix.precision == Precision::f16) {
    run(Halves(), static_cast<const std::uint16_t*>(matrix.data));
  } else {
    run(Bytes(), static_cast<const std::int8_t*>(matrix.data));
  }
}

/// The numbers from `done` on, fewer than kStep of them, and zeros.
template <class Format>
void read_rest(const typename Format::Number* row, std::int64_t done, std::int64_t columns,
               Batch& low, Batch& high) {
  typename Format::Number rest[kStep] = {};
  std::copy(row + done, row + columns, rest);
  Format::read(rest, low, high);
}

template <class Format>
void widen_row(const typename Format::Number* row, std::int64_t columns, float scale, float* out) {
  Batch low;
  Batch high;
  std::int64_t k = 0;
  for (; k + kStep <= columns; k += kStep) {
    Format::read(row + k, low, high);
    store(out + k, low * Batch(scale));
    store(out + k + kLanes, high * Batch(scale));
  }
  if (k == columns) return;
  read_rest<Format>(row, k, columns, low, high);
  float rest[kStep];
  store(rest, low * Batch(scale));
  store(rest + kLanes, high * Batch(scale));
  std::copy_n(rest, columns - k, out + k);
}

/// Products of a row with `Rows` inputs that are padded with zeros to whole steps. One row after
/// another: from memory, numbers come in time only while the processor foresees the next ones.
template <class Format, int Rows>
void dot_row(const typename Format::Number* row, const float* input, std::int64_t input_stride,
             std::int64_t columns, float* out) {
  constexpr int kSums = 2;
  Batch sums[Rows][kSums][2];
  for (auto& of_row : sums) {
    for (auto& pair : of_row) pair[0] = pair[1] = Batch(0.0F);
  }
  const auto add = [&](std::int64_t k, int i, Batch low, Batch high) {
    for (int r = 0; r < Rows; ++r) {
      const float* x = input + r * input_stride + k;
      sums[r][i][0] = fma(low, load(x), sums[r][i][0]);
      sums[r][i][1] = fma(high, load(x + kLanes), sums[r][i][1]);
    }
  };
  Batch low;
  Batch high;
  std::int64_t k = 0;
  for (; k + kSums * kStep <= columns; k += kSums * kStep) {
    for (int i = 0; i < kSums; ++i) {
      Format::read(row + k + i * kStep, low, high);
      add(k + i * kStep, i, low, high);
    }
  }
  for (; k + kStep <= columns; k += kStep) {
    Format::read(row + k, low, high);
    add(k, 0, low, high);
  }
  if (k < columns) {
    read_rest<Format>(row, k, columns, low, high);
    add(k, 0, low, high);
  }
  for (int r = 0; r < Rows; ++r) {
    const auto& s = sums[r];
    float lanes[kLanes];
    store(lanes, (s[0][0] + s[0][1]) + (s[1][0] + s[1][1]));
    out[r] = 0.0F;
    for (const float lane : lanes) out[r] += lane;
  }
}

/// Few rows: weights are widened in registers.
template <int Rows>
void stream(const float* input, std::int64_t stride, const Matrix& weight, float* output) {
  with_numbers(weight, [&]<class Format>(Format, const typename Format::Number* numbers) {
    for (std::int64_t n = 0; n < weight.rows; ++n) {
      float sums[Rows];
      dot_row<Format, Rows>(numbers + n * weight.columns, input, stride, weight.columns, sums);
      const float scale = weight.scales == nullptr ? 1.0F : weight.scales[n];
      for (int r = 0; r < Rows; ++r) output[r * weight.rows + n] = sums[r] * scale;
    }
  });
}

Status stream_rows(const float* input, std::int64_t rows, const Matrix& weight, float* output) {
  constexpr int kShared = 2;
  const std::int64_t padded = (weight.columns + kStep - 1) / kStep * kStep;
  Buffer<float> copy(kShared * padded);
  if (!copy.ok()) return Status::memory;
  for (std::int64_t row = 0; row < rows; row += kShared) {
    const std::int64_t count = std::min<std::int64_t>(kShared, rows - row);
    std::fill_n(copy.data(), kShared * padded, 0.0F);
    for (std::int64_t r = 0; r < count; ++r) {
      std::copy_n(input + (row + r) * weight.columns, weight.columns, copy.data() + r * padded);
    }
    float* out = output + row * weight.rows;
    if (count == kShared) {
      stream<kShared>(copy.data(), padded, weight, out);
    } else {
      stream<1>(copy.data(), padded, weight, out);
    }
  }
  return Status::ok;
}

/// Many rows: blocks of the matrix are widened once for all of them.
Status multiply_blocks(const float* input, std::int64_t rows, const Matrix& weight, float* output) {
  constexpr std::int64_t kBlock = 96;
  Buffer<float> wide(kBlock * weight.columns);
  if (!wide.ok()) return Status::memory;
  for (std::int64_t first = 0; first < weight.rows; first += kBlock) {
    const std::int64_t count = std::min(kBlock, weight.rows - first);
    widen(weight, first, count, wide.data());
    const Status status = linear({.rows = rows,
                                  .inputs = weight.columns,
                                  .outputs = count,
                                  .input = input,
                                  .weight = wide.data(),
                                  .output = output + first,
                                  .output_stride = weight.rows});
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace

void widen(const Matrix& matrix, std::int64_t first, std::int64_t count, float* out) {
  if (matrix.precision == Precision::f32) {
    std::copy_n(matrix.floats() + first * matrix.columns, count * matrix.columns, out);
    return;
  }
  with_numbers(matrix, [&]<class Format>(Format, const typename Format::Number* numbers) {
    for (std::int64_t row = first; row < first + count; ++row, out += matrix.columns) {
      const float scale = matrix.scales == nullptr ? 1.0F : matrix.scales[row];
      widen_row<Format>(numbers + row * matrix.columns, matrix.columns, scale, out);
    }
  });
}

void narrow_to_f16(const float* x, std::int64_t count, std::uint16_t* out) {
  constexpr float kLargest = 65504.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    const float magnitude = std::min(std::fabs(x[i]), kLargest);
    int exponent = -13;  // zero is among the subnormal ones
    if (magnitude > 0.0F) std::frexp(magnitude, &exponent);
    // The last bit of a half of this exponent, that of subnormal ones at least.
    const int last = std::max(exponent - 11, -24);
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -last)));
    // Normal ones have the hidden bit 1024 in `steps`; rounding up may carry into the exponent.
    const int encoded = steps + (last + 24) * 1024;
    out[i] = static_cast<std::uint16_t>(encoded | (std::signbit(x[i]) ? 0x8000 : 0));
  }
}

float narrow_to_int8(const float* x, std::int64_t count, std::int8_t* out) {
  float largest = 0.0F;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
  const float scale = largest / 127.0F;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] =
        scale == 0.0F ? std::int8_t{0} : static_cast<std::int8_t>(std::nearbyint(x[i] / scale));
  }
  return scale;
}

Status multiply(const float* input, std::int64_t rows, const Matrix& weight, const float* bias,
                float* output) {
  if (weight.precision == Precision::f32) {
    return linear({.rows = rows,
                   .inputs = weight.columns,
                   .outputs = weight.rows,
                   .input = input,
                   .weight = weight.floats(),
                   .bias = bias,
                   .output = output});
  }
  if (rows < 0) return Status::shape;
  constexpr std::int64_t kFew = 4;
  const Status status = rows <= kFew ? stream_rows(input, rows, weight, output)
                                     : multiply_blocks(input, rows, weight, output);
  for (std::int64_t row = 0; bias != nullptr && status == Status::ok && row < rows; ++row) {
    add_times(1.0F, bias, weight.rows, output + row * weight.rows);
  }
  return status;
}

}  // namespace posenc
