// RoPE (Su 2021, "RoFormer", eq. 15): pair i of a query or key at position m turns by m·w_i, w_i =
// base^(-2i/rotary_dim). Pairs are (i, i + rotary_dim/2) in the layout of GPT-NeoX and Hugging
// Face's Llama, (2i, 2i + 1) in that of the paper, GPT-J and Meta's Llama. Dimensions past
// rotary_dim pass unchanged (GPT-J, GPT-NeoX).
#include <cmath>

#include "position/frequency_table.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeadDim, kRotaryDim, kBase, kLayout, kParameters };

constexpr const char* kLayouts[] = {"half", "interleaved"};

constexpr Parameter kTable[kParameters] = {
    {"headDim",
     Parameter::Kind::integer,
     Parameter::Missing::error,
     0,
     2,
     4096,
     {},
     {"每个头的维数", "width of one head"}},
    {"rotaryDim",
     Parameter::Kind::integer,
     Parameter::Missing::derived,
     0,
     2,
     4096,
     {},
     {"参与旋转的前若干维，偶数", "leading dimensions that turn, an even number"}},
    {"base",
     Parameter::Kind::real,
     Parameter::Missing::initial,
     10000,
     1.0,
     1e12,
     {},
     {"底数：波长从 2π 增长到接近 2π·底数", "wavelengths grow from 2π towards 2π·base"}},
    {"layout",
     Parameter::Kind::choice,
     Parameter::Missing::initial,
     0,
     0,
     1,
     kLayouts,
     {"哪两维配成一对", "which dimensions form a pair"}},
};

constexpr Hook kHooks[] = {Hook::rotate};

class Rope final : public Encoding, public Rotate {
 public:
  Rope(std::int64_t head_dim, std::int64_t rotary_dim, double base, PairLayout layout)
      : head_dim_(head_dim),
        layout_(layout),
        frequencies_(base, rotary_dim / 2, static_cast<double>(rotary_dim) / 2) {}

  bool ok() const { return frequencies_.ok(); }
  const Rotate* rotate() const override { return this; }
  std::span<const double> frequencies() const override { return frequencies_.values(); }

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
  }

 private:
  std::int64_t head_dim_;
  PairLayout layout_;
  FrequencyTable frequencies_;
};

Fault derive(std::span<double> values) {
  double& rotary_dim = values[kRotaryDim];
  if (std::isnan(rotary_dim)) rotary_dim = 2 * std::floor(values[kHeadDim] / 2);
  if (rotary_dim > values[kHeadDim]) return {Status::parameter, kRotaryDim, "at most headDim"};
  if (std::fmod(rotary_dim, 2) != 0) return {Status::parameter, kRotaryDim, "an even number"};
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  auto rope = std::make_unique<Rope>(static_cast<std::int64_t>(values[kHeadDim]),
                                     static_cast<std::int64_t>(values[kRotaryDim]), values[kBase],
                                     static_cast<PairLayout>(values[kLayout]));
  return rope->ok() ? std::move(rope) : nullptr;
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
