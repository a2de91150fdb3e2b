// ALiBi (Press 2021, "Train Short, Test Long", section 3): the logit of head h loses a_h for every
// token of distance. Slopes: a_h = 2^(-8(h+1)/H) when H is a power of two; else those of the
// largest power of two below H, followed by every second one of twice that power (the authors'
// code). The order matters: checkpoints depend on it.
//
// The bias is −a_h·|query − key|: causal attention only meets keys at or before the query,
// bidirectional attention gets the symmetric form.
//
// MPT calls the 8 alibi_bias_max and lets a configuration change it: biasMax.
//
// With biasedHeads < heads the slopes are those of biasedHeads heads, and the heads after them have
// no bias (as in x-transformers' alibi_num_heads).
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/buffer.hpp"
#include "position/distance_bias.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kBiasedHeads, kBiasMax, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer(
        "biasedHeads", 1, 4096,
        {"前多少个头有偏置，其余为零；默认全部",
         "how many heads have a bias, those after them have none; all unless given"}),
    Parameter::real("biasMax", 0.001, 1000,
                    {"最小斜率是 2 的多少次方分之一（头数为 2 的幂时）",
                     "the smallest slope is 2 to minus this, of a power of two of heads"})
        .or_else(8),
};

constexpr Hook kHooks[] = {Hook::bias};

double slope(int head, int heads, double bias_max) {
  int power = 1;
  while (power * 2 <= heads) power *= 2;
  if (head < power) return std::exp2(-bias_max * (head + 1) / power);
  return std::exp2(-bias_max * (2 * (head - power) + 1) / (2 * power));
}

class Alibi final : public DistanceBias {
 public:
  Alibi(int heads, Buffer<double> slopes) : DistanceBias(heads), slopes_(std::move(slopes)) {}

 private:
  double at(int head, std::int64_t distance) const override {
    return -slopes_[head] * static_cast<double>(std::abs(distance));
  }

  Buffer<double> slopes_;  // (heads)
};

Fault derive(std::span<double> values) {
  double& biased = values[kBiasedHeads];
  if (std::isnan(biased)) biased = values[kHeads];
  if (biased > values[kHeads]) return {Status::parameter, kBiasedHeads, "at most heads"};
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto heads = static_cast<int>(values[kHeads]);
  const auto biased = static_cast<int>(values[kBiasedHeads]);
  Buffer<double> slopes(heads);
  if (!slopes.ok()) return nullptr;
  for (int h = 0; h < heads; ++h) {
    slopes[h] = h < biased ? slope(h, biased, values[kBiasMax]) : 0.0;
  }
  return std::make_unique<Alibi>(heads, std::move(slopes));
}

}  // namespace

extern const Description alibi = {
    .name = "alibi",
    .title = {.zh = "线性偏置 ALiBi", .en = "Attention with linear biases (ALiBi)"},
    .year = 2021,
    .paper =
        "Press et al., Train Short, Test Long: Attention with Linear Biases Enables Input "
        "Length Extrapolation",
    .url = "https://arxiv.org/abs/2108.12409",
    .users = "BLOOM, MPT, Baichuan-13B, Jina Embeddings v2",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
