// HoPE, high-frequency rotary position encoding (Chen 2024): pairs that do not complete
// a circle within the trained length L, w_i < 2π/L, carry no position; their dimensions pass
// unchanged. The other pairs turn as in RoPE.
#include <cmath>
#include <numbers>
#include <utility>

#include "position/frequency_table.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeadDim, kRotaryDim, kBase, kLayout, kTrainedLength, kParameters };

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kBase,
    rotary::kLayout,
    Parameter::integer("trainedLength", 1, 1 << 30,
                       {"训练长度 L：转不满一圈的对不再旋转",
                        "trained length L; pairs that turn less than a circle in it stand still"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::rotate};

class Hope final : public PairRotation {
 public:
  Hope(PairShape shape, FrequencyTable frequencies)
      : PairRotation(shape), frequencies_(std::move(frequencies)) {}

  std::span<const double> frequencies() const override { return frequencies_.values(); }
  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      frequencies_.sincos(positions.at(t), sin + t * pairs(), cos + t * pairs());
    }
  }

 private:
  FrequencyTable frequencies_;
};

Fault derive(std::span<double> values) {
  return rotary::derive_rotary_dim(values[kHeadDim], values[kRotaryDim], kRotaryDim);
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto rotary_dim = static_cast<std::int64_t>(values[kRotaryDim]);
  FrequencyTable frequencies(values[kBase], rotary_dim / 2, values[kRotaryDim] / 2);
  if (!frequencies.ok()) return nullptr;
  frequencies.stop_below(2 * std::numbers::pi / values[kTrainedLength]);
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]), rotary_dim,
                        static_cast<PairLayout>(values[kLayout])};
  return std::make_unique<Hope>(shape, std::move(frequencies));
}

}  // namespace

extern const Description hope = {
    .name = "hope",
    .title = {.zh = "高频旋转编码 HoPE", .en = "High-frequency rotary encoding (HoPE)"},
    .year = 2024,
    .paper =
        "Chen et al., HoPE: A Novel Positional Encoding Without Long-Term Decay for Enhanced "
        "Context Awareness and Extrapolation",
    .url = "https://arxiv.org/abs/2410.21216",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
