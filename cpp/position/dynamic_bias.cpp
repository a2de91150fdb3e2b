// Dynamic position bias: a perceptron of the signed distance x gives the biases of all heads
// (CrossFormer, Wang 2021, of the two distances in an image; here of the one in a
// sequence as in x-transformers' DynamicPositionBias). `depth` hidden layers of `width` SiLU units,
// then a linear one; the input is x, or sign(x)·ln(|x| + 1) with logDistance.
//
// Shapes as in the linear layers of x-transformers: firstWeight (width, 1), firstBias (width),
// hiddenWeight (depth − 1, width, width), hiddenBias (depth − 1, width), lastWeight (heads, width),
// lastBias (heads); the hidden ones are absent at depth 1.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "position/array_counts.hpp"
#include "position/distance_bias.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kWidth,
  kDepth,
  kLogDistance,
  kFirstWeight,
  kFirstBias,
  kHiddenWeight,
  kHiddenBias,
  kLastWeight,
  kLastBias,
  kParameters
};

// Units of all hidden layers live on the stack.
constexpr int kMaxWidth = 512;
constexpr int kMaxDepth = 8;

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("width", 1, kMaxWidth, {"隐藏层的宽度", "width of the hidden layers"})
        .required(),
    Parameter::integer("depth", 1, kMaxDepth, {"隐藏层的层数", "number of hidden layers"})
        .or_else(2),
    Parameter::flag("logDistance",
                    {"输入是否取对数", "whether the input is the logarithm of the distance"})
        .or_else(0),
    Parameter::tensor("firstWeight",
                      {"第一层权重，形状（width，1）", "first layer, shape (width, 1)"})
        .required(),
    Parameter::tensor("firstBias", {"第一层偏移，形状（width）", "its offsets, shape (width)"})
        .required(),
    Parameter::tensor("hiddenWeight", {"其余隐藏层权重，形状（depth − 1，width，width）",
                                       "other hidden layers, shape (depth − 1, width, width)"}),
    Parameter::tensor("hiddenBias", {"其余隐藏层偏移，形状（depth − 1，width）",
                                     "their offsets, shape (depth − 1, width)"}),
    Parameter::tensor("lastWeight",
                      {"最后一层权重，形状（heads，width）", "last layer, shape (heads, width)"})
        .required(),
    Parameter::tensor("lastBias", {"最后一层偏移，形状（heads）", "its offsets, shape (heads)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::bias};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class DynamicBias final : public DistanceBias {
 public:
  explicit DynamicBias(std::span<const double> values)
      : DistanceBias(static_cast<int>(values[kHeads])),
        width_(static_cast<int>(values[kWidth])),
        depth_(static_cast<int>(values[kDepth])),
        log_distance_(values[kLogDistance] != 0),
        first_weight_(numbers<float>(values[kFirstWeight]).data()),
        first_bias_(numbers<float>(values[kFirstBias]).data()),
        hidden_weight_(numbers<float>(values[kHiddenWeight]).data()),
        hidden_bias_(numbers<float>(values[kHiddenBias]).data()),
        last_weight_(numbers<float>(values[kLastWeight]).data()),
        last_bias_(numbers<float>(values[kLastBias]).data()) {}

 private:
  /// What goes into the units of each hidden layer.
  using Units = double[kMaxDepth][kMaxWidth];

  double input(std::int64_t distance) const {
    const auto x = static_cast<double>(distance);
    return log_distance_ ? std::copysign(std::log1p(std::abs(x)), x) : x;
  }

  void forward(double x, Units& units) const {
    for (int i = 0; i < width_; ++i) {
      units[0][i] = static_cast<double>(first_weight_[i]) * x + static_cast<double>(first_bias_[i]);
    }
    for (int layer = 1; layer < depth_; ++layer) {
      const float* bias = hidden_bias_ + (layer - 1) * width_;
      double active[kMaxWidth] = {};
      activate(units[layer - 1], active);
      for (int i = 0; i < width_; ++i) {
        const float* weight = hidden_row(layer, i);
        double sum = static_cast<double>(bias[i]);
        for (int j = 0; j < width_; ++j) sum += static_cast<double>(weight[j]) * active[j];
        units[layer][i] = sum;
      }
    }
  }

  /// SiLU of a layer's units.
  void activate(const double* units, double* active) const {
    for (int i = 0; i < width_; ++i) active[i] = units[i] * sigmoid(units[i]);
  }

  double at(int head, std::int64_t distance) const override {
    Units units;
    forward(input(distance), units);
    double active[kMaxWidth];
    activate(units[depth_ - 1], active);
    double sum = static_cast<double>(last_bias_[head]);
    for (int i = 0; i < width_; ++i) {
      sum += static_cast<double>(last_weight_[head * width_ + i]) * active[i];
    }
    return sum;
  }

  void at_grad(int head, std::int64_t distance, double d,
               std::span<float* const> grads) const override {
    const double x = input(distance);
    Units units;
    forward(x, units);
    double active[kMaxWidth];
    double d_active[kMaxWidth];
    activate(units[depth_ - 1], active);
    add_to(grads[5], head, d);
    for (int i = 0; i < width_; ++i) {
      add_to(grads[4], head * width_ + i, d * active[i]);
      d_active[i] = d * static_cast<double>(last_weight_[head * width_ + i]);
    }
    for (int layer = depth_ - 1; layer > 0; --layer) {
      activate(units[layer - 1], active);
      double d_below[kMaxWidth] = {};
      for (int i = 0; i < width_; ++i) {
        const double d_unit = d_active[i] * silu_slope(units[layer][i]);
        const std::int64_t unit = (layer - 1) * width_ + i;
        add_to(grads[3], unit, d_unit);
        for (int j = 0; j < width_; ++j) {
          add_to(grads[2], unit * width_ + j, d_unit * active[j]);
          d_below[j] += d_unit * static_cast<double>(hidden_row(layer, i)[j]);
        }
      }
      std::copy_n(d_below, width_, d_active);
    }
    for (int i = 0; i < width_; ++i) {
      const double d_unit = d_active[i] * silu_slope(units[0][i]);
      add_to(grads[1], i, d_unit);
      add_to(grads[0], i, d_unit * x);
    }
  }

  const float* hidden_row(int layer, int i) const {
    return hidden_weight_ + (std::int64_t{layer - 1} * width_ + i) * width_;
  }
  static double silu_slope(double unit) {
    const double s = sigmoid(unit);
    return s * (1 + unit * (1 - s));
  }

  int width_, depth_;
  bool log_distance_;
  const float* first_weight_;
  const float* first_bias_;
  const float* hidden_weight_;
  const float* hidden_bias_;
  const float* last_weight_;
  const float* last_bias_;
};

Fault derive(std::span<double> values) {
  const double heads = values[kHeads];
  const double width = values[kWidth];
  const double more = values[kDepth] - 1;
  return check_counts(values,
                      {
                          {kFirstWeight, width, "width numbers"},
                          {kFirstBias, width, "width numbers"},
                          {kHiddenWeight, more * width * width, "(depth − 1) · width² numbers"},
                          {kHiddenBias, more * width, "(depth − 1) · width numbers"},
                          {kLastWeight, heads * width, "heads · width numbers"},
                          {kLastBias, heads, "heads numbers"},
                      });
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<DynamicBias>(values);
}

}  // namespace

extern const Description dynamic_bias = {
    .name = "dynamic_bias",
    .title = {.zh = "动态位置偏置", .en = "Dynamic position bias"},
    .year = 2021,
    .paper =
        "Wang et al., CrossFormer: A Versatile Vision Transformer Hinging on Cross-scale Attention",
    .url = "https://arxiv.org/abs/2108.00154",
    .users = "CrossFormer",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
