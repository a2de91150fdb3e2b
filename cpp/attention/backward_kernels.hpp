// The inner loops of the way back.
#pragma once

#include <cstdint>

#include "attention/kernels.hpp"

namespace posenc {

/// Weights of panels against the same keys or rows of a table, and the rows of numbers that belong
/// to the queries.
struct PanelRows {
  const float* weights;  // (panels, …, kPanel), `stride` numbers from panel to panel
  std::int64_t stride;
  const float* rows;   // (panels, kPanel, width)
  const bool* active;  // (panels): others have weight 0
  std::int64_t panels;
};

/// out[r] += Σ_m weight[r][m] · row[m], m all queries of the panels, for `Rows` rows and
/// `Registers` registers of columns from `column`. `Careful` skips weight 0, whatever its row
/// holds.
template <int Rows, int Registers, bool Careful>
inline void gather_tile(const PanelRows& from, std::int64_t first, std::int64_t column,
                        std::int64_t width, float* out) {
  Batch sums[Rows][Registers];
  for (int r = 0; r < Rows; ++r) {
    for (int c = 0; c < Registers; ++c) {
      sums[r][c] = load(out + (first + r) * width + column + c * kLanes);
    }
  }
  for (std::int64_t i = 0; i < from.panels; ++i) {
    if (!from.active[i]) continue;
    const float* weights = from.weights + i * from.stride + first * kPanel;
    const float* row = from.rows + i * kPanel * width + column;
    for (const float* end = weights + kPanel; weights != end; ++weights, row += width) {
      Batch x[Registers];
      for (int c = 0; c < Registers; ++c) x[c] = load(row + c * kLanes);
      for (int r = 0; r < Rows; ++r) {
        const float weight = weights[r * kPanel];
        if (Careful && weight == 0.0F) continue;
        const Batch w(weight);
        for (int c = 0; c < Registers; ++c) sums[r][c] = fma(w, x[c], sums[r][c]);
      }
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int c = 0; c < Registers; ++c) {
      store(out + (first + r) * width + column + c * kLanes, sums[r][c]);
    }
  }
}

/// The same for one row and the last columns, which fill no register.
inline void gather_rest(const PanelRows& from, std::int64_t row, std::int64_t column,
                        std::int64_t width, float* out) {
  for (; column < width; ++column) {
    float sum = out[row * width + column];
    for (std::int64_t i = 0; i < from.panels; ++i) {
      if (!from.active[i]) continue;
      const float* weights = from.weights + i * from.stride + row * kPanel;
      for (int lane = 0; lane < kPanel; ++lane) {
        if (weights[lane] == 0.0F) continue;
        sum += weights[lane] * from.rows[(i * kPanel + lane) * width + column];
      }
    }
    out[row * width + column] = sum;
  }
}

template <int Rows, bool Careful>
inline void gather_rows(const PanelRows& from, std::int64_t first, std::int64_t width, float* out) {
  std::int64_t column = 0;
  for (; column + 2 * kLanes <= width; column += 2 * kLanes) {
    gather_tile<Rows, 2, Careful>(from, first, column, width, out);
  }
  if (column + kLanes <= width) {
    gather_tile<Rows, 1, Careful>(from, first, column, width, out);
    column += kLanes;
  }
  for (int r = 0; r < Rows; ++r) gather_rest(from, first + r, column, width, out);
}

template <bool Careful>
inline void gather(const PanelRows& from, std::int64_t count, std::int64_t width,
                   float* out /* (count, width) */) {
  in_tiles(count, [&]<int Rows>(std::int64_t n, std::integral_constant<int, Rows>) {
    gather_rows<Rows, Careful>(from, n, width, out);
  });
}

/// out[n] += Σ_m weight[n][m] · row[m] for `count` keys.
inline void gather(const PanelRows& from, bool careful, std::int64_t count, std::int64_t width,
                   float* out /* (count, width) */) {
  if (careful) {
    gather<true>(from, count, width, out);
  } else {
    gather<false>(from, count, width, out);
  }
}

/// Gradients by logits from those by weights, in place: weight · (d_weight − Σ weight · d_weight),
/// the sum being `delta`; 0 for weight 0, whatever its d_weight.
inline void softmax_grad(const float* weight /* (count, kPanel) */, std::int64_t count,
                         const float* delta /* (kPanel) */, float* d /* (count, kPanel) */) {
  for (int half = 0; half < kPanel; half += kLanes) {
    const Batch sum = load(delta + half);
    for (std::int64_t i = half; i < count * kPanel; i += kPanel) {
      const Batch w = load(weight + i);
      store(d + i, select(w == Batch(0.0F), Batch(0.0F), w * (load(d + i) - sum)));
    }
  }
}

/// Gradients by scores from those by c·tanh(score/c), in place; 0 stays 0.
inline void softcap_grad(const float* capped /* (count, kPanel) */, float cap, std::int64_t count,
                         float* d /* (count, kPanel) */) {
  for (std::int64_t i = 0; i < count * kPanel; i += kLanes) {
    const Batch t = load(capped + i) / Batch(cap);
    const Batch before = load(d + i);
    store(d + i, select(before == Batch(0.0F), before, before * (Batch(1.0F) - t * t)));
  }
}

}  // namespace posenc
