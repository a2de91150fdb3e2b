// Sinusoids (Vaswani 2017, section 3.5): column pair i of position m holds sin(m·w_i) and
// cos(m·w_i), w_i = base^(-2i/d). Variants in use: all sines before all cosines ("halves");
// exponents i/(d/2 − 1), so that the last wavelength is exactly 2π·base (tensor2tensor, fairseq,
// Whisper); cosines first (MusicGen). An odd width drops the last cosine when interleaved, and gets
// a column of zeros in halves (tensor2tensor).
//
// Conventions of others in these words: fairseq starts at padding_idx + 1 (`offset`) and gives
// padding, at position −1, a row of zeros (`zeroPadding`). Diffusion timesteps (diffusers) are
// halves; downscale_freq_shift 0 or 1 is the denominator d/2 or d/2 − 1, flip_sin_to_cos the order.
// Positions of several coordinates (images) give each an equal part of the row, width/axes wide,
// one after the other; in the layout `spread`, the sines of all coordinates stand before all
// cosines (timm). `positionScale` multiplies positions, offset included: 2π/(size + 1e-6) of each
// axis with offset 1 is DETR's `normalize` in a grid of that size, 1/s interpolates positions.
//
// A trained factor of all rows (`scale`, begun at 1/√width) is the scaled sinusoid of
// x-transformers.
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"
#include "position/sinusoid.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kWidth,
  kBase,
  kLayout,
  kDenominator,
  kOrder,
  kOffset,
  kZeroPadding,
  kScale,
  kAxes,
  kPositionScale,
  kParameters
};

constexpr int kMostAxes = 16;
constexpr const char* kLayouts[] = {"interleaved", "halves", "spread"};
constexpr const char* kDenominators[] = {"d/2", "d/2-1"};
constexpr const char* kOrders[] = {"sin-cos", "cos-sin"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("width", 1, 65536, {"每行的维数", "width of a row"}).required(),
    Parameter::real(
        "base", 1, 1e12,
        {"底数：波长从 2π 增长到接近 2π·底数", "wavelengths grow from 2π towards 2π·base"})
        .or_else(10000),
    Parameter::choice("layout", kLayouts,
                      {"正弦与余弦交错、各占一半，或所有坐标的正弦在前",
                       "sines and cosines interleaved, in halves, or sines of all axes first"})
        .or_else(0),
    Parameter::choice(
        "denominator", kDenominators,
        {"第 i 个频率的指数是 i 除以它", "frequency i has the exponent i divided by this"})
        .or_else(0),
    Parameter::choice("order", kOrders, {"先正弦还是先余弦", "which function comes first"})
        .or_else(0),
    Parameter::integer("offset", -1e6, 1e6,
                       {"加到位置上的数（fairseq 为 padding_idx + 1）",
                        "added to positions (fairseq: padding_idx + 1)"})
        .or_else(0),
    Parameter::flag("zeroPadding", {"位置 −1 表示填充，整行为零（fairseq）",
                                    "position −1 is padding: a row of zeros (fairseq)"})
        .or_else(0),
    Parameter::tensor("scale", {"所有行共同乘上的可学习数 (1)",
                                "a trained number that all rows are multiplied by, (1)"}),
    Parameter::integer("axes", 1, kMostAxes,
                       {"每个位置的坐标数，每个坐标占一行的相等部分",
                        "coordinates per position; each has an equal part of a row"})
        .or_else(1),
    Parameter::doubles("positionScale", -1e6, 1e6,
                       {"位置（加上 offset 后）乘上的数，每个坐标一个",
                        "what positions are multiplied by, offset included; one per axis"}),
};

constexpr Hook kHooks[] = {Hook::embed};

