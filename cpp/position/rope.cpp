// RoPE (Su 2021, "RoFormer", eq. 15): pair i of a query or key at position m turns by m·w_i, w_i =
// base^(-2i/rotary_dim). Pairs are (i, i + rotary_dim/2) in the layout of GPT-NeoX and Hugging
// Face's Llama, (2i, 2i + 1) in that of the paper, GPT-J and Meta's Llama. Dimensions past
// rotary_dim pass unchanged (GPT-J, GPT-NeoX).
#include <cmath>
#include <utility>

#include "position/frequency_table.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kRotaryDim,
  kBase,
  kLayout,
  kFrequencies,
  kAttentionFactor,
  kParameters
};

constexpr const char* kLayouts[] = {"half", "interleaved"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("headDim", 2, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::integer(
        "rotaryDim", 2, 4096,
        {"参与旋转的前若干维，偶数", "leading dimensions that turn, an even number"}),
    Parameter::real(
        "base", 1, 1e12,
        {"底数：波长从 2π 增长到接近 2π·底数", "wavelengths grow from 2π towards 2π·base"})
        .or_else(10000),
    Parameter::choice("layout", kLayouts, {"哪两维配成一对", "which dimensions form a pair"})
        .or_else(0),
    Parameter::doubles("frequencies", -1e6, 1e6,
                       {"每对的角频率（弧度每位置），代替由底数算出的",
                        "radians per position of each pair, instead of those made from base"}),
    Parameter::real("attentionFactor", 1e-6, 1e6,
                    {"余弦和正弦共同乘上的因子", "what cosines and sines are multiplied by"})
        .or_else(1),
};

constexpr Hook kHooks[] = {Hook::rotate};

class Rope final : public Encoding, public Rotate {
 public:
  Rope(std::int64_t head_dim, PairLayout layout, double attention_factor,
       FrequencyTable frequencies)
      : head_dim_(head_dim),
        layout_(layout),
        attention_factor_(attention_factor),
        frequencies_(std::move(frequencies)) {}

  const Rotate* rotate() const override { return this; }
  std::span<const double> frequencies() const override { return frequencies_.values(); }
  double attention_factor() const override { return attention_factor_; }

  PairLayout layout() const override { return layout_; }
  std::int64_t head_dim() const override { return head_dim_; }
  std::int64_t rotary_dim() const override {
    return 2 * static_cast<std::int64_t>(frequencies_.values().size());
  }
  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    const std::int64_t pairs = rotary_dim() / 2;
    for (std::int64_t t = 0; t < positions.count; ++t) {
      frequencies_.sincos(positions.at(t), sin + t * pairs, cos + t * pairs);
    }
    if (attention_factor_ == 1.0) return;
    const auto factor = static_cast<float>(attention_factor_);
    for (std::int64_t i = 0; i < positions.count * pairs; ++i) {
      cos[i] *= factor;
      sin[i] *= factor;
    }
  }

 private:
  std::int64_t head_dim_;
  PairLayout layout_;
  double attention_factor_;
  FrequencyTable frequencies_;
};

Fault derive(std::span<double> values) {
  const auto frequencies = numbers<double>(values[kFrequencies]);
  double& rotary_dim = values[kRotaryDim];
  if (std::isnan(rotary_dim)) {
    rotary_dim = frequencies.empty() ? 2 * std::floor(values[kHeadDim] / 2)
                                     : 2 * static_cast<double>(frequencies.size());
  }
  if (rotary_dim > values[kHeadDim]) return {Status::parameter, kRotaryDim, "at most headDim"};
  if (std::fmod(rotary_dim, 2) != 0) return {Status::parameter, kRotaryDim, "an even number"};
  if (!frequencies.empty() && 2 * static_cast<double>(frequencies.size()) != rotary_dim) {
    return {Status::parameter, kFrequencies, "rotaryDim / 2 numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto given = numbers<double>(values[kFrequencies]);
  const double pairs = values[kRotaryDim] / 2;
  FrequencyTable frequencies =
      given.empty() ? FrequencyTable(values[kBase], static_cast<std::int64_t>(pairs), pairs)
                    : FrequencyTable(given);
  if (!frequencies.ok()) return nullptr;
  return std::make_unique<Rope>(static_cast<std::int64_t>(values[kHeadDim]),
                                static_cast<PairLayout>(values[kLayout]), values[kAttentionFactor],
                                std::move(frequencies));
}

}  // namespace

extern const Description rope = {
    .name = "rope",
    .title = {.zh = "旋转位置编码 RoPE", .en = "Rotary position embedding (RoPE)"},
    .year = 2021,
    .paper = "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding",
    .url = "https://arxiv.org/abs/2104.09864",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
