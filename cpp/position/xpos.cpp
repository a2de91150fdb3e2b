// xPos (Sun 2022, "A Length-Extrapolatable Transformer"): RoPE whose pair i of a query
// at m also grows by ζ_i^((m − c)/B) while that of a key at n shrinks by ζ_i^(−(n − c)/B), so that
// a product decays by ζ_i^((m − n)/B). ζ_i = (2i/rotary_dim + γ)/(1 + γ), γ = 0.4, B = 512: for
// causal attention, since ζ < 1 makes products of later keys grow.
//
// The centre c cancels in products. It must be the same for queries and keys (a well-known
// implementation takes half of either's length, and is wrong while decoding); it only decides where
// the factors are near 1. Positions whose factor would leave float32 are refused.
#include <algorithm>
#include <cmath>
#include <utility>

#include "position/frequency_table.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kRotaryDim,
  kBase,
  kLayout,
  kScaleBase,
  kCentre,
  kGamma,
  kParameters
};

constexpr double kLargest = 1 << 30;

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kBase,
    rotary::kLayout.or_else(1),
    Parameter::real("scaleBase", 1, 1e12,
                    {"衰减的距离单位 B：越大衰减越慢", "distance unit B of the decay"})
        .or_else(512),
    Parameter::integer("centre", -kLargest, kLargest,
                       {"因子为 1 的位置，查询与键必须相同",
                        "where the factors are 1; the same for queries and keys"})
        .or_else(0),
    Parameter::real("gamma", 1e-3, 1e3,
                    {"ζ 公式中的 γ：越大各对的衰减越接近",
                     "γ in ζ; the larger, the closer the decays of all pairs"})
        .or_else(0.4),
};

constexpr Hook kHooks[] = {Hook::rotate};

class Xpos final : public PairRotation {
 public:
  Xpos(PairShape shape, double scale_base, double centre, double gamma, FrequencyTable frequencies)
      : PairRotation(shape),
        centre_(centre),
        frequencies_(std::move(frequencies)),
        decay_(shape.rotary_dim / 2) {
    for (std::int64_t i = 0; decay_.ok() && i < pairs(); ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(pairs());
      decay_[i] = std::log((share + gamma) / (1 + gamma)) / scale_base;
    }
  }

  bool ok() const { return frequencies_.ok() && decay_.ok(); }
  std::span<const double> frequencies() const override { return frequencies_.values(); }

  PositionDomain domain() const override {
    // ζ_0 is the smallest; e^±80 is well inside float32.
    const double reach = std::floor(80 / -decay_[0]);
    return {.low = static_cast<std::int32_t>(std::clamp(centre_ - reach, -kLargest, kLargest)),
            .high = static_cast<std::int32_t>(std::clamp(centre_ + reach, -kLargest, kLargest))};
  }

  void table(Side side, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t, cos += pairs(), sin += pairs()) {
      frequencies_.sincos(positions.at(t), sin, cos);
      const double distance = positions.at(t) - centre_;
      const double power = side == Side::query ? distance : -distance;
      for (std::int64_t i = 0; i < pairs(); ++i) {
        const auto factor = static_cast<float>(std::exp(power * decay_[i]));
        cos[i] *= factor;
        sin[i] *= factor;
      }
    }
  }

 private:
  double centre_;
  FrequencyTable frequencies_;
  Buffer<double> decay_;  // (pairs): ln ζ_i / B
};

Fault derive(std::span<double> values) {
  return rotary::derive_rotary_dim(values[kHeadDim], values[kRotaryDim], kRotaryDim);
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto rotary_dim = static_cast<std::int64_t>(values[kRotaryDim]);
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]), rotary_dim,
                        static_cast<PairLayout>(values[kLayout])};
  auto encoding =
      std::make_unique<Xpos>(shape, values[kScaleBase], values[kCentre], values[kGamma],
                             FrequencyTable(values[kBase], rotary_dim / 2, values[kRotaryDim] / 2));
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description xpos = {
    .name = "xpos",
    .title = {.zh = "带衰减的旋转编码 xPos", .en = "Extrapolatable rotary embedding (xPos)"},
    .year = 2022,
    .paper = "Sun et al., A Length-Extrapolatable Transformer",
    .url = "https://arxiv.org/abs/2212.10554",
    .users = "LeX, RetNet",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
