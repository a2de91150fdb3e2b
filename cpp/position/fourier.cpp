// Learnable Fourier features (Li 2021, "Learnable Fourier Features for Multi-Dimensional Spatial
// Positional Encoding", algorithm 1): with x the coordinates of a position,
//   F = [cos(W x) | sin(W x)] / √features,   row = GELU(F·A + a)·B + b,
// everything trained. W is (features/2, axes) in radians per position, A (features, hidden), a
// (hidden), B (hidden, width), b (width); A and B lie as in x·A (a linear layer of PyTorch holds
// the transpose). Without A and B the row is F itself (random Fourier features: Rahimi 2007, Tancik
// 2020), and width = features.
#include <algorithm>
#include <cmath>

#include "core/angle.hpp"
#include "core/buffer.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kAxes, kFrequencies, kIn, kInBias, kOut, kOutBias, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("axes", 1, 16, {"每个位置的坐标数", "coordinates per position"}).or_else(1),
    Parameter::tensor("frequencies", {"W：每对在各坐标上的角频率 (features / 2, axes)",
                                      "W: radians per position of each pair, (features / 2, axes)"})
        .required(),
    Parameter::tensor("hiddenWeights", {"A：特征到隐藏层 (features, hidden)",
                                        "A: features to hidden units, (features, hidden)"}),
    Parameter::tensor("hiddenBias", {"a：隐藏层的偏置 (hidden)", "a: of hidden units, (hidden)"}),
    Parameter::tensor("rowWeights", {"B：隐藏层到行 (hidden, width)",
                                     "B: hidden units to rows, (hidden, width)"}),
    Parameter::tensor("rowBias", {"b：行的偏置 (width)", "b: of rows, (width)"}),
};

constexpr Hook kHooks[] = {Hook::embed};

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;

double gelu(double x) { return 0.5 * x * (1 + std::erf(x * kSqrtHalf)); }
double gelu_slope(double x) {
  return 0.5 * (1 + std::erf(x * kSqrtHalf)) + x * kInverseSqrtTwoPi * std::exp(-0.5 * x * x);
}

/// out[c] = bias[c] + Σ_r x[r]·weights[r][c]
void affine(const float* x, std::int64_t rows, const float* weights, std::int64_t columns,
            const float* bias, float* out) {
  std::copy_n(bias, columns, out);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) out[c] += x[r] * weights[r * columns + c];
  }
}

/// The gradients of that: by weights and bias (added, unless null) and by x.
void affine_grad(const float* x, std::int64_t rows, const float* weights, std::int64_t columns,
                 const float* d_out, float* d_weights, float* d_bias, float* d_x) {
  for (std::int64_t c = 0; d_bias != nullptr && c < columns; ++c) d_bias[c] += d_out[c];
  for (std::int64_t r = 0; r < rows; ++r) {
    d_x[r] = 0.0F;
    for (std::int64_t c = 0; c < columns; ++c) {
      d_x[r] += d_out[c] * weights[r * columns + c];
      if (d_weights != nullptr) d_weights[r * columns + c] += d_out[c] * x[r];
    }
  }
}

class Fourier final : public Encoding, public Embed {
 public:
  explicit Fourier(std::span<const double> values)
      : axes_(static_cast<int>(values[kAxes])),
        frequencies_(numbers<float>(values[kFrequencies])),
        in_(numbers<float>(values[kIn])),
        in_bias_(numbers<float>(values[kInBias])),
        out_(numbers<float>(values[kOut])),
        out_bias_(numbers<float>(values[kOutBias])),
        pairs_(static_cast<std::int64_t>(frequencies_.size()) / axes_),
        hidden_(static_cast<std::int64_t>(in_bias_.size())),
        angles_(padded_frequencies(pairs_)),
        features_(2 * pairs_),
        d_features_(2 * pairs_),
        before_(hidden_),
        after_(hidden_),
        d_hidden_(hidden_) {}

  bool ok() const {
    return angles_.ok() && features_.ok() && d_features_.ok() && before_.ok() && after_.ok() &&
           d_hidden_.ok();
  }
  const Embed* embed() const override { return this; }
  PositionDomain domain() const override { return {.axes = axes_}; }

