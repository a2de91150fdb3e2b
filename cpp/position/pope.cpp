// PoPE (Gopalakrishnan 2025, "Decoupling the What and Where With Polar Coordinate Positional
// Embeddings"): every dimension is a magnitude and becomes a complex number,
// softplus(q_i)·e^{i·m·w_i} for queries and softplus(k_i)·e^{i(n·w_i + δ_i)} for keys, with w_i =
// base^(-i/rotary_dim) and trained phases δ, kept within [−2π, 0]. A turned row is wider: dimension
// i that turns becomes (2i, 2i + 1); those that do not pass behind them.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "position/frequency_table.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeadDim, kTurnedDims, kBase, kHeads, kPhases, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("headDim", 1, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::integer(
        "turnedDims", 1, 4096,
        {"变为复数的前若干维；默认全部", "leading dimensions that become complex; all by default"}),
    Parameter::real(
        "base", 1, 1e12,
        {"底数：波长从 2π 增长到接近 2π·底数", "wavelengths grow from 2π towards 2π·base"})
        .or_else(10000),
    Parameter::integer(
        "heads", 1, 4096,
        {"phases 中的键头数；1 为各头共用", "key heads in phases; 1 = shared by all"})
        .or_else(1),
    Parameter::tensor("phases", {"训练出的键的相位（头，维），默认 0",
                                 "trained phases of keys (heads, dimensions), 0 by default"}),
};

constexpr Hook kHooks[] = {Hook::rotate};

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

class Pope final : public Encoding, public Rotate {
 public:
  Pope(std::int64_t head_dim, std::int64_t heads, std::span<const float> phases,
       FrequencyTable frequencies)
      : head_dim_(head_dim),
        count_(static_cast<std::int64_t>(frequencies.values().size())),
        heads_(heads),
        phases_(phases),
        frequencies_(std::move(frequencies)),
        cos_(heads * count_),
        sin_(heads * count_) {
    for (std::int64_t i = 0; cos_.ok() && sin_.ok() && i < heads * count_; ++i) {
      cos_[i] = std::cos(phase(i));
      sin_[i] = std::sin(phase(i));
    }
  }

  bool ok() const { return cos_.ok() && sin_.ok(); }
  const Rotate* rotate() const override { return this; }
  std::span<const double> frequencies() const override { return frequencies_.values(); }

