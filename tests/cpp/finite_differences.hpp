// Gradients by finite differences of losses that float64 references compute.
#pragma once

#include <functional>
#include <vector>

#include "table.hpp"

namespace posenc::test {

/// The project's bounds of gradients against float64.
inline constexpr Tolerance kGradientBounds = {1e-5, 1e-4};

/// Rounds numbers so that `central_differences` can move them by exact steps.
void round_to_steps(std::vector<float>& numbers);

/// The gradient of a loss by numbers that it reads (rounded to steps, below 1000), by central
/// differences of fourth order.
std::vector<double> central_differences(std::vector<float>& numbers,
                                        const std::function<double()>& loss);

/// The same by number `i` alone.
double central_difference(std::vector<float>& numbers, std::size_t i,
                          const std::function<double()>& loss);

}  // namespace posenc::test
