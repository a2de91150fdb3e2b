#include "model/linear.hpp"

#include <algorithm>

#include "attention/decode_kernels.hpp"
#include "attention/kernels.hpp"
#include "core/buffer.hpp"

namespace posenc {

namespace {

/// Rows that are packed together, and the outputs that they meet before the next ones: both stay in
/// the cache.
constexpr std::int64_t kRowBlock = 64;
constexpr std::int64_t kOutputBlock = 96;

/// Few rows: weights stream through once for every two of them.
void stream(const LinearProblem& p) {
  constexpr std::int64_t kCached = std::int64_t{3} << 20;
  const auto run = [&]<int Rows>(std::int64_t row, std::integral_constant<int, Rows>) {
    const float* input = p.input + row * p.inputs;
    float* output = p.output + row * p.stride();
    if (p.outputs * p.inputs <= kCached) {
      dot_few<Rows, Source::cache>(input, p.weight, p.outputs, p.inputs, output, p.stride());
    } else {
      dot_few<Rows, Source::memory>(input, p.weight, p.outputs, p.inputs, output, p.stride());
    }
  };
  std::int64_t row = 0;
  for (; row + kSharedRows <= p.rows; row += kSharedRows) {
    run(row, std::integral_constant<int, kSharedRows>());
  }
  if (row < p.rows) run(row, std::integral_constant<int, 1>());
}

/// Many rows: panels of them, as queries meet keys in attention.
Status multiply_panels(const LinearProblem& p) {
  static constexpr float kZeros[kPanel] = {};
  static constexpr float kOnes[kPanel] = {1, 1, 1, 1, 1, 1, 1, 1};
  Buffer<float> packed(kRowBlock * p.inputs);
  Buffer<float> tile(kOutputBlock * kPanel);
  if (!packed.ok() || !tile.ok()) return Status::memory;
  for (std::int64_t first = 0; first < p.rows; first += kRowBlock) {
    const std::int64_t rows = std::min(kRowBlock, p.rows - first);
    for (std::int64_t row = 0; row < rows; row += kPanel) {
      pack_rows(p.input + (first + row) * p.inputs, std::min<std::int64_t>(kPanel, rows - row),
                p.inputs, kOnes, packed.data() + row * p.inputs);
    }
    for (std::int64_t output = 0; output < p.outputs; output += kOutputBlock) {
      const std::int64_t outputs = std::min(kOutputBlock, p.outputs - output);
      for (std::int64_t row = 0; row < rows; row += kPanel) {
        const std::int64_t count = std::min<std::int64_t>(kPanel, rows - row);
        dot_keys(p.weight + output * p.inputs, outputs, p.inputs, packed.data() + row * p.inputs,
                 kZeros, 0, tile.data());
        unpack_rows(tile.data(), count, outputs, kOnes,
                    p.output + (first + row) * p.stride() + output, p.stride());
      }
    }
  }
  return Status::ok;
}

}  // namespace

Status linear(const LinearProblem& p) {
  if (p.rows < 0 || p.inputs < 0 || p.outputs < 0) return Status::shape;
  // Up to here panels would be half empty.
  if (p.rows <= kPanel / 2) {
    stream(p);
  } else if (const Status status = multiply_panels(p); status != Status::ok) {
    return status;
  }
  for (std::int64_t row = 0; p.bias != nullptr && row < p.rows; ++row) {
    add_times(1.0F, p.bias, p.outputs, p.output + row * p.stride());
  }
  return Status::ok;
}

}  // namespace posenc
