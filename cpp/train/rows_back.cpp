#include "train/rows_back.hpp"

#include <algorithm>
#include <cmath>

#include "core/dot.hpp"
#include "core/math.hpp"

namespace posenc {

namespace {

/// out = f(x, d), whole registers at a time.
template <class F>
void apply(const float* x, const float* d, std::int64_t count, float* out, F f) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, f(load(x + i), load(d + i)));
  if (i == count) return;
  float rest_x[kLanes] = {};
  float rest_d[kLanes] = {};
  std::copy(x + i, x + count, rest_x);
  std::copy(d + i, d + count, rest_d);
  store(rest_d, f(load(rest_x), load(rest_d)));
  std::copy_n(rest_d, count - i, out + i);
}

Batch silu_back(Batch x, Batch d) {
  const Batch one(1.0F);
  const Batch sigmoid = one / (one + exp(Batch(0.0F) - x));
  return d * sigmoid * (one + x * (one - sigmoid));
}

Batch gelu_tanh_back(Batch x, Batch d) {
  const Batch one(1.0F);
  const Batch factor(0.79788456F);
  const Batch square = x * x;
  const Batch t = tanh(factor * fma(square * x, Batch(0.044715F), x));
  const Batch inner = factor * fma(square, Batch(3.0F * 0.044715F), one);
  return d * Batch(0.5F) * ((one + t) + x * (one - t * t) * inner);
}

/// Turns a row of logits into probabilities; returns −ln of the target's.
double softmax_row(float* row, std::int64_t classes, std::int32_t target) {
  const float most = *std::max_element(row, row + classes);
  const float own = row[target];
  const Batch shift(most);
  const HoistedExp exp;
  double sum = 0.0;
  std::int64_t i = 0;
  for (; i + kLanes <= classes; i += kLanes) {
    store(row + i, exp(load(row + i) - shift));
    for (int lane = 0; lane < kLanes; ++lane) sum += double{row[i + lane]};
  }
  for (; i < classes; ++i) {
    row[i] = std::exp(row[i] - most);
    sum += double{row[i]};
  }
  multiply(static_cast<float>(1.0 / sum), classes, row);
  return std::log(sum) - (double{own} - double{most});
}

}  // namespace

void normalize_back(const Norm& norm, const float* x, const float* d_out, std::int64_t rows,
                    std::int64_t width, float* d_x, float* d_weight, float* d_bias) {
  const auto weight = [&](std::int64_t i) {
    return norm.weight == nullptr ? 1.0F : norm.weight[i];
  };
  for (std::int64_t row = 0; row < rows; ++row, x += width, d_out += width, d_x += width) {
    const auto [mean, factor] = row_scale(norm, x, width);
    // Means of the gradient by the normalised row, and of that times the row.
    double sum = 0.0;
    double products = 0.0;
    for (std::int64_t i = 0; i < width; ++i) {
      const float normed = (x[i] - mean) * factor;
      const double d = double{d_out[i]} * double{weight(i)};
      sum += d;
      products += d * double{normed};
      if (d_weight != nullptr) d_weight[i] += d_out[i] * normed;
      if (d_bias != nullptr) d_bias[i] += d_out[i];
    }
    const auto count = static_cast<double>(width);
    const float shared = norm.kind == NormKind::layer ? static_cast<float>(sum / count) : 0.0F;
    const auto along = static_cast<float>(products / count);
    for (std::int64_t i = 0; i < width; ++i) {
      const float normed = (x[i] - mean) * factor;
      d_x[i] += factor * (d_out[i] * weight(i) - shared - normed * along);
    }
  }
}

void activate_back(Activation f, const float* x, const float* d_out, std::int64_t count,
                   float* d_x) {
  switch (f) {
    case Activation::silu:
      return apply(x, d_out, count, d_x, silu_back);
    case Activation::gelu_tanh:
      return apply(x, d_out, count, d_x, gelu_tanh_back);
    case Activation::relu:
      return apply(x, d_out, count, d_x,
                   [](Batch v, Batch d) { return select(v > Batch(0.0F), d, Batch(0.0F)); });
    case Activation::gelu:
      for (std::int64_t i = 0; i < count; ++i) {
        const float cumulated = 0.5F * (1.0F + std::erf(x[i] * 0.70710678F));
        const float density = 0.39894228F * std::exp(-0.5F * x[i] * x[i]);
        d_x[i] = d_out[i] * (cumulated + x[i] * density);
      }
  }
}

double cross_entropy(float* logits, const std::int32_t* targets, const float* weights,
                     std::int64_t rows, std::int64_t classes) {
  const auto weight = [&](std::int64_t row) { return weights == nullptr ? 1.0F : weights[row]; };
  double all = 0.0;
  for (std::int64_t row = 0; row < rows; ++row) all += double{weight(row)};
  double loss = 0.0;
  for (std::int64_t row = 0; row < rows; ++row, logits += classes) {
    if (all == 0.0 || weight(row) == 0.0F) {
      std::fill_n(logits, classes, 0.0F);
      continue;
    }
    const double share = double{weight(row)} / all;
    loss += share * softmax_row(logits, classes, targets[row]);
    logits[targets[row]] -= 1.0F;
    multiply(static_cast<float>(share), classes, logits);
  }
  return loss;
}

}  // namespace posenc
