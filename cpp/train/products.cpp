#include "train/products.hpp"

#include <algorithm>

#include "attention/kernels.hpp"
#include "core/buffer.hpp"
#include "core/dot.hpp"

namespace posenc {

namespace {

constexpr float kOnes[kPanel] = {1, 1, 1, 1, 1, 1, 1, 1};

/// Rows that stay in the cache while they meet one panel of outputs.
constexpr std::int64_t kRowBlock = 128;

PanelValue factor(float x) { return {Batch(x), Batch(x)}; }

/// dX = dY·W, panels of rows side by side as queries are in attention.
Status input_gradient(const LinearBackProblem& p) {
  Buffer<float> packed(p.outputs * kPanel);
  Buffer<float> mixed(p.inputs * kPanel);
  Buffer<float> rows(p.add ? p.inputs * kPanel : 0);
  if (!packed.ok() || !mixed.ok() || !rows.ok()) return Status::memory;
  for (std::int64_t row = 0; row < p.rows; row += kPanel) {
    const std::int64_t count = std::min<std::int64_t>(kPanel, p.rows - row);
    pack_rows(p.d_output + row * p.outputs, count, p.outputs, kOnes, packed.data());
    std::fill_n(mixed.data(), p.inputs * kPanel, 0.0F);
    mix_values<false>(packed.data(), p.outputs, p.weight, p.inputs, factor(1.0F), mixed.data());
    float* out = p.d_input + row * p.inputs;
    unpack_rows(mixed.data(), count, p.inputs, kOnes, p.add ? rows.data() : out);
    if (p.add) add_times(1.0F, rows.data(), count * p.inputs, out);
  }
  return Status::ok;
}

/// Columns first … first + kPanel − 1 of some rows of dY; 0 past the last.
void pack_columns(const LinearBackProblem& p, std::int64_t row, std::int64_t rows,
                  std::int64_t first, float* out /* (rows, kPanel) */) {
  const std::int64_t count = std::min<std::int64_t>(kPanel, p.outputs - first);
  for (std::int64_t r = 0; r < rows; ++r, out += kPanel) {
    const float* from = p.d_output + (row + r) * p.outputs + first;
    if (count == kPanel) {
      store(out, load(from));
      store(out + kLanes, load(from + kLanes));
    } else {
      std::copy_n(from, count, out);
      std::fill(out + count, out + kPanel, 0.0F);
    }
  }
}

/// dW += dYᵀ·X, panels of outputs side by side.
Status weight_gradient(const LinearBackProblem& p) {
  Buffer<float> packed(kRowBlock * kPanel);
  Buffer<float> mixed(p.inputs * kPanel);
  Buffer<float> sums(p.inputs * kPanel);
  if (!packed.ok() || !mixed.ok() || !sums.ok()) return Status::memory;
  for (std::int64_t first = 0; first < p.outputs; first += kPanel) {
    std::fill_n(mixed.data(), p.inputs * kPanel, 0.0F);
    for (std::int64_t row = 0; row < p.rows; row += kRowBlock) {
      const std::int64_t rows = std::min(kRowBlock, p.rows - row);
      pack_columns(p, row, rows, first, packed.data());
      mix_values<false>(packed.data(), rows, p.input + row * p.inputs, p.inputs, factor(1.0F),
                        mixed.data());
    }
    const std::int64_t count = std::min<std::int64_t>(kPanel, p.outputs - first);
    unpack_rows(mixed.data(), count, p.inputs, kOnes, sums.data());
    add_times(1.0F, sums.data(), count * p.inputs, p.d_weight + first * p.inputs);
  }
  return Status::ok;
}

}  // namespace

Status linear_back(const LinearBackProblem& p) {
  if (p.d_input != nullptr) {
    if (const Status s = input_gradient(p); s != Status::ok) return s;
  }
  if (p.d_weight != nullptr) {
    if (const Status s = weight_gradient(p); s != Status::ok) return s;
  }
  for (std::int64_t row = 0; p.d_bias != nullptr && row < p.rows; ++row) {
    add_times(1.0F, p.d_output + row * p.outputs, p.outputs, p.d_bias);
  }
  return Status::ok;
}

}  // namespace posenc
