#include "attention/backward_scales.hpp"

namespace posenc {

void ScaleGradient::add(const Operands& operands, int head, const Panel& panel,
                        const float* d_factors) const {
  const Scale* scale = p_.terms.scale;
  const std::int64_t entry = p_.query_scales.per_batch ? operands.entry() : 0;
  for (std::int64_t lane = 0; lane < panel.count; ++lane) {
    const std::int64_t token = panel.first + lane;
    const Positions query = operands.query_positions().from(token, 1);
    const std::int64_t row = entry * p_.queries + token;
    const float by_head = p_.head_scales == nullptr ? 1.0F : p_.head_scales[head];
    const float by_query = p_.query_scales.data == nullptr ? 1.0F : p_.query_scales.data[row];
    const float by_term = scale == nullptr ? 1.0F : scale->factor(head, query);
    const float d = p_.scale * d_factors[lane];
    if (scale != nullptr && !g_.scale.empty()) {
      scale->factor_grad(head, query, d * by_head * by_query, g_.scale);
    }
    if (g_.head_scales != nullptr) g_.head_scales[head] += d * by_query * by_term;
    if (g_.query_scales != nullptr) g_.query_scales[row] += d * by_head * by_term;
    if (g_.score_scale != nullptr) {
      *g_.score_scale += static_cast<double>(d_factors[lane] * by_head * by_query * by_term);
    }
  }
}

}  // namespace posenc
