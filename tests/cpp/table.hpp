// Comparing arrays, with a text that says where they differ.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "core/status.hpp"

namespace posenc {

/// Lets doctest print a status by its name.
inline std::ostream& operator<<(std::ostream& out, Status status) {
  return out << kStatusNames[static_cast<int>(status)];
}

namespace test {

/// What results are filled with beforehand, so that what is not written shows.
inline constexpr float kUnwritten = 12345.0F;

/// |x − y| ≤ absolute + relative·|y|; the defaults are the project's bounds against float64.
struct Tolerance {
  double absolute = 2e-6;
  double relative = 2e-5;
};

/// Where `actual` leaves the tolerance, or "" when nowhere: `CHECK(differences(a, b) == "")`. NaN
/// equals NaN alone, infinities themselves alone.
std::string differences(std::span<const float> actual, std::span<const double> expected,
                        Tolerance tolerance = {});
std::string differences(std::span<const float> actual, std::span<const float> expected,
                        Tolerance tolerance = {});

/// Equal bits (of numbers: 0 and −0 differ).
std::string bit_differences(std::span<const float> actual, std::span<const float> expected);

std::vector<double> widen(std::span<const float> x);

/// Normal numbers of the standard library's generator, which has nothing to do with
/// core/random.hpp.
std::vector<float> random_floats(std::int64_t count, unsigned seed);

/// first, first + 1, … (count numbers)
std::vector<std::int32_t> count_from(std::int64_t first, std::int64_t count);

/// The part [first, first + count) of a vector.
template <class T>
std::span<const T> part(const std::vector<T>& x, std::int64_t first, std::int64_t count) {
  return std::span<const T>(x).subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(count));
}

/// A copy of numbers that starts `offset` floats after an aligned address.
class Unaligned {
 public:
  Unaligned(std::span<const float> x, int offset)
      : offset_(static_cast<std::size_t>(offset)), data_(offset_, 0.0F) {
    data_.insert(data_.end(), x.begin(), x.end());
  }
  float* data() { return data_.data() + offset_; }
  std::span<const float> values() const { return std::span(data_).subspan(offset_); }

 private:
  std::size_t offset_;
  std::vector<float> data_;
};

}  // namespace test
}  // namespace posenc
