// FIRE (Li 2023, "Functional Interpolation for Relative Positions Improves Long Context
// Transformers", with the code of its appendix): the bias is a small perceptron of one number, the
// distance x relative to the query's position m,
//   ψ(x) / (ψ(max(m, L)) + ε),  ψ(x) = ln(|c·x| + 1),  L = |lengthMultiplier · initialLength|.
// c and lengthMultiplier are trained with the perceptron. x = |query − key|; code that takes
// max(query − key, 0) differs only after the query.
//
// Shapes as in linear layers of checkpoints: w1 (width, 1), b1 (width), w2 (heads, width), b2
// (heads), c (1), lengthMultiplier (1).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "position/array_counts.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"
#include "position/relu_perceptron.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kWidth,
  kInitialLength,
  kEpsilon,
  kW1,
  kB1,
  kW2,
  kB2,
  kC,
  kLengthMultiplier,
  kParameters
};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("width", 1, 65536,
                       {"隐藏层的宽度", "width of the perceptron's hidden layer"})
        .or_else(32),
    Parameter::real("initialLength", 0, 1e9,
                    {"阈值长度的初值：更短处按它归一化",
                     "initial threshold: queries before it are normalised by it"})
        .or_else(512),
    Parameter::real("epsilon", 1e-12, 1,
                    {"加在分母上的小数", "small number added to the denominator"})
        .or_else(1e-6),
    Parameter::tensor("w1", {"第一层权重，形状（width，1）", "first layer, shape (width, 1)"})
        .required(),
    Parameter::tensor("b1", {"第一层偏移，形状（width）", "its offsets, shape (width)"}).required(),
    Parameter::tensor("w2",
                      {"第二层权重，形状（heads，width）", "second layer, shape (heads, width)"})
        .required(),
    Parameter::tensor("b2", {"第二层偏移，形状（heads）", "its offsets, shape (heads)"}).required(),
    Parameter::tensor("c", {"对数的尺度，形状（1）；默认 0.1",
                            "scale inside the logarithm, shape (1); 0.1 unless given"}),
    Parameter::tensor("lengthMultiplier", {"阈值长度的倍数，形状（1）；默认 1",
                                           "multiplies initialLength, shape (1); 1 unless given"}),
};

constexpr Hook kHooks[] = {Hook::bias};

double only_number(double value, double otherwise) {
  const auto given = numbers<float>(value);
  return given.empty() ? otherwise : static_cast<double>(given[0]);
}

double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }

class Fire final : public Encoding, public Bias {
 public:
  explicit Fire(std::span<const double> values)
      : heads_(static_cast<int>(values[kHeads])),
        perceptron_(static_cast<std::int64_t>(values[kWidth]), numbers<float>(values[kW1]).data(),
                    numbers<float>(values[kB1]).data(), numbers<float>(values[kW2]).data(),
                    numbers<float>(values[kB2]).data()),
        c_(only_number(values[kC], 0.1)),
        multiplier_(only_number(values[kLengthMultiplier], 1.0)),
        initial_length_(values[kInitialLength]),
        epsilon_(values[kEpsilon]) {}
  const Bias* bias() const override { return this; }
  bool relative() const override { return false; }

  int heads() const override { return heads_; }
  bool toeplitz() const override { return false; }
  void row(int head, Positions query, Positions keys, float* out) const override {
    const double denominator = psi(reach(query)) + epsilon_;
    for (std::int64_t n = 0; n < keys.count; ++n) {
      out[n] = static_cast<float>(
          perceptron_.output(head, {psi(distance(query, keys, n)) / denominator}));
    }
  }
  void row_grad(int head, Positions query, Positions keys, const float* d_row,
                std::span<float* const> grads) const override {
    const double length = reach(query);
    const double denominator = psi(length) + epsilon_;
    const bool by_threshold = length > query.at(0);
    double d_c = 0.0;
    double d_multiplier = 0.0;
    for (std::int64_t n = 0; n < keys.count; ++n) {
      const double x = distance(query, keys, n);
      const double ratio = psi(x) / denominator;
      double d_ratio[1];
      perceptron_.backward(head, {ratio}, static_cast<double>(d_row[n]),
                           {grads[0], grads[1], grads[2], grads[3]}, d_ratio);
      // ∂ψ(x)/∂c = sign(c)·x / (|c|·x + 1), ∂ψ(x)/∂x the same with |c| for sign(c)·x.
      const double d_psi = d_ratio[0] / denominator;
      const double d_psi_length = -ratio * d_psi;
      d_c += sign(c_) * (d_psi * x / (std::abs(c_) * x + 1) +
                         d_psi_length * length / (std::abs(c_) * length + 1));
      if (by_threshold) {
        d_multiplier += d_psi_length * std::abs(c_) / (std::abs(c_) * length + 1) *
                        sign(multiplier_) * initial_length_;
      }
    }
    add_to(grads[4], 0, d_c);
    add_to(grads[5], 0, d_multiplier);
  }

 private:
  double psi(double x) const { return std::log1p(std::abs(c_ * x)); }
  /// What distances are measured by, never negative.
  double reach(Positions query) const {
    return std::max(static_cast<double>(query.at(0)), std::abs(multiplier_ * initial_length_));
  }
  static double distance(Positions query, Positions keys, std::int64_t n) {
    return static_cast<double>(std::abs(std::int64_t{query.at(0)} - keys.at(n)));
  }

  int heads_;
  ReluPerceptron<1> perceptron_;
  double c_, multiplier_, initial_length_, epsilon_;
};

Fault derive(std::span<double> values) {
  return check_counts(values, {
                                  {kW1, values[kWidth], "width numbers"},
                                  {kB1, values[kWidth], "width numbers"},
                                  {kW2, values[kHeads] * values[kWidth], "heads · width numbers"},
                                  {kB2, values[kHeads], "heads numbers"},
                                  {kC, 1, "one number", true},
                                  {kLengthMultiplier, 1, "one number", true},
                              });
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Fire>(values);
}

}  // namespace

extern const Description fire = {
    .name = "fire",
    .title = {.zh = "渐进插值偏置 FIRE", .en = "Functional interpolation bias (FIRE)"},
    .year = 2023,
    .paper =
        "Li et al., Functional Interpolation for Relative Positions Improves Long Context "
        "Transformers",
    .url = "https://arxiv.org/abs/2310.04418",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
