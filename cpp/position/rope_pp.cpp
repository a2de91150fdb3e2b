// RoPE++ (Liu 2025, "Beyond Real: Imaginary Extension of Rotary Position Embeddings", section 3.1):
// a product of query and key as complex numbers has an imaginary part, which RoPE throws away. Half
// of the query heads attend by it: their queries turn by −π/2 more, m·w_i − π/2, against the same
// keys. "EC" doubles the heads for the keys at hand, "EH" halves the keys; both are a matter of how
// many heads there are.
#include <numbers>
#include <utility>

#include "position/angle_table.hpp"
#include "position/frequency_table.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeadDim, kRotaryDim, kBase, kLayout, kHeads, kOrder, kParameters };

constexpr const char* kOrders[] = {"alternating", "halves"};

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kBase,
    rotary::kLayout,
    Parameter::integer("heads", 2, 4096,
                       {"查询头数，偶数", "number of query heads, an even number"})
        .required(),
    Parameter::choice(
        "order", kOrders,
        {"虚部头为奇数号，或为后一半", "imaginary heads are the odd ones, or the second half"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::rotate};

class RopePp final : public PairRotation {
 public:
  RopePp(PairShape shape, std::int64_t heads, bool halves, FrequencyTable frequencies)
      : PairRotation(shape),
        heads_(heads),
        halves_(halves),
        frequencies_(std::move(frequencies)),
        angles_(2, 1, shape.rotary_dim / 2) {
    if (!ok()) return;
    for (std::int64_t i = 0; i < pairs(); ++i) {
      const double frequency = frequencies_.values()[static_cast<std::size_t>(i)];
      angles_.frequency(0, i) = frequency;
      angles_.frequency(0, pairs() + i) = frequency;
      angles_.phase(pairs() + i) = -std::numbers::pi / 2;
    }
  }

  bool ok() const { return frequencies_.ok() && angles_.ok(); }
  std::span<const double> frequencies() const override { return frequencies_.values(); }
  std::int64_t tables() const override { return 2; }
  std::int64_t table_of(Side side, int head) const override {
    if (side == Side::key) return 0;
    return halves_ ? head / (heads_ / 2) % 2 : head % 2;
  }
  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      angles_.sincos(positions.from(t, 1), sin + t * table_width(), cos + t * table_width());
    }
  }

 private:
  std::int64_t heads_;
  bool halves_;
  FrequencyTable frequencies_;
  AngleTable angles_;  // real heads, then imaginary ones
};

Fault derive(std::span<double> values) {
  if (std::fmod(values[kHeads], 2) != 0) return {Status::parameter, kHeads, "an even number"};
  return rotary::derive_rotary_dim(values[kHeadDim], values[kRotaryDim], kRotaryDim);
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto rotary_dim = static_cast<std::int64_t>(values[kRotaryDim]);
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]), rotary_dim,
                        static_cast<PairLayout>(values[kLayout])};
  auto encoding = std::make_unique<RopePp>(
      shape, static_cast<std::int64_t>(values[kHeads]), values[kOrder] == 1,
      FrequencyTable(values[kBase], rotary_dim / 2, values[kRotaryDim] / 2));
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description rope_pp = {
    .name = "rope_pp",
    .title = {.zh = "带虚部注意力的旋转编码 RoPE++", .en = "RoPE with imaginary heads (RoPE++)"},
    .year = 2025,
    .paper =
        "Liu et al., Beyond Real: Imaginary Extension of Rotary Position Embeddings for "
        "Long-Context LLMs",
    .url = "https://arxiv.org/abs/2512.07525",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
