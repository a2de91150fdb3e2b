// CAPE, continuous augmented positional embeddings (Likhomanenko 2021, section 3.2): sinusoids at
// real positions. In training, position i becomes
//   (x_i + Δ + δ_i)·λ,   x_i = (i − centre)·positionScale,
// with Δ uniform within ±globalShift, δ_i within ±localShift, ln λ within ±ln maxScale; in use it
// is x_i. All of a sequence share Δ and λ, which come from the seed; δ_i comes from the seed and i,
// so that a token keeps its row however the sequence is cut.
//
// Conventions of others in these words: the authors' `normalize` subtracts the mean of the
// positions, here (tokens − 1)/2 as `centre`; their pos_scale is `positionScale` (seconds per frame
// of speech), and a freq_scale multiplies it and both shifts. Local shifts below half of
// positionScale keep the order of tokens. A batch takes a seed for each of its sequences.
#include <cmath>

#include "core/random.hpp"
#include "position/registry.hpp"
#include "position/sinusoid.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kWidth,
  kBase,
  kPositionScale,
  kCentre,
  kTraining,
  kGlobalShift,
  kLocalShift,
  kMaxScale,
  kSeed,
  kParameters
};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("width", 1, 65536, {"每行的维数", "width of a row"}).required(),
    Parameter::real(
        "base", 1, 1e12,
        {"底数：波长从 2π 增长到接近 2π·底数", "wavelengths grow from 2π towards 2π·base"})
        .or_else(10000),
    Parameter::real("positionScale", 1e-6, 1e3,
                    {"位置乘上的数（语音为每帧秒数）",
                     "what positions are multiplied by (speech: seconds per frame)"})
        .or_else(1),
    Parameter::real("centre", -1e9, 1e9,
                    {"先从位置中减去的数", "subtracted from positions before that"})
        .or_else(0),
    Parameter::flag("training", {"是否加上随机的平移和缩放", "whether positions are augmented"})
        .or_else(0),
    Parameter::real("globalShift", 0, 1e9,
                    {"整个序列的平移的上限", "largest shift of the whole sequence"})
        .or_else(0),
    Parameter::real("localShift", 0, 1e9,
                    {"每个位置自己的平移的上限", "largest shift of each position on its own"})
        .or_else(0),
    Parameter::real("maxScale", 1, 1e3,
                    {"缩放的上限，下限是它的倒数", "largest scale; its inverse is the smallest"})
        .or_else(1),
    Parameter::integer("seed", 0, 0x1p53 - 1, {"随机种子", "seed of what is drawn"}).or_else(0),
};

constexpr Hook kHooks[] = {Hook::embed};

class Cape final : public Encoding, public Embed {
 public:
  explicit Cape(std::span<const double> values)
      : width_(static_cast<std::int64_t>(values[kWidth])),
        position_scale_(values[kPositionScale]),
        centre_(values[kCentre]),
        seed_(static_cast<std::uint64_t>(values[kSeed])),
        sinusoid_(values[kBase], width_, values[kWidth] / 2, true) {
    if (values[kTraining] == 0) return;
    Random draws(seed_);
    shift_ = within(draws, values[kGlobalShift]);
    scale_ = std::exp(within(draws, std::log(values[kMaxScale])));
    local_shift_ = values[kLocalShift];
  }

  bool ok() const { return sinusoid_.ok(); }
  const Embed* embed() const override { return this; }
  std::span<const double> frequencies() const override { return sinusoid_.frequencies(); }

  std::int64_t width() const override { return width_; }
  void rows(Positions positions, float* out) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      sinusoid_.write_interleaved(place(positions.at(t)), out + t * width_);
    }
  }

 private:
  /// Uniform within ±most.
  static double within(Random& draws, double most) {
    return (2 * static_cast<double>(draws.uniform()) - 1) * most;
  }

  /// The real position of an integer one.
  double place(std::int32_t position) const {
    // The first two numbers of the stream are those of the sequence.
    Random draws(seed_, 2 + static_cast<std::uint64_t>(std::int64_t{position} + kMaxPosition));
    const double x = (position - centre_) * position_scale_;
    return (x + shift_ + within(draws, local_shift_)) * scale_;
  }

  std::int64_t width_;
  double position_scale_, centre_;
  std::uint64_t seed_;
  double shift_ = 0.0, scale_ = 1.0, local_shift_ = 0.0;
  Sinusoid sinusoid_;
};

std::unique_ptr<Encoding> make(std::span<const double> values) {
  auto encoding = std::make_unique<Cape>(values);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description cape = {
    .name = "cape",
    .title = {.zh = "连续增广的位置编码 CAPE", .en = "Continuous augmented positions (CAPE)"},
    .year = 2021,
    .paper =
        "Likhomanenko et al., CAPE: Encoding Relative Positions with Continuous Augmented "
        "Positional Embeddings",
    .url = "https://arxiv.org/abs/2106.03143",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = nullptr,
    .make = make,
};

}  // namespace posenc::encodings
