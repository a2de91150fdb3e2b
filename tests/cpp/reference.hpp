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
  double embed_tolerance = 2e-7;  ///< Absolute.

  /// Radians per position of a pair; rotary_dim = 0 without rotation.
  std::function<double(std::int64_t pair)> frequency;
  std::int64_t rotary_dim = 0;
  PairLayout layout = PairLayout::half;
  /// What a turned pair is multiplied by (xPos); 1 when absent.
  std::function<double(Side side, std::int64_t position, std::int64_t pair)> magnitude;
  /// Replaces all that, for encodings that do more to a row than turning its pairs.
  std::function<std::vector<double>(Side side, int head, std::span<const float> row,
                                    std::int64_t position)>
      turn;
  /// Replaces all that and the product of a query and a key as well, for encodings that turn by
  /// more than the positions of each: q·k of the rows as they come in.
  std::function<double(std::span<const float> query, std::span<const float> key,
                       std::int64_t query_position, std::int64_t key_position)>
      product;
  /// Positions are 0 … tokens − 1, rows of data about tokens; 0 = any position.
  std::int64_t tokens = 0;

  bool turns() const { return rotary_dim > 0 || turn || product; }

  /// Terms added to q·k.
  std::function<double(int head, std::span<const double> query, std::span<const double> key,
                       std::int64_t query_position, std::int64_t key_position)>
      content;
  /// Terms of a whole row, added to its scaled scores, which are −infinity where hidden. Keys stand
  /// in the order of their positions.
  std::function<std::vector<double>(int head, std::span<const double> query,
                                    std::span<const double> scores)>
      row;
  /// A term of the scaled scores and the biases of all heads at one query and key, added to the
  /// score of a head.
  std::function<double(int head, std::span<const double> scores, std::span<const double> biases)>
      mix;
  /// Added to a column of a key's value.
  std::function<double(int head, std::int64_t query_position, std::int64_t key_position,
                       std::int64_t column)>
      value;
  std::function<double(int head, std::int64_t query_position, std::int64_t key_position)> bias;
  /// What the capped score is multiplied by before the bias is added.
  std::function<double(int head, std::int64_t query_position, std::int64_t key_position)> weight;
  std::function<double(int head, std::int64_t query_position)> scale;
  std::function<bool(int head, std::int64_t query_position, std::int64_t key_position)> visible;

  /// Adding a constant to all positions changes nothing.
  bool relative = true;
  /// Coordinates of a position that count.
  int axes = 1;
};

/// A row of a head turned to its position: each pair is a complex number, multiplied by
/// e^{i·position·frequency}.
std::vector<double> rotated(const Reference& reference, std::span<const float> row,
                            std::int64_t position, Side side = Side::query, int head = 0);

/// q·k after the query was turned by `distance` positions, which may be a fraction, in all pairs.
double turned_product(const Reference& reference, std::span<const float> query,
                      std::span<const float> key, double distance);

/// ALiBi's slopes, by the recursion of the authors' code.
std::vector<double> alibi_slopes(int heads);

/// base^(−i/denominator)
double power_frequency(double base, std::int64_t i, double denominator);

/// Sine and cosine of position·frequency in extended precision.
double sine(std::int64_t position, double frequency);
double cosine(std::int64_t position, double frequency);

}  // namespace posenc::test
