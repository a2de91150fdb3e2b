// KERPLE (Chi 2022): a conditionally positive definite kernel of the distance x =
// |query − key|, with trained positive parameters per head:
//   log:   −r1 · ln(1 + r2·x)
//   power: −r1 · x^r2
// As in the authors' code r1 and r2 count as at least 0.01, r2 of the power kernel as at most 2
// (beyond which it is no longer such a kernel). Gradients pass these limits, so that a parameter
// can come back.
//
// The authors' code calls (r1, r2) of the log kernel (bias_p, bias_a), of the power kernel (bias_a,
// bias_p).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "position/array_counts.hpp"
#include "position/distance_bias.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kKernel, kR1, kR2, kParameters };

constexpr const char* kKernels[] = {"log", "power"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::choice("kernel", kKernels, {"对数核或幂核", "logarithmic or power kernel"})
        .or_else(0),
    Parameter::tensor("r1", {"每个头的强度，形状（heads）", "strength of each head, shape (heads)"})
        .required(),
    Parameter::tensor("r2", {"每个头的尺度（对数核）或指数（幂核），形状（heads）",
                             "scale (log) or exponent (power) of each head, shape (heads)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::bias};

constexpr double kLeast = 0.01;
constexpr double kLargestPower = 2.0;

class Kerple final : public DistanceBias {
 public:
  explicit Kerple(std::span<const double> values)
      : DistanceBias(static_cast<int>(values[kHeads])),
        power_(values[kKernel] != 0),
        r1_(numbers<float>(values[kR1]).data()),
        r2_(numbers<float>(values[kR2]).data()) {}

 private:
  double r1(int head) const { return std::max(static_cast<double>(r1_[head]), kLeast); }
  double r2(int head) const {
    const double r = std::max(static_cast<double>(r2_[head]), kLeast);
    return power_ ? std::min(r, kLargestPower) : r;
  }
  double at(int head, std::int64_t distance) const override {
    const auto x = static_cast<double>(std::abs(distance));
    return -r1(head) * (power_ ? std::pow(x, r2(head)) : std::log1p(r2(head) * x));
  }
  void at_grad(int head, std::int64_t distance, double d,
               std::span<float* const> grads) const override {
    if (distance == 0) return;
    const auto x = static_cast<double>(std::abs(distance));
    const double kernel = power_ ? std::pow(x, r2(head)) : std::log1p(r2(head) * x);
    const double slope = power_ ? kernel * std::log(x) : x / (1 + r2(head) * x);
    add_to(grads[0], head, -d * kernel);
    add_to(grads[1], head, -d * r1(head) * slope);
  }

  bool power_;
  const float* r1_;  // (heads)
  const float* r2_;  // (heads)
};

Fault derive(std::span<double> values) {
  return check_counts(
      values, {{kR1, values[kHeads], "heads numbers"}, {kR2, values[kHeads], "heads numbers"}});
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
