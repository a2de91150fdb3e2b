// DAPE, data-adaptive position encoding (Zheng 2024, equation 5; version 1): a perceptron across
// heads reads the scaled scores s of all heads at one query and key together with their biases b,
// and its output is added:
//   logits = s + b + W2·LeakyReLU(W1·[s; b] + c1) + c2.
// The biases are those of another encoding beside this one (ALiBi, KERPLE, FIRE …), or 0 without
// one. The authors' width is 32; firstWeight is (width, 2·heads), its columns first those of
// scores, then those of biases; lastWeight is (heads, width), as in the linear layers of their code
// (mlp2).
//
// A softcap acts on s and what the perceptron adds to it.
#include <algorithm>

#include "core/simd.hpp"
#include "position/array_counts.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kWidth,
  kNegativeSlope,
  kFirstWeight,
  kFirstBias,
  kLastWeight,
  kLastBias,
  kParameters
};

// What is added to each head lies on the stack.
constexpr int kMostHeads = 256;
constexpr int kMostWidth = 512;

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, kMostHeads, {"头数", "number of heads"}).required(),
    Parameter::integer("width", 1, kMostWidth, {"隐藏层的宽度", "width of the hidden layer"})
        .or_else(32),
    Parameter::real("negativeSlope", 0, 1,
                    {"LeakyReLU 在零以下的斜率", "slope of the LeakyReLU below 0"})
        .or_else(0.01),
    Parameter::tensor("firstWeight",
                      {"第一层权重，形状（width，2·heads），前一半列乘分数，后一半乘偏置",
                       "first layer, shape (width, 2·heads): columns of scores, then "
                       "of biases"})
        .required(),
    Parameter::tensor("firstBias", {"第一层偏移，形状（width）", "its offsets, shape (width)"})
        .required(),
    Parameter::tensor("lastWeight",
                      {"最后一层权重，形状（heads，width）", "last layer, shape (heads, width)"})
        .required(),
    Parameter::tensor("lastBias", {"最后一层偏移，形状（heads）", "its offsets, shape (heads)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::content};

class Dape final : public Encoding, public HeadMix {
 public:
  explicit Dape(std::span<const double> values)
      : heads_(static_cast<int>(values[kHeads])),
        width_(static_cast<int>(values[kWidth])),
        negative_slope_(static_cast<float>(values[kNegativeSlope])),
        first_weight_(numbers<float>(values[kFirstWeight]).data()),
        first_bias_(numbers<float>(values[kFirstBias]).data()),
        last_weight_(numbers<float>(values[kLastWeight]).data()),
        last_bias_(numbers<float>(values[kLastBias]).data()) {}

  const HeadMix* head_mix() const override { return this; }
  int heads() const override { return heads_; }

  void add(const float* biases, std::int64_t count, std::int64_t stride,
           float* scores) const override {
    const Batch zero(0.0F);
    const Batch slope(negative_slope_);
    Batch sums[kMostHeads];
    for (std::int64_t i = 0; i < count; i += kLanes) {
      for (int h = 0; h < heads_; ++h) sums[h] = Batch(last_bias_[h]);
      for (int unit = 0; unit < width_; ++unit) {
        const float* weight = first_weight_ + unit * 2 * heads_;
        Batch x(first_bias_[unit]);
        for (int h = 0; h < heads_; ++h) {
          x = fma(Batch(weight[h]), load(scores + h * stride + i), x);
          x = fma(Batch(weight[heads_ + h]), load(biases + h * stride + i), x);
        }
        const Batch active = select(x > zero, x, x * slope);
        for (int h = 0; h < heads_; ++h) {
          sums[h] = fma(Batch(last_weight_[h * width_ + unit]), active, sums[h]);
        }
      }
      for (int h = 0; h < heads_; ++h) {
        float* s = scores + h * stride + i;
        store(s, load(s) + sums[h]);
      }
    }
  }

  void add_grad(const float* scores, const float* biases, const float* d_sums, std::int64_t count,
                std::int64_t stride, float* d_scores, float* d_biases,
                std::span<float* const> grads) const override {
    for (std::int64_t i = 0; i < count; ++i) {
      bool any = false;
      for (int h = 0; h < heads_; ++h) any |= d_sums[h * stride + i] != 0.0F;
      if (!any) continue;
      for (int h = 0; h < heads_; ++h) {
        const std::int64_t at = h * stride + i;
        add_to(d_scores, at, static_cast<double>(d_sums[at]));
        add_to(grads[3], h, static_cast<double>(d_sums[at]));
      }
      for (int unit = 0; unit < width_; ++unit) {
        const float* weight = first_weight_ + unit * 2 * heads_;
        double x = first_bias_[unit];
        double d_active = 0.0;
        for (int h = 0; h < heads_; ++h) {
          const std::int64_t at = h * stride + i;
          x += static_cast<double>(weight[h]) * scores[at] +
               static_cast<double>(weight[heads_ + h]) * biases[at];
          d_active += static_cast<double>(d_sums[at]) * last_weight_[h * width_ + unit];
        }
        const double slope = x > 0 ? 1.0 : static_cast<double>(negative_slope_);
        const double d_x = d_active * slope;
        add_to(grads[1], unit, d_x);
        for (int h = 0; h < heads_; ++h) {
          const std::int64_t at = h * stride + i;
          add_to(grads[2], h * width_ + unit, static_cast<double>(d_sums[at]) * x * slope);
          add_to(grads[0], unit * 2 * heads_ + h, d_x * scores[at]);
          add_to(grads[0], unit * 2 * heads_ + heads_ + h, d_x * biases[at]);
          add_to(d_scores, at, d_x * weight[h]);
          add_to(d_biases, at, d_x * weight[heads_ + h]);
        }
      }
    }
  }

 private:
  int heads_, width_;
  float negative_slope_;
  const float* first_weight_;  // (width, 2·heads)
  const float* first_bias_;    // (width)
  const float* last_weight_;   // (heads, width)
  const float* last_bias_;     // (heads)
};

Fault derive(std::span<double> values) {
  const double heads = values[kHeads];
  const double width = values[kWidth];
  return check_counts(values, {{kFirstWeight, 2 * heads * width, "2 · heads · width numbers"},
                               {kFirstBias, width, "width numbers"},
                               {kLastWeight, heads * width, "heads · width numbers"},
                               {kLastBias, heads, "heads numbers"}});
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Dape>(values);
}

}  // namespace

extern const Description dape = {
    .name = "dape",
    .title = {.zh = "数据自适应的位置编码 DAPE", .en = "Data-adaptive position encoding (DAPE)"},
    .year = 2024,
    .paper = "Zheng et al., DAPE: Data-Adaptive Positional Encoding for Length Extrapolation",
    .url = "https://arxiv.org/abs/2405.14722",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
