// Elementary functions over SIMD registers. Polynomials are minimax fits (Remez, relative error)
// made for this file.
#pragma once

#include <limits>

#include "core/simd.hpp"

namespace posenc {

namespace detail {

/// Adding and subtracting 1.5·2^23 rounds a float below 2^22 to the nearest integer, which the
/// sum's low bits hold.
inline constexpr float kRoundFloat = 12582912.0F;
/// The same for double: 1.5·2^52.
inline constexpr double kRoundDouble = 6755399441055744.0;

/// What HoistedExp works with, in the order of its members.
extern const float kExpConstants[10];

/// 2^n from a float that kRoundFloat was added to, -126 ≤ n ≤ 127.
inline Batch power_of_two(Batch shifted) {
  return from_bits((bits(shifted) << 23) + IntBatch(127 << 23));
}

}  // namespace detail

/// e^x for x < 88; 0 below -87.7 (no denormals); NaN stays NaN. Relative error ≤ 2e-7 + 8e-8·|x|,
/// the way of softmax: weights near 1 are exact to 2 ulp. For loops: the constants are loaded once,
/// where WebAssembly engines would spend several instructions on each at every use.
class HoistedExp {
 public:
  HoistedExp() {
    for (int i = 0; i < 10; ++i) constants_[i] = Batch(detail::kExpConstants[i]);
  }

  Batch operator()(Batch x) const {
    const auto& [lowest, log2e, round, c6, c5, c4, c3, c2, c1, c0] = constants_;
    const Batch d = at_least(x, lowest);
    // The low bits of the sum are the exponent field of 2^n, n the nearest integer to d·log2(e).
    const Batch shifted = fma(d, log2e, round);
    const Batch f = fma(d, log2e, round - shifted);
    Batch p = fma(c6, f, c5);
    p = fma(p, f, c4);
    p = fma(p, f, c3);
    p = fma(p, f, c2);
    p = fma(p, f, c1);
    p = fma(p, f, c0);
    return p * from_bits(bits(shifted) << 23);
  }

 private:
  Batch constants_[10];
};

/// e^x; 0 below -87.3, infinity above 88.3; NaN stays NaN. Error ≤ 2 ulp.
inline Batch exp(Batch x) {
  const Batch shifted = fma(x, Batch(1.44269504F), Batch(detail::kRoundFloat));
  const Batch n = shifted - Batch(detail::kRoundFloat);
  // ln 2 in two parts: n times the first one is exact.
  Batch r = fma(n, Batch(-0.693359375F), x);
  r = fma(n, Batch(2.12194440e-4F), r);
  Batch p(1.4061762e-3F);
  p = fma(p, r, Batch(8.3791493e-3F));
  p = fma(p, r, Batch(4.1664766e-2F));
  p = fma(p, r, Batch(1.6666364e-1F));
  p = fma(p, r, Batch(5.0000004e-1F));
  p = fma(p, r, Batch(1.0000000F));
  p = fma(p, r, Batch(1.0F));
  const Batch y = p * detail::power_of_two(shifted);
  const Batch high = select(x > Batch(88.3F), Batch(std::numeric_limits<float>::infinity()), y);
  return select(x < Batch(-87.3F), Batch(0.0F), high);
}

/// Hyperbolic tangent; NaN stays NaN. Error ≤ 3 ulp.
inline Batch tanh(Batch x) {
  const Batch z = x * x;
  Batch p(-5.7049900e-3F);
  p = fma(p, z, Batch(2.0639090e-2F));
  p = fma(p, z, Batch(-5.3739726e-2F));
  p = fma(p, z, Batch(1.3331442e-1F));
  p = fma(p, z, Batch(-3.3333282e-1F));
  const Batch near_zero = fma(p * z, x, x);
  const Batch magnitude = xsimd::abs(x);
  const Batch tail = Batch(1.0F) - Batch(2.0F) / (exp(magnitude + magnitude) + Batch(1.0F));
  return select(magnitude > Batch(0.625F), xsimd::copysign(tail, x), near_zero);
}

struct SinCos {
  Batch sin, cos;
};

namespace detail {

/// Two registers of angles in quarter turns: the nearest whole ones and what is left, |r| ≤ 1/2.
struct QuarterTurns {
  QuarterTurns(DoubleBatch low, DoubleBatch high) {
    const DoubleBatch round(kRoundDouble);
    const DoubleBatch shifted_low = low + round;
    const DoubleBatch shifted_high = high + round;
    r_low = low - (shifted_low - round);
    r_high = high - (shifted_high - round);
    quadrant = low_words(shifted_low, shifted_high);
  }

