// FoPE (Hua 2024, "Fourier Position Embedding"): the cosine of a pair is a sum over all
// frequencies, cos_i(m) = Σ_j C_ji·cos(m·w_j), the sine likewise with S, so that what linear layers
// mix up can be told apart; frequencies that do not come round within the trained length, w_j ≤
// 2π/L, are cut to zero. C and S start from the identity, with which the others turn as in RoPE.
//
// Pairs without a sum carry no position: the paper's zero frequency has cosine 1 and sine 0
// ("identity"); the authors' code, and so checkpoints, set both to 1 ("ones").
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "position/frequency_table.hpp"
#include "position/pair_rotation.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kBase,
  kLayout,
  kTrainedLength,
  kFrequencyCount,
  kClipped,
  kHeads,
  kKvHeads,
  kCosines,
  kSines,
  kParameters
};

constexpr const char* kClippedTypes[] = {"identity", "ones"};

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kBase,
    rotary::kLayout,
    Parameter::integer(
        "trainedLength", 7, 1 << 30,
        {"训练长度 L：转不满一圈的频率被去掉",
         "trained length L; frequencies that turn less than a circle in it are cut"}),
    Parameter::integer("frequencyCount", 1, 2048,
                       {"保留的频率数，代替由训练长度算出的",
                        "frequencies that are kept, instead of those that trainedLength keeps"}),
    Parameter::choice("clipped", kClippedTypes,
                      {"没有级数的对：不动（论文），或余弦正弦都取 1（作者代码）",
                       "pairs without a sum: left alone (paper), or cosine and sine both 1 (the "
                       "authors' code)"})
        .or_else(0),
    Parameter::integer("heads", 1, 4096, {"查询头数", "number of query heads"}),
    Parameter::integer(
        "kvHeads", 1, 4096,
        {"系数的键头数；1 为各头共用", "key heads in the coefficients; 1 = shared by all"})
        .or_else(1),
    Parameter::tensor("cosines", {"余弦系数 C（键头，频率，对），默认单位阵",
                                  "coefficients C of cosines (key heads, frequencies, pairs), the "
                                  "identity by default"}),
    Parameter::tensor("sines", {"正弦系数 S，形状同上", "coefficients S of sines, the same shape"}),
};

constexpr Hook kHooks[] = {Hook::rotate};

class Fope final : public PairRotation {
 public:
  Fope(PairShape shape, std::span<const double> values, FrequencyTable frequencies)
      : PairRotation(shape),
        kept_(static_cast<std::int64_t>(values[kFrequencyCount])),
        heads_(static_cast<std::int64_t>(values[kHeads])),
        kv_heads_(static_cast<std::int64_t>(values[kKvHeads])),
        clipped_sin_(values[kClipped] == 1 ? 1.0F : 0.0F),
        cosines_(numbers<float>(values[kCosines])),
        sines_(numbers<float>(values[kSines])),
        sums_(cosines_.empty() ? kept_
                               : static_cast<std::int64_t>(cosines_.size()) / (kv_heads_ * kept_)),
        frequencies_(std::move(frequencies)),
        basis_(2 * pairs()) {}

  bool ok() const { return frequencies_.ok() && basis_.ok(); }
  std::span<const double> frequencies() const override { return frequencies_.values(); }
  bool relative() const override { return cosines_.empty() && sines_.empty(); }
  std::int64_t tables() const override { return kv_heads_; }
  std::int64_t table_of(Side side, int head) const override {
    return side == Side::key ? head % kv_heads_ : head % heads_ * kv_heads_ / heads_;
  }

