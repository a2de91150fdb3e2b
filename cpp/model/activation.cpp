#include "model/activation.hpp"

#include <algorithm>
#include <cmath>

#include "core/math.hpp"

namespace posenc {

namespace {

/// out = f(x), whole registers at a time.
template <class F>
void apply(const float* x, std::int64_t count, float* out, F f) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, f(load(x + i)));
  if (i == count) return;
  float rest[kLanes] = {};
  std::copy(x + i, x + count, rest);
  store(rest, f(load(rest)));
  std::copy_n(rest, count - i, out + i);
}

Batch silu(Batch x) { return x / (Batch(1.0F) + exp(Batch(0.0F) - x)); }

Batch gelu_tanh(Batch x) {
  // √(2/π) and the factor of the cube.
  const Batch inner = Batch(0.79788456F) * fma(x * x * x, Batch(0.044715F), x);
  return Batch(0.5F) * x * (Batch(1.0F) + tanh(inner));
}

}  // namespace

void activate(Activation f, const float* x, std::int64_t count, float* out) {
  switch (f) {
    case Activation::silu:
      return apply(x, count, out, silu);
    case Activation::gelu_tanh:
      return apply(x, count, out, gelu_tanh);
    case Activation::relu:
      return apply(x, count, out, [](Batch v) { return at_least(v, Batch(0.0F)); });
    case Activation::gelu:
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = 0.5F * x[i] * (1.0F + std::erf(x[i] * 0.70710678F));
      }
  }
}

void multiply_by(const float* y, std::int64_t count, float* x) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(x + i, load(x + i) * load(y + i));
  for (; i < count; ++i) x[i] *= y[i];
}

}  // namespace posenc