class Sinusoidal final : public Encoding, public Embed {
 public:
  explicit Sinusoidal(std::span<const double> values)
      : width_(static_cast<std::int64_t>(values[kWidth])),
        axes_(static_cast<int>(values[kAxes])),
        part_(width_ / axes_),
        interleaved_(values[kLayout] == 0),
        spread_(values[kLayout] == 2),
        zero_padding_(values[kZeroPadding] != 0),
        offset_(values[kOffset]),
        scale_(numbers<float>(values[kScale])),
        sinusoid_(values[kBase], part_, denominator(part_, values[kDenominator] == 1), interleaved_,
                  values[kOrder] == 1) {
    std::fill_n(position_scale_, kMostAxes, 1.0);
    const auto given = numbers<double>(values[kPositionScale]);
    std::copy(given.begin(), given.end(), position_scale_);
  }

  bool ok() const { return sinusoid_.ok(); }
  const Embed* embed() const override { return this; }
  std::span<const double> frequencies() const override { return sinusoid_.frequencies(); }
  PositionDomain domain() const override { return {.axes = axes_}; }

  std::int64_t width() const override { return width_; }
  void rows(Positions positions, float* out) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      write(positions.from(t, 1), out + t * width_);
      if (scale_.empty()) continue;
      for (std::int64_t c = 0; c < width_; ++c) out[t * width_ + c] *= scale_[0];
    }
  }
  Status rows_grad(Positions positions, const float* d_out,
                   std::span<float* const> grads) const override {
    if (grads[0] == nullptr) return Status::ok;
    Buffer<float> row(width_);
    if (!row.ok()) return Status::memory;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      write(positions.from(t, 1), row.data());
      for (std::int64_t c = 0; c < width_; ++c) grads[0][0] += d_out[t * width_ + c] * row[c];
    }
    return Status::ok;
  }

 private:
  /// With d/2 the exponent of an odd width is the paper's 2i/d; d/2 − 1 counts whole pairs
  /// (tensor2tensor).
  static double denominator(std::int64_t width, bool inclusive) {
    if (!inclusive) return static_cast<double>(width) / 2;
    return static_cast<double>(std::max<std::int64_t>(width / 2 - 1, 1));
  }

  /// The row of a position, before the scale.
  void write(Positions position, float* row) const {
    if (zero_padding_ && position.at(0) == -1) {
      std::fill_n(row, width_, 0.0F);
      return;
    }
    const std::int64_t pairs = sinusoid_.pairs();
    for (int axis = 0; axis < axes_; ++axis) {
      const double at = (position.at(0, axis) + offset_) * position_scale_[axis];
      if (interleaved_) {
        sinusoid_.write_interleaved(at, row + axis * part_);
      } else if (spread_) {
        sinusoid_.write_halves(at, row + axis * pairs, row + (axes_ + axis) * pairs);
      } else {
        sinusoid_.write_halves(at, row + axis * part_, row + axis * part_ + pairs);
      }
    }
    if (!interleaved_ && width_ % 2 != 0) row[width_ - 1] = 0.0F;
  }

  std::int64_t width_;
  int axes_;
  std::int64_t part_;  // of a row, for one coordinate
  bool interleaved_, spread_, zero_padding_;
  double offset_;
  double position_scale_[kMostAxes];
  std::span<const float> scale_;  // one number, or none
  Sinusoid sinusoid_;             // of one coordinate
};

Fault derive(std::span<double> values) {
  if (!std::isnan(values[kScale]) && numbers<float>(values[kScale]).size() != 1) {
    return {Status::parameter, kScale, "one number"};
  }
  const std::size_t scales = numbers<double>(values[kPositionScale]).size();
  if (scales != 0 && static_cast<double>(scales) != values[kAxes]) {
    return {Status::parameter, kPositionScale, "one per axis"};
  }
  if (values[kAxes] > 1 && std::fmod(values[kWidth], 2 * values[kAxes]) != 0) {
    return {Status::parameter, kWidth, "a multiple of 2 · axes"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  auto encoding = std::make_unique<Sinusoidal>(values);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description sinusoidal = {
    .name = "sinusoidal",
    .title = {.zh = "正弦位置编码", .en = "Sinusoidal position encoding"},
    .year = 2017,
    .paper = "Vaswani et al., Attention Is All You Need",
    .url = "https://arxiv.org/abs/1706.03762",
    .users = "Transformer (2017), Marian, M2M100, Whisper (encoder)",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