  /// From the sine and cosine of r to those of the angle.
  SinCos unfold(Batch s, Batch c) const {
    const IntBatch one(1);
    const BoolBatch swapped = as_float_mask((quadrant & one) == one);
    const IntBatch sign_sin = (quadrant & IntBatch(2)) << 30;
    const IntBatch sign_cos = ((quadrant + one) & IntBatch(2)) << 30;
    return {from_bits(bits(select(swapped, c, s)) ^ sign_sin),
            from_bits(bits(select(swapped, s, c)) ^ sign_cos)};
  }

  DoubleBatch r_low, r_high;
  IntBatch quadrant;
};

/// Sine of |r| ≤ 1/2 quarter turns (error of the polynomial 2.3e-9).
inline DoubleBatch sin_fraction(DoubleBatch r, DoubleBatch z /* r² */) {
  DoubleBatch s(-0.004601657887170131);
  s = fma(s, z, DoubleBatch(0.07968003276849152));
  s = fma(s, z, DoubleBatch(-0.6459634602331946));
  s = fma(s, z, DoubleBatch(1.5707963217083407));
  return s * r;
}

/// Cosine of the same (error of the polynomial 5.4e-11).
inline DoubleBatch cos_fraction(DoubleBatch z) {
  DoubleBatch c(9.040216715304063e-4);
  c = fma(c, z, DoubleBatch(-0.020860288508688873));
  c = fma(c, z, DoubleBatch(0.2536692440300211));
  c = fma(c, z, DoubleBatch(-1.2337005433534867));
  return fma(c, z, DoubleBatch(1.0));
}

}  // namespace detail

/// Sine and cosine of an angle given in float64 quarter turns (two registers for one of float): the
/// whole turns are taken off exactly and only the results are rounded. Absolute error ≤ 1.2e-7 for
/// |angle| < 2^31.
inline SinCos sincos(DoubleBatch low, DoubleBatch high) {
  const detail::QuarterTurns turns(low, high);
  const Batch r = narrow(turns.r_low, turns.r_high);
  const Batch z = r * r;
  Batch s(-4.6843534e-3F);
  s = fma(s, z, Batch(7.9712010e-2F));
  s = fma(s, z, Batch(-6.4596661e-1F));
  s = fma(s * z, r, r * Batch(1.5707964F));
  Batch c(9.0373526e-4F);
  c = fma(c, z, Batch(-2.0860152e-2F));
  c = fma(c, z, Batch(2.5366922e-1F));
  c = fma(c, z, Batch(-1.2337005F));
  c = fma(c, z, Batch(1.0F));
  return turns.unfold(s, c);
}

/// The same with float64 polynomials, half as fast: error ≤ 3.5e-8 for |angle| < 2^24.
inline SinCos precise_sincos(DoubleBatch low, DoubleBatch high) {
  const detail::QuarterTurns turns(low, high);
  const DoubleBatch z_low = turns.r_low * turns.r_low;
  const DoubleBatch z_high = turns.r_high * turns.r_high;
  return turns.unfold(
      narrow(detail::sin_fraction(turns.r_low, z_low), detail::sin_fraction(turns.r_high, z_high)),
      narrow(detail::cos_fraction(z_low), detail::cos_fraction(z_high)));
}

}  // namespace posenc
