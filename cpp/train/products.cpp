#include "train/products.hpp"

#include <algorithm>

#include "attention/kernels.hpp"
#include "core/buffer.hpp"
#include "core/dot.hpp"

namespace posenc {

namespace {

constexpr float kOnes[kPanel] = {1, 1, 1, 1, 1, 1, 1, 1};
constexpr float kZeros[kPanel] = {};

/// Products of a sum that are taken in at once: what they need of both sides stays in the cache.
constexpr std::int64_t kDepth = 256;

/// out[c][r] = x[r][c]
void turn(const float* x /* (rows, columns) */, std::int64_t rows, std::int64_t columns,
          float* out /* (columns, rows) */) {
  std::int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes) {
    std::int64_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) {
      Batch square[kLanes];
      for (int i = 0; i < kLanes; ++i) square[i] = load(x + (r + i) * columns + c);
      transpose(square);
      for (int i = 0; i < kLanes; ++i) store(out + (c + i) * rows + r, square[i]);
    }
    for (; c < columns; ++c) {
      for (int i = 0; i < kLanes; ++i) out[c * rows + r + i] = x[(r + i) * columns + c];
    }
  }
  for (; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) out[c * rows + r] = x[r * columns + c];
  }
}

/// dX = dY·W: panels of rows of dY meet the columns of W, which are turned to lie like keys.
Status input_gradient(const LinearBackProblem& p) {
  const std::int64_t most = std::min(kDepth, p.outputs);
  Buffer<float> turned(most * p.inputs);
  Buffer<float> packed(most * kPanel);
  Buffer<float> tile(p.inputs * kPanel);
  Buffer<float> rows(p.inputs * kPanel);
  if (!turned.ok() || !packed.ok() || !tile.ok() || !rows.ok()) return Status::memory;
  for (std::int64_t first = 0; first < p.outputs; first += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.outputs - first);
    const bool add = p.add || first > 0;
    turn(p.weight + first * p.inputs, depth, p.inputs, turned.data());
    for (std::int64_t row = 0; row < p.rows; row += kPanel) {
      const std::int64_t count = std::min<std::int64_t>(kPanel, p.rows - row);
      pack_rows(p.d_output + row * p.outputs + first, count, depth, kOnes, packed.data(),
                p.outputs);
      dot_keys(turned.data(), p.inputs, depth, packed.data(), kZeros, 0, tile.data());
      float* out = p.d_input + row * p.inputs;
      unpack_rows(tile.data(), count, p.inputs, kOnes, add ? rows.data() : out);
      if (add) add_times(1.0F, rows.data(), count * p.inputs, out);
    }
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

/// dW += dYᵀ·X: panels of columns of dY meet the columns of X, turned like those of W above.
Status weight_gradient(const LinearBackProblem& p) {
  const std::int64_t panels = (p.outputs + kPanel - 1) / kPanel;
  const std::int64_t size = p.inputs * kPanel;
  Buffer<float> turned(kDepth * p.inputs);
  Buffer<float> packed(kDepth * kPanel);
  Buffer<float> sums(panels * size);
  Buffer<float> rows(size);
  if (!turned.ok() || !packed.ok() || !sums.ok() || !rows.ok()) return Status::memory;
  std::fill_n(sums.data(), panels * size, 0.0F);
  for (std::int64_t row = 0; row < p.rows; row += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.rows - row);
    turn(p.input + row * p.inputs, depth, p.inputs, turned.data());
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      pack_columns(p, row, depth, panel * kPanel, packed.data());
      float* sum = sums.data() + panel * size;
      dot_keys(turned.data(), p.inputs, depth, packed.data(), sum, kPanel, sum);
    }
  }
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const std::int64_t first = panel * kPanel;
    const std::int64_t count = std::min<std::int64_t>(kPanel, p.outputs - first);
    unpack_rows(sums.data() + panel * size, count, p.inputs, kOnes, rows.data());
    add_times(1.0F, rows.data(), count * p.inputs, p.d_weight + first * p.inputs);
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