  void table(Side /*side*/, Positions positions, float* cos, float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      float* const basis_cos = basis_.data();
      float* const basis_sin = basis_cos + pairs();
      frequencies_.sincos(positions.at(t), basis_sin, basis_cos);
      for (std::int64_t h = 0; h < kv_heads_; ++h, cos += pairs(), sin += pairs()) {
        sum(cosines_, h, basis_cos, cos);
        sum(sines_, h, basis_sin, sin);
        std::fill(cos + sums_, cos + pairs(), 1.0F);
        std::fill(sin + sums_, sin + pairs(), clipped_sin_);
      }
    }
  }

  void turn_grad(Side side, int head, Positions positions, const float* x, const float* d_out,
                 std::span<float* const> grads) const override {
    const std::int64_t first = table_of(side, head) * kept_ * sums_;
    for (std::int64_t t = 0; t < positions.count; ++t, x += head_dim(), d_out += head_dim()) {
      float* const basis_cos = basis_.data();
      float* const basis_sin = basis_cos + pairs();
      frequencies_.sincos(positions.at(t), basis_sin, basis_cos);
      for (std::int64_t i = 0; i < sums_; ++i) {
        const auto [a, b] = pair(i);
        const float d_cos = d_out[a] * x[a] + d_out[b] * x[b];
        const float d_sin = d_out[b] * x[a] - d_out[a] * x[b];
        for (std::int64_t j = 0; j < kept_; ++j) {
          const std::int64_t at = first + j * sums_ + i;
          if (grads[0] != nullptr) grads[0][at] += d_cos * basis_cos[j];
          if (grads[1] != nullptr) grads[1][at] += d_sin * basis_sin[j];
        }
      }
    }
  }

 private:
  /// out_i = Σ_j coefficient_ji · basis_j for the pairs that have a sum.
  void sum(std::span<const float> coefficients, std::int64_t head, const float* basis,
           float* out) const {
    if (coefficients.empty()) {
      std::copy_n(basis, sums_, out);
      return;
    }
    const float* row = coefficients.data() + head * kept_ * sums_;
    for (std::int64_t i = 0; i < sums_; ++i) {
      double total = 0.0;
      for (std::int64_t j = 0; j < kept_; ++j) {
        total += static_cast<double>(row[j * sums_ + i]) * basis[j];
      }
      out[i] = static_cast<float>(total);
    }
  }

  std::int64_t kept_, heads_, kv_heads_;
  float clipped_sin_;
  std::span<const float> cosines_, sines_;  // (kv_heads, kept, sums), or empty: the identity
  std::int64_t sums_;                       // pairs that have a sum
  FrequencyTable frequencies_;
  mutable Buffer<float> basis_;  // scratch: cosines and sines of the frequencies
};

Fault derive(std::span<double> values) {
  const double pairs = std::floor(values[kHeadDim] / 2);
  double& kept = values[kFrequencyCount];
  if (std::isnan(kept)) {
    const double length = values[kTrainedLength];
    if (std::isnan(length)) return {Status::parameter, kTrainedLength, "given, or frequencyCount"};
    kept = 0;
    while (kept < pairs && std::pow(values[kBase], -kept / pairs) > 2 * std::numbers::pi / length) {
      ++kept;
    }
  }
  if (kept > pairs) return {Status::parameter, kFrequencyCount, "at most headDim / 2"};
  double& heads = values[kHeads];
  if (std::isnan(heads)) heads = values[kKvHeads];
  if (std::fmod(heads, values[kKvHeads]) != 0) {
    return {Status::parameter, kHeads, "a multiple of kvHeads"};
  }
  const auto cosines = static_cast<double>(numbers<float>(values[kCosines]).size());
  const auto sines = static_cast<double>(numbers<float>(values[kSines]).size());
  if (cosines != sines) return {Status::parameter, kSines, "as many numbers as cosines"};
  if (cosines == 0) {
    if (values[kKvHeads] == 1) return {};
    return {Status::parameter, kKvHeads, "1, unless coefficients are given"};
  }
  const double rows = values[kKvHeads] * kept;
  if (std::fmod(cosines, rows) != 0 || cosines / rows > pairs) {
    return {Status::parameter, kCosines, "kvHeads · frequencies · pairs numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const std::int64_t rotary_dim = static_cast<std::int64_t>(values[kHeadDim]) / 2 * 2;
  FrequencyTable frequencies(values[kBase], rotary_dim / 2, static_cast<double>(rotary_dim) / 2);
  if (!frequencies.ok()) return nullptr;
  frequencies.stop_after(static_cast<std::int64_t>(values[kFrequencyCount]));
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]), rotary_dim,
                        static_cast<PairLayout>(values[kLayout])};
  auto encoding = std::make_unique<Fope>(shape, values, std::move(frequencies));
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description fope = {
    .name = "fope",
    .title = {.zh = "傅里叶位置编码 FoPE", .en = "Fourier position embedding (FoPE)"},
    .year = 2024,
    .paper =
        "Hua et al., Fourier Position Embedding: Enhancing Attention's Periodic Extension for "
        "Length Generalization",
    .url = "https://arxiv.org/abs/2412.17739",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
