// RoPE over the coordinates of images and videos. Each axis has a block of pairs (axial; Heo 2024,
// "Rotary Position Embedding for Vision Transformer"), whose angle is the axis'
// coordinate times a frequency. Vision models differ in both factors:
// - `spectrum`: base^(-2i/d), d the dimensions of the axis ("power": lucidrains' "lang", DINOv3,
//   FLUX); the same over all axes, which take turns ("shared": Pixtral); π·linspace(1, M/2)
//   ("linear": lucidrains' "pixel") or π·2^linspace(0, log2(M) − 1) ("logarithmic": timm).
// - `coordinates` of index p in a grid of n: p itself ("index"), linspace(−1, 1) ("endpoints"),
//   2π·((2p + 1)/n − 1) ("centres": DINOv3), or (p + gridOffset)·referenceSize/n ("reference":
//   timm).
// Dimensions pair over the whole head ("half", "interleaved"), or in halves of each axis' block
// ("axis-half": Gemma 4's vision encoder, whose first axis is the column). What V-JEPA 2's code
// does is no rotation, and not offered: it pairs neighbours, but dimension j of a block of d turns
// by frequency j mod d/2, so that the two of a pair differ.
// With `mixed` ("RoPE-Mixed") every pair has a trained frequency on every axis instead,
// and every head its own: (axes, heads, pairs), one layer of the authors' checkpoints.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "position/angle_table.hpp"
#include "position/gradient.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kAxes,
  kAxisDims,
  kBase,
  kLayout,
  kSpectrum,
  kMaxFrequency,
  kCoordinates,
  kSizes,
  kReferenceSizes,
  kGridOffset,
  kHeads,
  kMixed,
  kParameters
};

enum class Spectrum : std::uint8_t { power, shared, linear, logarithmic };
enum class Coordinates : std::uint8_t { index, endpoints, centres, reference };

constexpr const char* kLayouts[] = {"half", "interleaved", "axis-half"};
constexpr double kAxisHalf = 2;
constexpr const char* kSpectra[] = {"power", "shared", "linear", "logarithmic"};
constexpr const char* kCoordinateTypes[] = {"index", "endpoints", "centres", "reference"};

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    Parameter::integer("axes", 1, 8, {"坐标轴数", "coordinates of a position"}).or_else(2),
    Parameter::doubles("axisDims", 2, 4096,
                       {"每条轴的维数，偶数；默认平分",
                        "dimensions of each axis, even numbers; equal parts by default"}),
    rotary::kBase,
    Parameter::choice("layout", kLayouts,
                      {"哪两维配成一对：全头两半、相邻、各轴自己的两半",
                       "which dimensions form a pair: of the halves of a head, neighbours, of the "
                       "halves of an axis' dimensions"})
        .or_else(1),
    Parameter::choice("spectrum", kSpectra,
                      {"频率：按底数的幂、各轴轮流分用、等差、等比",
                       "frequencies: powers of base, those dealt out to the axes, an arithmetic or "
                       "a geometric sequence"})
        .or_else(0),
    Parameter::real("maxFrequency", 1, 1e6,
                    {"等差、等比频率的上限为 π·maxFrequency/2",
                     "linear and logarithmic frequencies end at π·maxFrequency/2"})
        .or_else(10),
    Parameter::choice("coordinates", kCoordinateTypes,
                      {"坐标：下标、端点为 ±1、格心、换算到参考网格",
                       "coordinates: the index, −1 … 1, centres of cells, or those of a reference "
                       "grid"})
        .or_else(0),
    Parameter::doubles("sizes", 1, 1 << 30,
                       {"网格每条轴的长度；坐标不是下标时必需",
                        "length of the grid on each axis; needed unless coordinates are indices"}),
    Parameter::doubles("referenceSizes", 1, 1 << 30,
                       {"参考网格每条轴的长度", "length of the reference grid on each axis"}),
    Parameter::real("gridOffset", -1e6, 1e6,
                    {"换算到参考网格前加到下标上", "added to indices of a reference grid"})
        .or_else(0),
    Parameter::integer("heads", 1, 4096,
                       {"mixed 中的头数；1 为各头共用", "heads in mixed; 1 = shared by all"})
        .or_else(1),
    Parameter::tensor("mixed", {"训练出的频率（轴，头，对），代替按轴分块的频率",
                                "trained frequencies (axes, heads, pairs) instead of blocks per "
                                "axis"}),
};

constexpr Hook kHooks[] = {Hook::rotate};

