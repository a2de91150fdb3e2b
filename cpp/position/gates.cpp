#include "position/gates.hpp"

namespace posenc {

void gated_row_grad(const GatedRow& row, float* d_scores, float* d_by_count) {
  double sum = 0.0;
  for (std::int64_t i = (row.keys - 1) * row.stride; i >= 0; i -= row.stride) {
    sum += gate(row.scores[i]);
    const GateCount count(sum, row.rows - 1);
    const float d = row.d_out[i];
    d_by_count[count.below] += d * (1.0F - count.part);
    d_by_count[count.above] += d * count.part;
    d_scores[i] = d * (row.by_count[count.above] - row.by_count[count.below]);
  }
  double by_counts = 0.0;
  for (std::int64_t i = 0; i < row.keys * row.stride; i += row.stride) {
    by_counts += d_scores[i];
    const double g = gate(row.scores[i]);
    // A closed gate hides its key from all, be they NaN.
    d_scores[i] = row.d_out[i];
    if (g != 0.0) d_scores[i] += static_cast<float>(g * (1.0 - g) * by_counts);
  }
}

}  // namespace posenc
