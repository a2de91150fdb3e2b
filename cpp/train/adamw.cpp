#include "train/adamw.hpp"

#include <cmath>

#include "core/simd.hpp"

namespace posenc {

void adamw_step(const AdamW& o, std::int64_t step, const float* gradient, float factor,
                std::int64_t count, float* first, float* second, float* parameters) {
  const auto power = [step](float beta) {
    return 1.0 - std::pow(double{beta}, static_cast<double>(step));
  };
  // rate · (m / c1) / (√(v / c2) + ε) = rate·√c2/c1 · m / (√v + ε·√c2)
  const double root = std::sqrt(power(o.beta2));
  const auto rate = static_cast<float>(double{o.rate} * root / power(o.beta1));
  const auto epsilon = static_cast<float>(double{o.epsilon} * root);
  const float keep = 1.0F - o.rate * o.decay;
  const auto update = [&](auto g, auto& m, auto& v, auto& x, auto number, auto root_of) {
    g = g * number(factor);
    m = number(o.beta1) * m + number(1.0F - o.beta1) * g;
    v = number(o.beta2) * v + number(1.0F - o.beta2) * g * g;
    x = number(keep) * x - number(rate) * m / (root_of(v) + number(epsilon));
  };
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Batch m = load(first + i);
    Batch v = load(second + i);
    Batch x = load(parameters + i);
    update(
        load(gradient + i), m, v, x, [](float y) { return Batch(y); },
        [](Batch y) { return xsimd::sqrt(y); });
    store(first + i, m);
    store(second + i, v);
    store(parameters + i, x);
  }
  for (; i < count; ++i) {
    update(
        gradient[i], first[i], second[i], parameters[i], [](float y) { return y; },
        [](float y) { return std::sqrt(y); });
  }
}

double sum_of_squares(const float* x, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) sum += double{x[i]} * double{x[i]};
  return sum;
}

}  // namespace posenc
