#include "core/dot.hpp"

namespace posenc {

void add_times(float factor, const float* x, std::int64_t count, float* out) {
  const Batch factors(factor);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, load(out + i) + factors * load(x + i));
  for (; i < count; ++i) out[i] += factor * x[i];
}

void multiply(float factor, std::int64_t count, float* x) {
  const Batch factors(factor);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(x + i, load(x + i) * factors);
  for (; i < count; ++i) x[i] *= factor;
}

}  // namespace posenc
