// Scalable softmax (Nakanishi 2025, "Scalable-Softmax Is Superior for Attention"): the
// logits of a query that sees n keys are multiplied by s·ln n + b before the softmax, with s and b
// trained for every head; here n = position + 1, as in causal attention without a window. b is 0
// unless it is given.
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kStrengths, kBiases, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::tensor("strengths", {"每个头训练出的 s（头），默认 1",
                                    "the trained s of each head (heads), 1 by default"}),
    Parameter::tensor("biases", {"每个头训练出的 b（头），默认 0",
                                 "the trained b of each head (heads), 0 by default"}),
};

constexpr Hook kHooks[] = {Hook::scale};

class Ssmax final : public Encoding, public Scale {
 public:
  Ssmax(int heads, std::span<const float> strengths, std::span<const float> biases)
      : heads_(heads), strengths_(strengths), biases_(biases) {}

  const Scale* scale() const override { return this; }
  float factor(int head, Positions query) const override {
    const auto h = static_cast<std::size_t>(head % heads_);
    const double s = strengths_.empty() ? 1.0 : static_cast<double>(strengths_[h]);
    const double b = biases_.empty() ? 0.0 : static_cast<double>(biases_[h]);
    return static_cast<float>(s * log_keys(query) + b);
  }
  void factor_grad(int head, Positions query, float d_factor,
                   std::span<float* const> grads) const override {
    const int h = head % heads_;
    if (grads[0] != nullptr) grads[0][h] += static_cast<float>(d_factor * log_keys(query));
    if (grads[1] != nullptr) grads[1][h] += d_factor;
  }

 private:
  static double log_keys(Positions query) { return std::log(std::max(query.at(0) + 1.0, 1.0)); }

  int heads_;
  std::span<const float> strengths_, biases_;  // (heads), or empty
};

Fault derive(std::span<double> values) {
  for (const int parameter : {kStrengths, kBiases}) {
    const auto count =
        static_cast<double>(numbers<float>(values[static_cast<std::size_t>(parameter)]).size());
    if (count != 0 && count != values[kHeads])
      return {Status::parameter, parameter, "heads numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Ssmax>(static_cast<int>(values[kHeads]),
                                 numbers<float>(values[kStrengths]),
                                 numbers<float>(values[kBiases]));
}

}  // namespace

extern const Description ssmax = {
    .name = "ssmax",
    .title = {.zh = "可伸缩 softmax（SSMax）", .en = "Scalable softmax (SSMax)"},
    .year = 2025,
    .paper = "Nakanishi, Scalable-Softmax Is Superior for Attention",
    .url = "https://arxiv.org/abs/2501.19399",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
