// The gated form of the hook `content`: positions are counted by gates (CoPE, Golovneva 2024).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace posenc {

/// σ(score); 0 for what is hidden, −infinity.
inline double gate(float score) { return 1.0 / (1.0 + std::exp(-static_cast<double>(score))); }

/// Where a sum of gates lies between the rows of a table: `part` of the way from `below` to
/// `above`. The last row is the limit.
struct GateCount {
  GateCount(double sum, std::int64_t last) {
    const auto limit = static_cast<double>(last);
    const double count = sum < limit ? sum : limit;  // NaN counts as the limit
    below = static_cast<std::int64_t>(count);
    above = std::min(below + 1, last);
    part = static_cast<float>(count - static_cast<double>(below));
  }

  std::int64_t below, above;
  float part;
};

/// One query's row of scores on the way back.
struct GatedRow {
  std::int64_t keys, rows;  // rows: those of the table e
  std::int64_t stride;      // numbers from a key to the next
  const float* scores;      // s: (keys), scaled, before the term; −infinity where hidden
  const float* by_count;    // q·e: (rows)
  const float* d_out;       // D, the gradient by s + term: (keys), 0 where hidden
};

/// The gradients of a query's scores with counted positions, x_n = s_n + a(p_n) with a = q·e
/// interpolated, p_n = min(Σ_{t ≥ n} g_t, rows − 1), g = σ(s), by what they are made of:
///   ∂s_n = D_n + g_n (1 − g_n) Σ_{t ≤ n} D_t · a'(p_t),
/// a' the difference of the two rows around p (0 at the last row), as every count up to n contains
/// the gate of n; and ∂a[r] = Σ_n D_n · (weight of row r in a(p_n)). Then, with f the factor that
/// scales q·k: ∂q += Σ_n f·∂s_n·k_n + Σ_r ∂a[r]·e[r], ∂k_n += f·∂s_n·q, and ∂e[r] += ∂a[r]·q,
/// which is ContentGrad::query_vectors.
///
/// Writes d_scores (keys, `stride` apart; not d_out) and adds to d_by_count (rows).
void gated_row_grad(const GatedRow& row, float* d_scores, float* d_by_count);

}  // namespace posenc
