// The temperature of Llama 4's layers without position encoding (`attn_temperature_tuning` of its
// code): a query at position m is multiplied by 1 + a·ln(⌊(m + o)/F⌋ + 1), with a = 0.1, F = 8192,
// o = 1. Ministral 3 has it on every layer, after RoPE, with o = 0 and F the trained length.
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kScale, kFloorScale, kOffset, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::real("scale", 0, 100, {"对数前的系数 a", "what the logarithm is multiplied by, a"})
        .or_else(0.1),
    Parameter::integer("floorScale", 1, 1 << 30,
                       {"每过这么多位置升一级 F", "positions per step, F"})
        .or_else(8192),
    Parameter::integer("offset", 0, 1,
                       {"加到位置上的 o：Llama 4 为 1，Ministral 3 为 0",
                        "added to the position, o: 1 in Llama 4, 0 in Ministral 3"})
        .or_else(1),
};

constexpr Hook kHooks[] = {Hook::scale};

class Llama4Temperature final : public Encoding, public Scale {
 public:
  Llama4Temperature(double scale, double floor_scale, double offset)
      : scale_(scale), floor_scale_(floor_scale), offset_(offset) {}
  const Scale* scale() const override { return this; }
  float factor(int /*head*/, Positions query) const override {
    const double steps = std::max(std::floor((query.at(0) + offset_) / floor_scale_), 0.0);
    return static_cast<float>(1 + scale_ * std::log(steps + 1));
  }

 private:
  double scale_, floor_scale_, offset_;
};

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Llama4Temperature>(values[kScale], values[kFloorScale], values[kOffset]);
}

}  // namespace

extern const Description llama4_temperature = {
    .name = "llama4_temperature",
    .title = {.zh = "Llama 4 的注意力温度", .en = "Attention temperature of Llama 4"},
    .year = 2025,
    .paper = "Meta, Llama 4 (reference code)",
    .url = "https://github.com/meta-llama/llama-models",
    .users = "Llama 4",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = nullptr,
    .make = make,
};

}  // namespace posenc::encodings
