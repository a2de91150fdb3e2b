// RoPE (Su 2021, "RoFormer", eq. 15): pair i of a query or key at position m turns by m·w_i, w_i =
// base^(-2i/rotary_dim). Pairs are (i, i + rotary_dim/2) in the layout of GPT-NeoX and Hugging
// Face's Llama, (2i, 2i + 1) in that of the paper, GPT-J and Meta's Llama. Dimensions that do not
// turn pass unchanged: those past rotary_dim (GPT-J, GPT-NeoX), or those before `offset`, for the
// slice of a head that carries RoPE in DeepSeek-V2's MLA (section 2.1.3).
//
// With `turnsOutputBack` keys and values are one vector, as in DeepSeek-V4: what is mixed are
// turned values, and turning the output of a query at m by −m leaves distances alone.
//
// `angles: 'float32'` makes the tables of Hugging Face's code, which forms frequencies and angles
// in float32: off by radians far out, but what checkpoints were run with.
#include <cmath>
#include <utility>

#include "position/frequency_table.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kRotaryDim,
  kBase,
  kLayout,
  kFrequencies,
  kAttentionFactor,
  kOffset,
  kTurnsOutputBack,
  kAngles,
  kParameters
};

constexpr const char* kAngleTypes[] = {"float64", "float32"};

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kBase,
    rotary::kLayout,
    rotary::kFrequencies,
    rotary::kAttentionFactor,
    Parameter::integer("offset", 0, 4094,
                       {"从第几维开始旋转，之前的维不变（MLA 的位置部分在末尾）",
                        "the first dimension that turns; those before it pass (the rope slice of "
                        "MLA is the last)"})
        .or_else(0),
    Parameter::flag("turnsOutputBack",
                    {"键与值是同一向量：值同样旋转，输出再按查询位置转回（DeepSeek-V4）",
                     "keys and values are one vector: values turn too, and the output is turned "
                     "back by the query's position (DeepSeek-V4)"})
        .or_else(0),
    Parameter::choice("angles", kAngleTypes,
                      {"角度的精度：float32 重现 Hugging Face 的表",
                       "precision of angles; float32 makes the tables of Hugging Face"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::rotate};

class Rope final : public PairRotation {
 public:
  Rope(PairShape shape, double attention_factor, bool turns_output_back, bool float32,
       FrequencyTable frequencies)
      : PairRotation(shape),
        attention_factor_(attention_factor),
        turns_output_back_(turns_output_back),
        float32_(float32),
        frequencies_(std::move(frequencies)) {}

  std::span<const double> frequencies() const override { return frequencies_.values(); }
  double attention_factor() const override { return attention_factor_; }
  bool turns_output_back() const override { return turns_output_back_; }

  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      float* const s = sin + t * pairs();
      float* const c = cos + t * pairs();
      if (float32_) {
        frequencies_.sincos_float32(positions.at(t), s, c);
      } else {
        frequencies_.sincos(positions.at(t), s, c);
      }
    }
    rotary::multiply(cos, sin, positions.count * pairs(), attention_factor_);
  }

 private:
  double attention_factor_;
  bool turns_output_back_;
  bool float32_;
  FrequencyTable frequencies_;
};

Fault derive(std::span<double> values) {
  const auto frequencies = numbers<double>(values[kFrequencies]);
  const double room = values[kHeadDim] - values[kOffset];
  if (room < 2) return {Status::parameter, kOffset, "at most headDim - 2"};
  if (values[kRotaryDim] > room && values[kOffset] > 0) {
    return {Status::parameter, kRotaryDim, "at most headDim - offset"};
  }
  const Fault fault =
      rotary::derive_rotary_dim(room, values[kRotaryDim], kRotaryDim, frequencies.size());
  if (fault.status != Status::ok) return fault;
  if (!frequencies.empty() && 2 * static_cast<double>(frequencies.size()) != values[kRotaryDim]) {
    return {Status::parameter, kFrequencies, "rotaryDim / 2 numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto given = numbers<double>(values[kFrequencies]);
  const bool float32 = values[kAngles] == 1;
  FrequencyTable frequencies(given, values[kBase], values[kRotaryDim]);
  if (!frequencies.ok()) return nullptr;
  if (float32) frequencies.round_to_float32(given.empty() ? values[kBase] : 0.0);
  const PairShape shape{
      static_cast<std::int64_t>(values[kHeadDim]), static_cast<std::int64_t>(values[kRotaryDim]),
      static_cast<PairLayout>(values[kLayout]), static_cast<std::int64_t>(values[kOffset])};
  return std::make_unique<Rope>(shape, values[kAttentionFactor], values[kTurnsOutputBack] == 1,
                                float32, std::move(frequencies));
}

}  // namespace

extern const Description rope = {
    .name = "rope",
    .title = {.zh = "旋转位置编码 RoPE", .en = "Rotary position embedding (RoPE)"},
    .year = 2021,
    .paper = "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding",
    .url = "https://arxiv.org/abs/2104.09864",
    .users = "Llama, Qwen, Mistral, Gemma, Phi, DeepSeek, GPT-NeoX",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
