// A seeded random stream, the same in the native build, in Node and in every browser.
#pragma once

#include <cstdint>

namespace posenc {

/// Counter-based generator: number i of the stream depends on the seed and i alone, so that any
/// part of it can be made anywhere. The mixing function is SplitMix64 (Steele, Lea and Flood 2014,
/// "Fast splittable pseudorandom number generators").
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t skip = 0) : key_(mix(seed)), next_(skip) {}

  /// 64 uniform bits.
  std::uint64_t bits() { return mix(key_ + kStep * ++next_); }

  /// Uniform in [0, 1), a multiple of 2^-24.
  float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }

  /// Standard normal: the sum of the eight 16-bit halves of two draws, corrected to the normal
  /// quantiles by the Cornish-Fisher term for its kurtosis. Integer sums and three multiplications,
  /// no library function, hence the same bits everywhere; standard
  /// deviation 0.9992, |x| < 5.6.
  float normal() {
    const std::uint64_t a = bits();
    const std::uint64_t b = bits();
    std::int32_t sum = 0;
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int32_t>((a >> shift) & 0xFFFF);
      sum += static_cast<std::int32_t>((b >> shift) & 0xFFFF);
    }
    // Eight uniforms have variance 8·(2^32 − 1)/12 = 53509.9199² and excess kurtosis −1.2/8.
    const double x = (static_cast<double>(sum) - 4.0 * 65535.0) * (1.0 / 53509.9199);
    return static_cast<float>(x + (x * x * x - 3.0 * x) * (0.15 / 24.0));
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;

  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
  std::uint64_t next_;
};

}  // namespace posenc