  PairLayout layout() const override { return PairLayout::interleaved; }
  std::int64_t head_dim() const override { return head_dim_; }
  std::int64_t rotary_dim() const override { return 2 * count_; }
  std::int64_t turned_dim() const override { return head_dim_ + count_; }
  bool turns_pairs_only() const override { return false; }

  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      frequencies_.sincos(positions.at(t), sin + t * count_, cos + t * count_);
    }
  }

  void turn(Side side, int head, const float* x, const float* cos, const float* sin,
            std::int64_t tokens, float* out) const override {
    for (std::int64_t t = 0; t < tokens; ++t) {
      for (std::int64_t i = 0; i < count_; ++i) {
        const double magnitude = softplus(x[i]);
        const Direction at = direction(side, head, i, cos, sin);
        out[2 * i] = static_cast<float>(magnitude * at.cos);
        out[2 * i + 1] = static_cast<float>(magnitude * at.sin);
      }
      std::copy_n(x + count_, head_dim_ - count_, out + 2 * count_);
      x += head_dim_;
      cos += count_;
      sin += count_;
      out += turned_dim();
    }
  }

  void input_grad(Side side, int head, const float* x, const float* cos, const float* sin,
                  const float* d_out, std::int64_t tokens, float* d_x) const override {
    for (std::int64_t t = 0; t < tokens; ++t) {
      for (std::int64_t i = 0; i < count_; ++i) {
        const Direction at = direction(side, head, i, cos, sin);
        const double d_magnitude = d_out[2 * i] * at.cos + d_out[2 * i + 1] * at.sin;
        const double slope = 1.0 / (1.0 + std::exp(-static_cast<double>(x[i])));
        d_x[i] = d_magnitude == 0.0 ? 0.0F : static_cast<float>(d_magnitude * slope);
      }
      std::copy_n(d_out + 2 * count_, head_dim_ - count_, d_x + count_);
      x += head_dim_;
      cos += count_;
      sin += count_;
      d_out += turned_dim();
      d_x += head_dim_;
    }
  }

  Status turn_grad(Side side, int head, Positions positions, const float* x, const float* d_out,
                   std::span<float* const> grads) const override {
    if (side != Side::key || phases_.empty() || grads[0] == nullptr) return Status::ok;
    const std::int64_t first = head % heads_ * count_;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      if (all_zero(d_out + t * turned_dim(), turned_dim())) continue;
      for (std::int64_t i = 0; i < count_; ++i) {
        // Outside its range a phase is clamped: it has no gradient.
        const float given = phases_[static_cast<std::size_t>(first + i)];
        if (static_cast<double>(given) != phase(first + i)) continue;
        const double w = frequencies_.values()[static_cast<std::size_t>(i)];
        const double angle = positions.at(t) * w + given;
        const float* d = d_out + t * turned_dim() + 2 * i;
        const double magnitude = softplus(x[t * head_dim_ + i]);
        grads[0][first + i] +=
            static_cast<float>(magnitude * (d[1] * std::cos(angle) - d[0] * std::sin(angle)));
      }
    }
    return Status::ok;
  }

 private:
  struct Direction {
    double cos, sin;
  };
  /// Of component i of a row with these cosines and sines; keys have a phase besides.
  Direction direction(Side side, int head, std::int64_t i, const float* cos,
                      const float* sin) const {
    if (side == Side::query) return {cos[i], sin[i]};
    const std::int64_t at = head % heads_ * count_ + i;
    return {cos[i] * cos_[at] - sin[i] * sin_[at], sin[i] * cos_[at] + cos[i] * sin_[at]};
  }

  double phase(std::int64_t i) const {
    if (phases_.empty()) return 0.0;
    return std::clamp<double>(phases_[static_cast<std::size_t>(i)], -2 * std::numbers::pi, 0.0);
  }

  std::int64_t head_dim_, count_, heads_;
  std::span<const float> phases_;  // (heads, count), or empty
  FrequencyTable frequencies_;
  Buffer<double> cos_, sin_;  // (heads, count), of the phases
};

Fault derive(std::span<double> values) {
  double& count = values[kTurnedDims];
  if (std::isnan(count)) count = values[kHeadDim];
  if (count > values[kHeadDim]) return {Status::parameter, kTurnedDims, "at most headDim"};
  const auto phases = static_cast<double>(numbers<float>(values[kPhases]).size());
  if (phases == 0 && values[kHeads] != 1) {
    return {Status::parameter, kHeads, "1, unless phases are given"};
  }
  if (phases != 0 && phases != values[kHeads] * count) {
    return {Status::parameter, kPhases, "heads · turnedDims numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto count = static_cast<std::int64_t>(values[kTurnedDims]);
  FrequencyTable frequencies(values[kBase], count, values[kTurnedDims]);
  if (!frequencies.ok()) return nullptr;
  auto encoding = std::make_unique<Pope>(static_cast<std::int64_t>(values[kHeadDim]),
                                         static_cast<std::int64_t>(values[kHeads]),
                                         numbers<float>(values[kPhases]), std::move(frequencies));
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description pope = {
    .name = "pope",
    .title = {.zh = "极坐标位置编码 PoPE", .en = "Polar coordinate position embedding (PoPE)"},
    .year = 2025,
    .paper =
        "Gopalakrishnan et al., Decoupling the \"What\" and \"Where\" With Polar Coordinate "
        "Positional Embeddings",
    .url = "https://arxiv.org/abs/2509.10534",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