/// Frequency of pair i of an axis with `count` pairs.
double block_frequency(std::span<const double> values, std::int64_t axis, std::int64_t i,
                       std::int64_t count) {
  const auto n = static_cast<double>(count);
  const double last = values[kMaxFrequency] / 2;
  const double share = count == 1 ? 0.0 : static_cast<double>(i) / (n - 1);
  switch (static_cast<Spectrum>(values[kSpectrum])) {
    case Spectrum::power:
      return std::pow(values[kBase], -static_cast<double>(i) / n);
    case Spectrum::shared:
      return std::pow(values[kBase],
                      -(static_cast<double>(i) + static_cast<double>(axis) / values[kAxes]) / n);
    case Spectrum::linear:
      return std::numbers::pi * (1 + share * (last - 1));
    case Spectrum::logarithmic:
      return std::numbers::pi * std::exp2(share * std::log2(last));
  }
  return 0.0;
}

/// A coordinate is stretch · (p + shift).
struct Map {
  double stretch, shift;
};

Map map_of(std::span<const double> values, std::size_t axis) {
  const auto type = static_cast<Coordinates>(values[kCoordinates]);
  if (type == Coordinates::index) return {1, 0};
  const double n = numbers<double>(values[kSizes])[axis];
  if (type == Coordinates::endpoints) return n == 1 ? Map{1, -1} : Map{2 / (n - 1), -(n - 1) / 2};
  if (type == Coordinates::centres) return {4 * std::numbers::pi / n, (1 - n) / 2};
  return {numbers<double>(values[kReferenceSizes])[axis] / n, values[kGridOffset]};
}

class RopeNd final : public PairRotation {
 public:
  RopeNd(PairShape shape, std::span<const double> values)
      : PairRotation(shape),
        axes_(static_cast<int>(values[kAxes])),
        heads_(static_cast<std::int64_t>(values[kHeads])),
        mixed_(!numbers<float>(values[kMixed]).empty()),
        axis_half_(values[kLayout] == kAxisHalf),
        angles_(heads_, axes_, shape.rotary_dim / 2),
        own_(shape.rotary_dim / 2) {
    if (!ok()) return;
    for (int axis = 0; axis < axes_; ++axis) {
      maps_[axis] = map_of(values, static_cast<std::size_t>(axis));
    }
    if (mixed_) {
      const std::span<const float> frequencies = numbers<float>(values[kMixed]);
      const std::int64_t width = heads_ * pairs();
      for (std::int64_t i = 0; i < axes_ * width; ++i) {
        add(static_cast<int>(i / width), i % width, frequencies[static_cast<std::size_t>(i)]);
      }
      return;
    }
    const std::span<const double> dims = numbers<double>(values[kAxisDims]);
    std::int64_t column = 0;
    for (int axis = 0; axis < axes_; ++axis) {
      const std::int64_t count =
          dims.empty() ? pairs() / axes_
                       : static_cast<std::int64_t>(dims[static_cast<std::size_t>(axis)]) / 2;
      for (std::int64_t i = 0; i < count; ++i, ++column) {
        own_[column] = block_frequency(values, axis, i, count);
        add(axis, column, own_[column]);
      }
    }
  }

  bool ok() const { return angles_.ok() && own_.ok(); }
  std::span<const double> frequencies() const override {
    if (mixed_) return {};
    return {own_.data(), static_cast<std::size_t>(pairs())};
  }
  int parts() const override { return axis_half_ ? axes_ : 1; }
  std::int64_t tables() const override { return heads_; }
  std::int64_t table_of(Side /*side*/, int head) const override { return head % heads_; }
  PositionDomain domain() const override { return {.axes = axes_}; }

  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      angles_.sincos(positions.from(t, 1), sin + t * table_width(), cos + t * table_width());
    }
  }

  Status turn_grad(Side side, int head, Positions positions, const float* x, const float* d_out,
                   std::span<float* const> grads) const override {
    if (!mixed_ || grads[0] == nullptr) return Status::ok;
    // A pair z turned to y = z·e^{iα} changes by i·y with α.
    Buffer<float> cos(table_width());
    Buffer<float> sin(table_width());
    Buffer<float> y(head_dim());
    if (!cos.ok() || !sin.ok() || !y.ok()) return Status::memory;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      const float* d = d_out + t * head_dim();
      if (all_zero(d, head_dim())) continue;
      table(side, positions.from(t, 1), cos.data(), sin.data());
      turn(side, head, x + t * head_dim(), cos.data(), sin.data(), 1, y.data());
      for (std::int64_t i = 0; i < pairs(); ++i) {
        const auto [a, b] = pair(i);
        const double d_angle = static_cast<double>(d[b]) * y[a] - static_cast<double>(d[a]) * y[b];
        for (int axis = 0; axis < axes_; ++axis) {
          const double at = maps_[axis].stretch * (positions.at(t, axis) + maps_[axis].shift);
          grads[0][(axis * heads_ + table_of(side, head)) * pairs() + i] +=
              static_cast<float>(d_angle * at);
        }
      }
    }
    return Status::ok;
  }

 private:
  static constexpr int kMostAxes = 8;

  void add(int axis, std::int64_t column, double frequency) {
    angles_.frequency(axis, column) = maps_[axis].stretch * frequency;
    angles_.phase(column) += maps_[axis].stretch * maps_[axis].shift * frequency;
  }

  int axes_;
  std::int64_t heads_;
  bool mixed_, axis_half_;
  AngleTable angles_;
  Buffer<double> own_;  // (pairs): each pair's frequency on its own axis
  Map maps_[kMostAxes] = {};
};

