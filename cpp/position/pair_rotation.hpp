// What encodings that turn pairs by a table have in common: which dimensions turn, how they pair,
// and the parameters that say so.
#pragma once

#include <cmath>

#include "position/registry.hpp"

namespace posenc {

/// The dimensions of a head that turn: [offset, offset + rotary_dim), in pairs.
struct PairShape {
  std::int64_t head_dim;
  std::int64_t rotary_dim;
  PairLayout layout;
  std::int64_t offset = 0;
};

/// The two dimensions of a pair.
struct Pair {
  std::int64_t first, second;
};

class PairRotation : public Encoding, public Rotate {
 public:
  explicit PairRotation(PairShape shape) : shape_(shape) {}
  const Rotate* rotate() const final { return this; }
  PairLayout layout() const final { return shape_.layout; }
  std::int64_t head_dim() const final { return shape_.head_dim; }
  std::int64_t rotary_dim() const final { return shape_.rotary_dim; }
  std::int64_t offset() const final { return shape_.offset; }

 protected:
  std::int64_t pairs() const { return shape_.rotary_dim / 2; }
  Pair pair(std::int64_t i) const {
    const std::int64_t part = pairs() / parts();
    const bool half = layout() == PairLayout::half;
    const std::int64_t first = shape_.offset + (half ? 2 * i - i % part : 2 * i);
    return {first, first + (half ? part : 1)};
  }

 private:
  PairShape shape_;
};

namespace rotary {

/// Multiplies a table by the attention factor.
inline void multiply(float* cos, float* sin, std::int64_t count, double attention_factor) {
  if (attention_factor == 1.0) return;
  const auto factor = static_cast<float>(attention_factor);
  for (std::int64_t i = 0; i < count; ++i) {
    cos[i] *= factor;
    sin[i] *= factor;
  }
}

inline constexpr const char* kLayouts[] = {"half", "interleaved"};

inline constexpr Parameter kHeadDim =
    Parameter::integer("headDim", 2, 4096, {"每个头的维数", "width of one head"}).required();
inline constexpr Parameter kRotaryDim = Parameter::integer(
    "rotaryDim", 2, 4096,
    {"参与旋转的前若干维，偶数", "leading dimensions that turn, an even number"});
inline constexpr Parameter kBase = Parameter::real("base", 1, 1e12,
                                                   {"底数：波长从 2π 增长到接近 2π·底数",
                                                    "wavelengths grow from 2π towards 2π·base"})
                                       .or_else(10000);
inline constexpr Parameter kLayout =
    Parameter::choice("layout", kLayouts, {"哪两维配成一对", "which dimensions form a pair"})
        .or_else(0);
inline constexpr Parameter kFrequencies =
    Parameter::doubles("frequencies", -1e6, 1e6,
                       {"每对的角频率（弧度每位置），代替由底数算出的",
                        "radians per position of each pair, instead of those made from base"});
inline constexpr Parameter kAttentionFactor =
    Parameter::real("attentionFactor", 1e-6, 1e6,
                    {"余弦和正弦共同乘上的因子", "what cosines and sines are multiplied by"})
        .or_else(1);

/// Fills in a rotary_dim that was not given (as wide as the frequencies, or the head) and checks
/// it. `parameter` is its index.
inline Fault derive_rotary_dim(double head_dim, double& rotary_dim, int parameter,
                               std::size_t frequencies = 0) {
  if (std::isnan(rotary_dim)) {
    rotary_dim =
        frequencies == 0 ? 2 * std::floor(head_dim / 2) : 2 * static_cast<double>(frequencies);
  }
  if (rotary_dim > head_dim) return {Status::parameter, parameter, "at most headDim"};
  if (std::fmod(rotary_dim, 2) != 0) return {Status::parameter, parameter, "an even number"};
  return {};
}

}  // namespace rotary

}  // namespace posenc
