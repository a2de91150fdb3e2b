#include "table.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <sstream>

namespace posenc::test {

namespace {

bool within(double x, double y, Tolerance tolerance) {
  if (std::isnan(y)) return std::isnan(x);
  if (std::isinf(y)) return x == y;
  return std::abs(x - y) <= tolerance.absolute + tolerance.relative * std::abs(y);
}

template <class Expected, class Same>
std::string compare(std::span<const float> actual, std::span<const Expected> expected, Same same) {
  std::ostringstream text;
  text.precision(9);
  if (actual.size() != expected.size()) {
    text << actual.size() << " numbers instead of " << expected.size();
    return text.str();
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (same(actual[i], expected[i])) continue;
    if (++count <= 3)
      text << "[" << i << "] " << actual[i] << " instead of " << expected[i] << "; ";
  }
  if (count > 0) text << count << " of " << actual.size() << " differ";
  return text.str();
}

}  // namespace

std::string differences(std::span<const float> actual, std::span<const double> expected,
                        Tolerance tolerance) {
  return compare(actual, expected, [&](float x, double y) { return within(x, y, tolerance); });
}

std::string differences(std::span<const float> actual, std::span<const float> expected,
                        Tolerance tolerance) {
  return compare(actual, expected, [&](float x, float y) { return within(x, y, tolerance); });
}

std::string bit_differences(std::span<const float> actual, std::span<const float> expected) {
  return compare(actual, expected, [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

std::vector<double> widen(std::span<const float> x) { return {x.begin(), x.end()}; }

std::vector<float> random_floats(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(count));
  for (float& value : x) value = normal(engine);
  return x;
}

std::vector<std::int32_t> count_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int32_t> x(static_cast<std::size_t>(count));
  for (std::int32_t& value : x) value = static_cast<std::int32_t>(first++);
  return x;
}

}  // namespace posenc::test