/// Dimensions that turn.
std::int64_t rotary_dim_of(std::span<const double> values) {
  if (const auto mixed = numbers<float>(values[kMixed]); !mixed.empty()) {
    return 2 * static_cast<std::int64_t>(static_cast<double>(mixed.size()) /
                                         (values[kAxes] * values[kHeads]));
  }
  double sum = 0;
  for (const double dim : numbers<double>(values[kAxisDims])) sum += dim;
  const double equal = 2 * std::floor(values[kHeadDim] / (2 * values[kAxes]));
  return static_cast<std::int64_t>(sum == 0 ? equal * values[kAxes] : sum);
}

Fault derive(std::span<double> values) {
  const auto dims = numbers<double>(values[kAxisDims]);
  const auto mixed = numbers<float>(values[kMixed]);
  const auto axes = static_cast<std::size_t>(values[kAxes]);
  const auto one_per_axis = [&](int parameter, bool needed) {
    const std::size_t count = numbers<double>(values[static_cast<std::size_t>(parameter)]).size();
    return count == axes || (count == 0 && !needed);
  };
  if (!one_per_axis(kAxisDims, false)) return {Status::parameter, kAxisDims, "one per axis"};
  for (const double dim : dims) {
    if (std::fmod(dim, 2) != 0) return {Status::parameter, kAxisDims, "even numbers"};
  }
  if (!mixed.empty() && !dims.empty()) {
    return {Status::parameter, kAxisDims, "not together with mixed"};
  }
  if (mixed.empty() && values[kHeads] != 1) {
    return {Status::parameter, kHeads, "1, unless mixed is given"};
  }
  if (std::fmod(static_cast<double>(mixed.size()), values[kAxes] * values[kHeads]) != 0) {
    return {Status::parameter, kMixed, "axes · heads · pairs numbers"};
  }
  const std::int64_t rotary_dim = rotary_dim_of(values);
  if (rotary_dim < 2) return {Status::parameter, kHeadDim, "at least 2 per axis"};
  if (static_cast<double>(rotary_dim) > values[kHeadDim]) {
    if (!mixed.empty()) return {Status::parameter, kMixed, "at most headDim / 2 pairs"};
    return {Status::parameter, kAxisDims, "headDim at most, in all"};
  }
  const bool unequal =
      std::adjacent_find(dims.begin(), dims.end(), std::not_equal_to<>()) != dims.end();
  if (values[kSpectrum] == static_cast<double>(Spectrum::shared) && unequal) {
    return {Status::parameter, kAxisDims, "equal for a shared spectrum"};
  }
  if (values[kLayout] == kAxisHalf) {
    if (!mixed.empty()) return {Status::parameter, kMixed, "not with the layout axis-half"};
    if (unequal) return {Status::parameter, kAxisDims, "equal for the layout axis-half"};
  }
  const auto type = static_cast<Coordinates>(values[kCoordinates]);
  if (!one_per_axis(kSizes, type != Coordinates::index)) {
    return {Status::parameter, kSizes, "one per axis"};
  }
  if (!one_per_axis(kReferenceSizes, type == Coordinates::reference)) {
    return {Status::parameter, kReferenceSizes, "one per axis"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]), rotary_dim_of(values),
                        values[kLayout] == 1 ? PairLayout::interleaved : PairLayout::half};
  auto encoding = std::make_unique<RopeNd>(shape, values);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description rope_nd = {
    .name = "rope_nd",
    .title = {.zh = "多维旋转编码", .en = "Rotary embedding over several axes"},
    .year = 2024,
    .paper = "Heo et al., Rotary Position Embedding for Vision Transformer",
    .url = "https://arxiv.org/abs/2403.13298",
    .users = "EVA-02, Pixtral, SAM 2, V-JEPA 2, FLUX",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
