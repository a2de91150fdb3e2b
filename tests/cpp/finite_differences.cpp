#include "finite_differences.hpp"

#include <cmath>

namespace posenc::test {

namespace {

constexpr float kStep = 1.0F / 2048;

}  // namespace

void round_to_steps(std::vector<float>& numbers) {
  for (float& x : numbers) x = std::round(x / kStep) * kStep;
}

double central_difference(std::vector<float>& numbers, std::size_t i,
                          const std::function<double()>& loss) {
  const float before = numbers[i];
  const auto at = [&](float steps) {
    numbers[i] = before + steps * kStep;
    return loss();
  };
  const double slope =
      (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * static_cast<double>(kStep));
  numbers[i] = before;
  return slope;
}

std::vector<double> central_differences(std::vector<float>& numbers,
                                        const std::function<double()>& loss) {
  std::vector<double> gradient;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    gradient.push_back(central_difference(numbers, i, loss));
  }
  return gradient;
}

}  // namespace posenc::test
