#include "finite_differences.hpp"

#include <cmath>

namespace posenc::test {

namespace {

constexpr float kStep = 1.0F / 2048;

}  // namespace

void round_to_steps(std::vector<float>& numbers) {
  for (float& x : numbers) x = std::round(x / kStep) * kStep;
}

std::vector<double> central_differences(std::vector<float>& numbers,
                                        const std::function<double()>& loss) {
  std::vector<double> gradient;
  for (float& x : numbers) {
    const float before = x;
    const auto at = [&](float steps) {
      x = before + steps * kStep;
      return loss();
    };
    gradient.push_back((8 * (at(1) - at(-1)) - (at(2) - at(-2))) /
                       (12 * static_cast<double>(kStep)));
    x = before;
  }
  return gradient;
}

}  // namespace posenc::test
