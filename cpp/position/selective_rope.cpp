// Selective RoPE (Movahedi 2025, "Selective Rotary Position Embedding"): a token turns by angles
// that depend on what it is, and later tokens keep them: pair i at position t turns by Σ_{s ≤ t}
// angle_s,i. The angles come from the model (projections of the tokens); here they are data, one
// row per token, and positions index the rows. Sums are formed in float64.
#include <algorithm>
#include <utility>

#include "core/angle.hpp"
#include "core/buffer.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeadDim, kRotaryDim, kLayout, kHeads, kAngles, kParameters };

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kLayout,
    Parameter::integer("heads", 1, 4096,
                       {"angles 中的头数；1 为各头共用", "heads in angles; 1 = shared by all"})
        .or_else(1),
    Parameter::tensor("angles", {"每个词元转过的弧度（头，词元，对）",
                                 "radians by which each token turns (heads, tokens, pairs)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::rotate};

class SelectiveRope final : public PairRotation {
 public:
  SelectiveRope(PairShape shape, std::int64_t heads, std::span<const float> angles)
      : PairRotation(shape),
        heads_(heads),
        tokens_(static_cast<std::int64_t>(angles.size()) / (heads * (shape.rotary_dim / 2))),
        sums_(static_cast<std::int64_t>(angles.size())),
        turns_(padded_frequencies(table_width())) {
    if (!ok()) return;
    std::fill_n(turns_.data(), padded_frequencies(table_width()), 0.0);
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(angles.size()); ++at) {
      const bool first = at / pairs() % tokens_ == 0;
      sums_[at] = (first ? 0.0 : sums_[at - pairs()]) + angles[static_cast<std::size_t>(at)];
    }
  }

  bool ok() const { return sums_.ok() && turns_.ok(); }
  bool relative() const override { return false; }
  std::int64_t tables() const override { return heads_; }
  std::int64_t table_of(Side /*side*/, int head) const override { return head % heads_; }
  PositionDomain domain() const override {
    return {.low = 0, .high = static_cast<std::int32_t>(tokens_ - 1)};
  }

  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      for (std::int64_t i = 0; i < table_width(); ++i) {
        const std::int64_t row = i / pairs() * tokens_ + positions.at(t);
        turns_[i] = sums_[row * pairs() + i % pairs()] * kQuarterTurns;
      }
      sincos_turns(turns_.data(), table_width(), sin + t * table_width(), cos + t * table_width());
    }
  }

  void turn_grad(Side side, int head, Positions positions, const float* x, const float* d_out,
                 std::span<float* const> grads) const override {
    if (grads[0] == nullptr) return;
    Buffer<float> cos(table_width());
    Buffer<float> sin(table_width());
    Buffer<float> y(head_dim());
    Buffer<double> d_sums(tokens_ * pairs());
    if (!cos.ok() || !sin.ok() || !y.ok() || !d_sums.ok()) return;
    std::fill_n(d_sums.data(), tokens_ * pairs(), 0.0);
    for (std::int64_t t = 0; t < positions.count; ++t, x += head_dim(), d_out += head_dim()) {
      table(side, positions.from(t, 1), cos.data(), sin.data());
      turn(side, head, x, cos.data(), sin.data(), 1, y.data());
      for (std::int64_t i = 0; i < pairs(); ++i) {
        const auto [a, b] = pair(i);
        d_sums[positions.at(t) * pairs() + i] +=
            static_cast<double>(d_out[b]) * y[a] - static_cast<double>(d_out[a]) * y[b];
      }
    }
    // A token's angle is in the sums of all later tokens.
    float* const grad = grads[0] + table_of(side, head) * tokens_ * pairs();
    for (std::int64_t i = 0; i < pairs(); ++i) {
      double later = 0.0;
      for (std::int64_t t = tokens_ - 1; t >= 0; --t) {
        later += d_sums[t * pairs() + i];
        grad[t * pairs() + i] += static_cast<float>(later);
      }
    }
  }

 private:
  std::int64_t heads_, tokens_;
  Buffer<double> sums_;           // (heads, tokens, pairs)
  mutable Buffer<double> turns_;  // scratch for one token, in quarter turns
};

Fault derive(std::span<double> values) {
  const Fault fault = rotary::derive_rotary_dim(values[kHeadDim], values[kRotaryDim], kRotaryDim);
  if (fault.status != Status::ok) return fault;
  const auto count = static_cast<double>(numbers<float>(values[kAngles]).size());
  if (count == 0 || std::fmod(count, values[kHeads] * values[kRotaryDim] / 2) != 0) {
    return {Status::parameter, kAngles, "heads · tokens · rotaryDim / 2 numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]),
                        static_cast<std::int64_t>(values[kRotaryDim]),
                        static_cast<PairLayout>(values[kLayout])};
  auto encoding = std::make_unique<SelectiveRope>(shape, static_cast<std::int64_t>(values[kHeads]),
                                                  numbers<float>(values[kAngles]));
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description selective_rope = {
    .name = "selective_rope",
    .title = {.zh = "由内容决定角度的旋转编码", .en = "Selective rotary embedding"},
    .year = 2025,
    .paper = "Movahedi et al., Selective Rotary Position Embedding",
    .url = "https://arxiv.org/abs/2511.17388",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
