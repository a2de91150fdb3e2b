// What the kernels should compute, in float64, written from the papers and independent of the
// kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "position/position.hpp"

namespace posenc::test {

/// What an encoding does at its hooks. A function that is absent = a hook that is not filled.
struct Reference {
  /// Column of the row of a position.
  std::function<double(std::int64_t position, std::int64_t column)> embed;

  /// Radians per position of a pair; rotary_dim = 0 without rotation.
  std::function<double(std::int64_t pair)> frequency;
  std::int64_t rotary_dim = 0;
  PairLayout layout = PairLayout::half;
  /// What a turned pair is multiplied by (xPos); 1 when absent.
  std::function<double(Side side, std::int64_t position, std::int64_t pair)> magnitude;

  /// Terms added to q·k.
  std::function<double(int head, std::span<const double> query, std::span<const double> key,
                       std::int64_t query_position, std::int64_t key_position)>
      content;
  std::function<double(int head, std::int64_t query_position, std::int64_t key_position)> bias;
  std::function<double(int head, std::int64_t query_position)> scale;
  std::function<bool(int head, std::int64_t query_position, std::int64_t key_position)> visible;
};

/// A row of a head turned to its position: each pair is a complex number, multiplied by
/// e^{i·position·frequency}.
std::vector<double> rotated(const Reference& reference, std::span<const float> row,
                            std::int64_t position, Side side = Side::query);

/// ALiBi's slopes, by the recursion of the authors' code.
std::vector<double> alibi_slopes(int heads);

/// base^(−i/denominator)
double power_frequency(double base, std::int64_t i, double denominator);

/// Sine and cosine of position·frequency in extended precision.
double sine(std::int64_t position, double frequency);
double cosine(std::int64_t position, double frequency);

}  // namespace posenc::test
