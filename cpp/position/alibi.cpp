// ALiBi (Press 2021, "Train Short, Test Long", section 3): the logit of head h loses a_h for every
// token of distance. Slopes: a_h = 2^(-8(h+1)/H) when H is a power of two; else those of the
// largest power of two below H, followed by every second one of twice that power (the authors'
// code). The order matters: checkpoints depend on it.
//
// The bias is −a_h·|query − key|: causal attention only meets keys at or before the query,
// bidirectional attention gets the symmetric form.
#include <cmath>
#include <cstdlib>

#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

constexpr Parameter kTable[] = {
    {"heads",
     Parameter::Kind::integer,
     Parameter::Missing::error,
     0,
     1,
     4096,
     {},
     {"头数", "number of heads"}},
};

constexpr Hook kHooks[] = {Hook::bias};

double slope(int head, int heads) {
  int power = 1;
  while (power * 2 <= heads) power *= 2;
  if (head < power) return std::exp2(-8.0 * (head + 1) / power);
  return std::exp2(-8.0 * (2 * (head - power) + 1) / (2 * power));
}

class Alibi final : public Encoding, public Bias {
 public:
  explicit Alibi(int heads) : heads_(heads) {}
  const Bias* bias() const override { return this; }

  int heads() const override { return heads_; }
  bool toeplitz() const override { return true; }
  void by_distance(int head, std::int64_t first, std::int64_t count, float* out) const override {
    const double a = slope(head, heads_);
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<float>(-a * static_cast<double>(std::abs(first + i)));
    }
  }
  void row(int head, std::int32_t query_position, Positions keys, float* out) const override {
    const double a = slope(head, heads_);
    for (std::int64_t n = 0; n < keys.count; ++n) {
      const std::int64_t distance = std::int64_t{query_position} - keys.at(n);
      out[n] = static_cast<float>(-a * static_cast<double>(std::abs(distance)));
    }
  }

 private:
  int heads_;
};

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Alibi>(static_cast<int>(values[0]));
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
    .hooks = kHooks,
    .parameters = kTable,
    .derive = nullptr,
    .make = make,
};

}  // namespace posenc::encodings