  std::int64_t width() const override {
    return in_.empty() ? 2 * pairs_ : static_cast<std::int64_t>(out_bias_.size());
  }
  void rows(Positions positions, float* out) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      float* row = out + t * width();
      write_features(positions.from(t, 1));
      if (in_.empty()) {
        std::copy_n(features_.data(), width(), row);
      } else {
        write_hidden();
        affine(after_.data(), hidden_, out_.data(), width(), out_bias_.data(), row);
      }
    }
  }
  Status rows_grad(Positions positions, const float* d_out,
                   std::span<float* const> grads) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      const float* d_row = d_out + t * width();
      const Positions position = positions.from(t, 1);
      write_features(position);
      if (in_.empty()) {
        std::copy_n(d_row, width(), d_features_.data());
      } else {
        write_hidden();
        affine_grad(after_.data(), hidden_, out_.data(), width(), d_row, grads[3], grads[4],
                    d_hidden_.data());
        for (std::int64_t h = 0; h < hidden_; ++h) {
          d_hidden_[h] *= static_cast<float>(gelu_slope(before_[h]));
        }
        affine_grad(features_.data(), 2 * pairs_, in_.data(), hidden_, d_hidden_.data(), grads[1],
                    grads[2], d_features_.data());
      }
      if (grads[0] != nullptr) add_frequency_grad(position, grads[0]);
    }
    return Status::ok;
  }

 private:
  /// F of one position.
  void write_features(Positions position) const {
    std::fill_n(angles_.data(), padded_frequencies(pairs_), 0.0);
    for (std::int64_t i = 0; i < pairs_; ++i) {
      for (int axis = 0; axis < axes_; ++axis) {
        angles_[i] +=
            static_cast<double>(frequencies_[static_cast<std::size_t>(i * axes_ + axis)]) *
            position.at(0, axis);
      }
    }
    sincos_row(1.0, angles_.data(), pairs_, features_.data() + pairs_, features_.data());
    const auto norm = static_cast<float>(1 / std::sqrt(2.0 * static_cast<double>(pairs_)));
    for (std::int64_t i = 0; i < 2 * pairs_; ++i) features_[i] *= norm;
  }

  void write_hidden() const {
    affine(features_.data(), 2 * pairs_, in_.data(), hidden_, in_bias_.data(), before_.data());
    for (std::int64_t h = 0; h < hidden_; ++h) after_[h] = static_cast<float>(gelu(before_[h]));
  }

  /// d cos(w·x)/dw = −sin(w·x)·x and d sin(w·x)/dw = cos(w·x)·x, from the features of the position.
  void add_frequency_grad(Positions position, float* d_frequencies) const {
    for (std::int64_t i = 0; i < pairs_; ++i) {
      const float d_angle =
          d_features_[pairs_ + i] * features_[i] - d_features_[i] * features_[pairs_ + i];
      for (int axis = 0; axis < axes_; ++axis) {
        d_frequencies[i * axes_ + axis] += d_angle * static_cast<float>(position.at(0, axis));
      }
    }
  }

  int axes_;
  std::span<const float> frequencies_, in_, in_bias_, out_, out_bias_;
  std::int64_t pairs_, hidden_;
  // Scratch of one row.
  mutable Buffer<double> angles_;
  mutable Buffer<float> features_, d_features_;      // (2·pairs): cosines, then sines
  mutable Buffer<float> before_, after_, d_hidden_;  // (hidden): of the GELU
};

Fault derive(std::span<double> values) {
  const auto size = [&](int parameter) {
    return static_cast<double>(numbers<float>(values[static_cast<std::size_t>(parameter)]).size());
  };
  if (size(kFrequencies) == 0 || std::fmod(size(kFrequencies), values[kAxes]) != 0) {
    return {Status::parameter, kFrequencies, "features / 2 · axes numbers"};
  }
  const double features = 2 * size(kFrequencies) / values[kAxes];
  const double given[] = {size(kIn), size(kInBias), size(kOut), size(kOutBias)};
  if (std::all_of(std::begin(given), std::end(given), [](double n) { return n == 0; })) return {};
  if (size(kInBias) == 0) return {Status::parameter, kInBias, "given, as the other layers are"};
  if (size(kOutBias) == 0) return {Status::parameter, kOutBias, "given, as the other layers are"};
  if (size(kIn) != features * size(kInBias)) {
    return {Status::parameter, kIn, "features · hidden numbers"};
  }
  if (size(kOut) != size(kInBias) * size(kOutBias)) {
    return {Status::parameter, kOut, "hidden · width numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  auto encoding = std::make_unique<Fourier>(values);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description fourier = {
    .name = "fourier",
    .title = {.zh = "可学习的傅里叶特征", .en = "Learnable Fourier features"},
    .year = 2021,
    .paper =
        "Li et al., Learnable Fourier Features for Multi-Dimensional Spatial Positional Encoding",
    .url = "https://arxiv.org/abs/2106.02795",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
