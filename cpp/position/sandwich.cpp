// Sandwich (Chi 2022, "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field
// Analysis"): the product of the sinusoidal rows of query and key, kept as a bias. Head
// h = 1 … H adds (H / 8h) · Σ_i cos(distance · base^(−2i/width)), i = 0 … width/2 − 1. Nothing is
// trained.
#include <cmath>
#include <utility>

#include "position/distance_bias.hpp"
#include "position/frequency_table.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kWidth, kBase, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("width", 2, 65536,
                       {"正弦行的维数，偶数", "width of the sinusoidal rows, an even number"})
        .or_else(128),
    Parameter::real("base", 1, 1e12, {"正弦频率的底数", "base of the sinusoids' frequencies"})
        .or_else(10000),
};

constexpr Hook kHooks[] = {Hook::bias};

class Sandwich final : public DistanceBias {
 public:
  Sandwich(int heads, FrequencyTable frequencies)
      : DistanceBias(heads), frequencies_(std::move(frequencies)) {}
  std::span<const double> frequencies() const override { return frequencies_.values(); }

 private:
  double at(int head, std::int64_t distance) const override {
    double sum = 0.0;
    for (const double w : frequencies_.values()) sum += std::cos(static_cast<double>(distance) * w);
    return sum * heads() / (8.0 * (head + 1));
  }

  FrequencyTable frequencies_;
};

Fault derive(std::span<double> values) {
  if (std::fmod(values[kWidth], 2) != 0) return {Status::parameter, kWidth, "an even number"};
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const double pairs = values[kWidth] / 2;
  FrequencyTable frequencies(values[kBase], static_cast<std::int64_t>(pairs), pairs);
  if (!frequencies.ok()) return nullptr;
  return std::make_unique<Sandwich>(static_cast<int>(values[kHeads]), std::move(frequencies));
}

}  // namespace

extern const Description sandwich = {
    .name = "sandwich",
    .title = {.zh = "三明治偏置 Sandwich", .en = "Sandwich bias"},
    .year = 2022,
    .paper =
        "Chi et al., Dissecting Transformer Length Extrapolation via the Lens of Receptive Field "
        "Analysis",
    .url = "https://arxiv.org/abs/2212.10356",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
