#include "reference.hpp"

#include <cmath>
#include <complex>

namespace posenc::test {

std::vector<double> rotated(const Reference& reference, std::span<const float> row,
                            std::int64_t position, Side side, int head) {
  if (reference.turn) return reference.turn(side, head, row, position);
  std::vector<double> out(row.begin(), row.end());
  const std::int64_t pairs = reference.rotary_dim / 2;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const bool half = reference.layout == PairLayout::half;
    const auto a = static_cast<std::size_t>(half ? i : 2 * i);
    const auto b = static_cast<std::size_t>(half ? i + pairs : 2 * i + 1);
    const double frequency = reference.frequency(i);
    const std::complex<double> turn(cosine(position, frequency), sine(position, frequency));
    const double magnitude = reference.magnitude ? reference.magnitude(side, position, i) : 1.0;
    const auto z = std::complex<double>(row[a], row[b]) * turn * magnitude;
    out[a] = z.real();
    out[b] = z.imag();
  }
  return out;
}

double turned_product(const Reference& reference, std::span<const float> query,
                      std::span<const float> key, double distance) {
  const auto pairs = static_cast<std::size_t>(reference.rotary_dim / 2);
  const bool half = reference.layout == PairLayout::half;
  long double sum = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t a = half ? i : 2 * i;
    const std::size_t b = half ? i + pairs : 2 * i + 1;
    const double frequency = reference.frequency(static_cast<std::int64_t>(i));
    const long double angle =
        static_cast<long double>(distance) * static_cast<long double>(frequency);
    const std::complex<long double> q(query[a], query[b]);
    const std::complex<long double> k(key[a], key[b]);
    sum += std::real(q * std::polar(1.0L, angle) * std::conj(k));
  }
  for (std::size_t d = 2 * pairs; d < query.size(); ++d) {
    sum += static_cast<long double>(query[d]) * static_cast<long double>(key[d]);
  }
  return static_cast<double>(sum);
}

std::vector<double> alibi_slopes(int heads) {
  const double log = std::log2(static_cast<double>(heads));
  if (log == std::floor(log)) {
    const double start = std::pow(2.0, -std::pow(2.0, -(log - 3)));
    std::vector<double> slopes;
    for (int i = 0; i < heads; ++i) slopes.push_back(start * std::pow(start, i));
    return slopes;
  }
  const int closest = static_cast<int>(std::pow(2.0, std::floor(log)));
  std::vector<double> slopes = alibi_slopes(closest);
  const std::vector<double> twice = alibi_slopes(2 * closest);
  for (int i = 0; i < heads - closest; ++i)
    slopes.push_back(twice[static_cast<std::size_t>(2 * i)]);
  return slopes;
}

double power_frequency(double base, std::int64_t i, double denominator) {
  const long double exponent = -static_cast<long double>(i) / static_cast<long double>(denominator);
  return static_cast<double>(std::pow(static_cast<long double>(base), exponent));
}

double sine(std::int64_t position, double frequency) {
  const auto angle = static_cast<long double>(position) * static_cast<long double>(frequency);
  return static_cast<double>(std::sin(angle));
}

double cosine(std::int64_t position, double frequency) {
  const auto angle = static_cast<long double>(position) * static_cast<long double>(frequency);
  return static_cast<double>(std::cos(angle));
}

}  // namespace posenc::test
