// M-RoPE (Wang 2024, "Qwen2-VL", section 2.1): RoPE over positions of several coordinates (time,
// height, width), each turning its share of the pairs. `sections` says how many pairs an axis has.
// "chunked" gives each axis a stretch of pairs in order (Qwen2-VL, GLM-4V); "interleaved" deals
// them out in turn, THWTHW…, until an axis has its share, and leaves the rest to the first axis
// (Qwen3-VL): pair i belongs to axis a = i mod axes if i < axes · sections[a], else to axis 0.
// Frequencies are those of RoPE, so that text, whose coordinates are all equal, is turned as by
// RoPE; a token with a single coordinate has it on every axis.
#include <cmath>
#include <utility>

#include "position/angle_table.hpp"
#include "position/frequency_table.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kRotaryDim,
  kBase,
  kLayout,
  kSections,
  kOrder,
  kFrequencies,
  kAttentionFactor,
  kParameters
};

constexpr const char* kOrders[] = {"chunked", "interleaved"};

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kBase,
    rotary::kLayout,
    Parameter::doubles("sections", 0, 2048,
                       {"每条轴（时间、高、宽）的对数，合计 rotaryDim / 2",
                        "pairs of each axis (time, height, width), rotaryDim / 2 in all"})
        .required(),
    Parameter::choice(
        "order", kOrders,
        {"各轴的对连续排列，或轮流排列", "pairs of an axis in one stretch, or dealt out in turn"})
        .or_else(0),
    rotary::kFrequencies,
    rotary::kAttentionFactor,
};

constexpr Hook kHooks[] = {Hook::rotate};

/// The axis that turns pair i.
int axis_of(std::int64_t i, std::span<const double> sections, bool interleaved) {
  const auto axes = static_cast<std::int64_t>(sections.size());
  if (interleaved) {
    const std::int64_t axis = i % axes;
    const double share = static_cast<double>(axes) * sections[static_cast<std::size_t>(axis)];
    return static_cast<double>(i) < share ? static_cast<int>(axis) : 0;
  }
  double end = 0;
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    end += sections[static_cast<std::size_t>(axis)];
    if (static_cast<double>(i) < end) return static_cast<int>(axis);
  }
  return 0;
}

class Mrope final : public PairRotation {
 public:
  Mrope(PairShape shape, double attention_factor, std::span<const double> sections,
        bool interleaved, FrequencyTable frequencies)
      : PairRotation(shape),
        axes_(static_cast<int>(sections.size())),
        attention_factor_(attention_factor),
        frequencies_(std::move(frequencies)),
        angles_(1, axes_, shape.rotary_dim / 2) {
    if (!ok()) return;
    for (std::int64_t i = 0; i < pairs(); ++i) {
      angles_.frequency(axis_of(i, sections, interleaved), i) =
          frequencies_.values()[static_cast<std::size_t>(i)];
    }
  }

  bool ok() const { return frequencies_.ok() && angles_.ok(); }
  std::span<const double> frequencies() const override { return frequencies_.values(); }
  double attention_factor() const override { return attention_factor_; }
  PositionDomain domain() const override { return {.axes = axes_, .one_for_all = true}; }

  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      angles_.sincos(positions.from(t, 1), sin + t * pairs(), cos + t * pairs());
    }
    rotary::multiply(cos, sin, positions.count * pairs(), attention_factor_);
  }

 private:
  int axes_;
  double attention_factor_;
  FrequencyTable frequencies_;
  AngleTable angles_;
};

Fault derive(std::span<double> values) {
  const auto frequencies = numbers<double>(values[kFrequencies]);
  const Fault fault = rotary::derive_rotary_dim(values[kHeadDim], values[kRotaryDim], kRotaryDim,
                                                frequencies.size());
  if (fault.status != Status::ok) return fault;
  const double pairs = values[kRotaryDim] / 2;
  if (!frequencies.empty() && static_cast<double>(frequencies.size()) != pairs) {
    return {Status::parameter, kFrequencies, "rotaryDim / 2 numbers"};
  }
  const auto sections = numbers<double>(values[kSections]);
  constexpr std::size_t kMostAxes = 8;
  if (sections.empty() || sections.size() > kMostAxes) {
    return {Status::parameter, kSections, "one number per axis, 1 to 8 axes"};
  }
  double sum = 0;
  for (const double section : sections) {
    if (section != std::floor(section)) return {Status::parameter, kSections, "whole numbers"};
    sum += section;
  }
  if (sum != pairs) return {Status::parameter, kSections, "rotaryDim / 2 in all"};
  if (values[kOrder] == 1) {
    // Dealt out in turn, an axis past the first finds no more pairs than this.
    for (std::size_t axis = 1; axis < sections.size(); ++axis) {
      const double last =
          static_cast<double>(sections.size()) * (sections[axis] - 1) + static_cast<double>(axis);
      if (sections[axis] > 0 && last >= pairs) {
        return {Status::parameter, kSections, "no axis larger than the first"};
      }
    }
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]),
                        static_cast<std::int64_t>(values[kRotaryDim]),
                        static_cast<PairLayout>(values[kLayout])};
  auto encoding = std::make_unique<Mrope>(
      shape, values[kAttentionFactor], numbers<double>(values[kSections]), values[kOrder] == 1,
      FrequencyTable(numbers<double>(values[kFrequencies]), values[kBase], values[kRotaryDim]));
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description mrope = {
    .name = "mrope",
    .title = {.zh = "多模态旋转编码 M-RoPE", .en = "Multimodal rotary embedding (M-RoPE)"},
    .year = 2024,
    .paper =
        "Wang et al., Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any "
        "Resolution",
    .url = "https://arxiv.org/abs/2409.12191",
    .users = "Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4.1V",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
