// KERPLE (Chi 2022): a conditionally positive definite kernel of the distance x =
// |query − key|, with trained positive parameters per head:
//   log:   −r1 · ln(1 + r2·x)
//   power: −r1 · x^r2
// Logits may be multiplied by a weight kernel of such parameters before, exp(−a·x^p), with or
// without a bias; of a and p, one that is not given is 1.
//
// As in the authors' code all count as at least 0.01, the powers (r2 of the power kernel, and p) as
// at most 2, beyond which it is no longer such a kernel. Gradients pass these limits, so that a
// parameter can come back.
//
// The authors' code calls (r1, r2) of the log kernel (bias_p, bias_a), of the power kernel (bias_a,
// bias_p), and (a, p) of the weights (wei_a, wei_p).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "position/array_counts.hpp"
#include "position/distance_bias.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kKernel, kR1, kR2, kWeightScale, kWeightPower, kParameters };

constexpr const char* kKernels[] = {"log", "power"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::choice("kernel", kKernels, {"对数核或幂核", "logarithmic or power kernel"})
        .or_else(0),
    Parameter::tensor("r1",
                      {"每个头的强度，形状（heads）", "strength of each head, shape (heads)"}),
    Parameter::tensor("r2", {"每个头的尺度（对数核）或指数（幂核），形状（heads）",
                             "scale (log) or exponent (power) of each head, shape (heads)"}),
    Parameter::tensor("weightScale",
                      {"乘性核 exp(−a·x^p) 中每个头的 a，形状（heads）",
                       "a of the kernel exp(−a·x^p) that logits are multiplied by, (heads)"}),
    Parameter::tensor("weightPower", {"乘性核中每个头的 p，形状（heads）",
                                      "p of the kernel that logits are multiplied by, (heads)"}),
};

constexpr Hook kHooks[] = {Hook::bias};

constexpr double kLeast = 0.01;
constexpr double kLargestPower = 2.0;

class Kerple final : public DistanceBias {
 public:
  explicit Kerple(std::span<const double> values)
      : DistanceBias(static_cast<int>(values[kHeads])),
        power_(values[kKernel] != 0),
        r1_(numbers<float>(values[kR1])),
        r2_(numbers<float>(values[kR2])),
        weight_scale_(numbers<float>(values[kWeightScale])),
        weight_power_(numbers<float>(values[kWeightPower])) {}

  bool weighs() const override { return !weight_scale_.empty() || !weight_power_.empty(); }

 private:
  /// A parameter of a head, within its limits; 1 when not given.
  static double of(std::span<const float> parameter, int head,
                   double most = std::numeric_limits<double>::infinity()) {
    if (parameter.empty()) return 1.0;
    return std::clamp(static_cast<double>(parameter[static_cast<std::size_t>(head)]), kLeast, most);
  }
  double r2(int head) const { return power_ ? of(r2_, head, kLargestPower) : of(r2_, head); }

  double at(int head, std::int64_t distance) const override {
    if (r1_.empty()) return 0.0;
    const auto x = static_cast<double>(std::abs(distance));
    return -of(r1_, head) * (power_ ? std::pow(x, r2(head)) : std::log1p(r2(head) * x));
  }
  void at_grad(int head, std::int64_t distance, double d,
               std::span<float* const> grads) const override {
    if (distance == 0 || r1_.empty()) return;
    const auto x = static_cast<double>(std::abs(distance));
    const double kernel = power_ ? std::pow(x, r2(head)) : std::log1p(r2(head) * x);
    const double slope = power_ ? kernel * std::log(x) : x / (1 + r2(head) * x);
    add_to(grads[0], head, -d * kernel);
    add_to(grads[1], head, -d * of(r1_, head) * slope);
  }

  double weight_at(int head, std::int64_t distance) const override {
    const auto x = static_cast<double>(std::abs(distance));
    return std::exp(-of(weight_scale_, head) * std::pow(x, of(weight_power_, head, kLargestPower)));
  }
  void weight_at_grad(int head, std::int64_t distance, double d,
                      std::span<float* const> grads) const override {
    if (distance == 0) return;
    const auto x = static_cast<double>(std::abs(distance));
    const double power = std::pow(x, of(weight_power_, head, kLargestPower));
    const double d_exponent = -d * weight_at(head, distance);
    add_to(grads[2], head, d_exponent * power);
    add_to(grads[3], head, d_exponent * of(weight_scale_, head) * power * std::log(x));
  }

  bool power_;
  std::span<const float> r1_, r2_, weight_scale_, weight_power_;  // (heads), or none
};

Fault derive(std::span<double> values) {
  const auto given = [&](int parameter) {
    return !std::isnan(values[static_cast<std::size_t>(parameter)]);
  };
  if (!given(kR1) && (given(kR2) || (!given(kWeightScale) && !given(kWeightPower)))) {
    return {Status::parameter, kR1, "given with r2, unless there are weights alone"};
  }
  if (given(kR1) && !given(kR2)) return {Status::parameter, kR2, "given with r1"};
  const double heads = values[kHeads];
  return check_counts(values, {{kR1, heads, "heads numbers", true},
                               {kR2, heads, "heads numbers", true},
                               {kWeightScale, heads, "heads numbers", true},
                               {kWeightPower, heads, "heads numbers", true}});
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Kerple>(values);
}

}  // namespace

extern const Description kerple = {
    .name = "kerple",
    .title = {.zh = "核化相对位置偏置 KERPLE", .en = "Kernelised relative position bias (KERPLE)"},
    .year = 2022,
    .paper =
        "Chi et al., KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
    .url = "https://arxiv.org/abs/2205.09921",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
