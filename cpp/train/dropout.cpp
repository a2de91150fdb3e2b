#include "train/dropout.hpp"

#include "core/random.hpp"

namespace posenc {

void drop(const Dropout& dropout, std::uint64_t place, std::int64_t count, float* x) {
  if (dropout.rate == 0.0F) return;
  Random random(dropout.seed, place << 40);
  const float kept = 1.0F / (1.0F - dropout.rate);
  for (std::int64_t i = 0; i < count; ++i) x[i] *= random.uniform() < dropout.rate ? 0.0F : kept;
}

}  // namespace posenc
