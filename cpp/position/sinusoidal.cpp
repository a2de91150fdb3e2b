// Sinusoids (Vaswani 2017, section 3.5): column pair i of position m holds sin(m·w_i) and
// cos(m·w_i), w_i = base^(-2i/d). Variants in use: all sines before all cosines ("halves");
// exponents i/(d/2 − 1), so that the last wavelength is exactly 2π·base (tensor2tensor, fairseq,
// Whisper); cosines first (MusicGen). An odd width drops the last cosine when interleaved, and gets
// a column of zeros in halves (tensor2tensor).
#include <algorithm>
#include <cmath>

#include "position/frequency_table.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kWidth, kBase, kLayout, kDenominator, kOrder, kParameters };

constexpr const char* kLayouts[] = {"interleaved", "halves"};
constexpr const char* kDenominators[] = {"d/2", "d/2-1"};
constexpr const char* kOrders[] = {"sin-cos", "cos-sin"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("width", 1, 65536, {"每行的维数", "width of a row"}).required(),
    Parameter::real(
        "base", 1, 1e12,
        {"底数：波长从 2π 增长到接近 2π·底数", "wavelengths grow from 2π towards 2π·base"})
        .or_else(10000),
    Parameter::choice("layout", kLayouts,
                      {"正弦与余弦交错，或各占一半", "sines and cosines interleaved, or in halves"})
        .or_else(0),
    Parameter::choice(
        "denominator", kDenominators,
        {"第 i 个频率的指数是 i 除以它", "frequency i has the exponent i divided by this"})
        .or_else(0),
    Parameter::choice("order", kOrders, {"先正弦还是先余弦", "which function comes first"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::embed};

/// Pairs of a row; an interleaved odd row ends in half a pair.
std::int64_t pair_count(std::int64_t width, bool halves) {
  return halves ? width / 2 : (width + 1) / 2;
}

class Sinusoidal final : public Encoding, public Embed {
 public:
  Sinusoidal(std::int64_t width, double base, bool halves, double denominator, bool cosine_first)
      : width_(width),
        halves_(halves),
        cosine_first_(cosine_first),
        frequencies_(base, pair_count(width, halves), denominator),
        row_(2 * padded_frequencies(pair_count(width, halves))) {}

  bool ok() const { return frequencies_.ok() && row_.ok(); }
  const Embed* embed() const override { return this; }
  std::span<const double> frequencies() const override { return frequencies_.values(); }

  std::int64_t width() const override { return width_; }
  void rows(Positions positions, float* out) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      if (halves_) {
        write_halves(positions.at(t), out + t * width_);
      } else {
        write_interleaved(positions.at(t), out + t * width_);
      }
    }
  }

 private:
  std::int64_t pairs() const { return static_cast<std::int64_t>(frequencies_.values().size()); }

  void write_halves(std::int32_t position, float* row) const {
    float* first = row;
    float* second = row + pairs();
    frequencies_.sincos(position, cosine_first_ ? second : first, cosine_first_ ? first : second);
    if (width_ % 2 != 0) row[width_ - 1] = 0.0F;
  }

  void write_interleaved(std::int32_t position, float* row) const {
    float* first = row_.data();
    float* second = first + padded_frequencies(pairs());
    frequencies_.sincos(position, cosine_first_ ? second : first, cosine_first_ ? first : second);
    std::int64_t i = 0;
    for (; 2 * (i + kLanes) <= width_; i += kLanes) {
      const Batch a = load(first + i);
      const Batch b = load(second + i);
      store(row + 2 * i, zip_low(a, b));
      store(row + 2 * i + kLanes, zip_high(a, b));
    }
    for (; 2 * i < width_; ++i) {
      row[2 * i] = first[i];
      if (2 * i + 1 < width_) row[2 * i + 1] = second[i];
    }
  }

  std::int64_t width_;
  bool halves_;
  bool cosine_first_;
  FrequencyTable frequencies_;
  mutable Buffer<float> row_;  // scratch for one interleaved row: first functions, then second ones
};

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto width = static_cast<std::int64_t>(values[kWidth]);
  const bool halves = values[kLayout] == 1;
  const bool inclusive = values[kDenominator] == 1;
  // With d/2 the exponent of an odd width is the paper's 2i/d; d/2 − 1 counts whole pairs
  // (tensor2tensor).
  const double denominator = inclusive
                                 ? static_cast<double>(std::max<std::int64_t>(width / 2 - 1, 1))
                                 : static_cast<double>(width) / 2;
  auto encoding =
      std::make_unique<Sinusoidal>(width, values[kBase], halves, denominator, values[kOrder] == 1);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description sinusoidal = {
    .name = "sinusoidal",
    .title = {.zh = "正弦位置编码", .en = "Sinusoidal position encoding"},
    .year = 2017,
    .paper = "Vaswani et al., Attention Is All You Need",
    .url = "https://arxiv.org/abs/1706.03762",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = nullptr,
    .make = make,
};

}  // namespace posenc::encodings
