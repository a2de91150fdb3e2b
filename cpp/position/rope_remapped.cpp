// RoPE with positions that change with the distance, so that no query meets a key further away than
// in training; no training is needed. Each method turns queries and keys in two or three ways, its
// regimes, and the distance says in which a pair meets. With m the query's position and n the
// key's:
//
//   self-extend   m − n below `window`, from there on ⌊m/group⌋ − ⌊n/group⌋ + window −
//                 ⌊window/group⌋ (Jin 2024, section 3.2; the paper's "group attention")
//   rerope        min(m − n, window) (Su 2023, kexue.fm/archives/9708)
//   leaky-rerope  m − n below `window`, from there on window + (m − n − window)/factor (ibid.)
//   dual-chunk    within a chunk m − n; a key n stands at n mod chunk, and meets queries of the
//   next
//                 chunk at min(m mod chunk + chunk, farthest), of later ones at `farthest` (An
//                 2024, section 3; the paper's farthest is the trained length − 1)
//
// They are meant for causal attention: a key after its query meets it in the first regime. Rows
// that are turned by themselves, without attention, are turned in the first regime.
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
  kMethod,
  kWindow,
  kGroup,
  kFactor,
  kChunk,
  kFarthest,
  kParameters
};

enum class Method : std::uint8_t { self_extend, rerope, leaky_rerope, dual_chunk };
constexpr const char* kMethods[] = {"self-extend", "rerope", "leaky-rerope", "dual-chunk"};

constexpr double kLargest = kMaxPosition;

constexpr Parameter kTable[kParameters] = {
    rotary::kHeadDim,
    rotary::kRotaryDim,
    rotary::kBase,
    rotary::kLayout,
    rotary::kFrequencies,
    rotary::kAttentionFactor,
    Parameter::choice("method", kMethods, {"距离如何改变", "how distances change"}).required(),
    Parameter::integer("window", 1, kLargest,
                       {"小于它的距离不变（self-extend、rerope、leaky-rerope）",
                        "distances below it stay (self-extend, rerope, leaky-rerope)"}),
    Parameter::integer("group", 1, kLargest,
                       {"更远处多少个相邻位置共用一个（self-extend）",
                        "how many neighbours share a position further away (self-extend)"}),
    Parameter::real("factor", 1, 1e9,
                    {"更远处的距离增长慢多少倍（leaky-rerope）",
                     "how many times slower distances grow further away (leaky-rerope)"}),
    Parameter::integer("chunk", 1, kLargest / 2,
                       {"块长，小于训练长度（dual-chunk）",
                        "length of a chunk, below the trained length (dual-chunk)"}),
    Parameter::integer("farthest", 1, kLargest,
                       {"查询的最大位置，chunk 到 2·chunk − 1（dual-chunk）",
                        "largest position of a query, chunk to 2·chunk − 1 (dual-chunk)"}),
};

constexpr Hook kHooks[] = {Hook::rotate};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

class RopeRemapped final : public PairRotation {
 public:
  RopeRemapped(PairShape shape, std::span<const double> values, FrequencyTable frequencies)
      : PairRotation(shape),
        method_(static_cast<Method>(values[kMethod])),
        attention_factor_(values[kAttentionFactor]),
        window_(whole(values[kWindow])),
        group_(whole(values[kGroup])),
        shift_(group_ == 0 ? 0 : window_ - window_ / group_),
        factor_(values[kFactor]),
        chunk_(whole(values[kChunk])),
        farthest_(whole(values[kFarthest])),
        frequencies_(std::move(frequencies)) {}

  std::span<const double> frequencies() const override { return frequencies_.values(); }
  double attention_factor() const override { return attention_factor_; }
  bool relative() const override {
    return method_ == Method::rerope || method_ == Method::leaky_rerope;
  }
  int regimes() const override { return method_ == Method::dual_chunk ? 3 : 2; }

  std::int64_t last_key(int regime, std::int32_t query) const override {
    if (method_ != Method::dual_chunk) return std::int64_t{query} - window_;
    return (floor_divide(query, chunk_) + 1 - regime) * chunk_ - 1;
  }

  void table(Side side, Positions positions, float* cos, float* sin) const override {
    regime_table(0, side, positions, cos, sin);
  }

  void regime_table(int regime, Side side, Positions positions, float* cos,
                    float* sin) const override {
    for (std::int64_t t = 0; t < positions.count; ++t) {
      const std::int32_t place = positions.at(t);
      const double at = side == Side::query ? query_at(regime, place) : key_at(regime, place);
      frequencies_.sincos_real(at, sin + t * pairs(), cos + t * pairs());
    }
    rotary::multiply(cos, sin, positions.count * pairs(), attention_factor_);
  }

 private:
  /// Of parameters that the method reads.
  static std::int64_t whole(double value) {
    return std::isnan(value) ? 0 : static_cast<std::int64_t>(value);
  }

  double query_at(int regime, std::int64_t place) const {
    if (method_ == Method::dual_chunk) {
      const std::int64_t inside = place - floor_divide(place, chunk_) * chunk_;
      const std::int64_t at[] = {inside, std::min(inside + chunk_, farthest_), farthest_};
      return static_cast<double>(at[regime]);
    }
    if (regime == 0) return static_cast<double>(place);
    const auto window = static_cast<double>(window_);
    switch (method_) {
      case Method::self_extend:
        return static_cast<double>(floor_divide(place, group_) + shift_);
      case Method::leaky_rerope:
        return static_cast<double>(place) / factor_ + window - window / factor_;
      default:
        return window;
    }
  }

  double key_at(int regime, std::int64_t place) const {
    if (method_ == Method::dual_chunk) {
      return static_cast<double>(place - floor_divide(place, chunk_) * chunk_);
    }
    if (regime == 0) return static_cast<double>(place);
    switch (method_) {
      case Method::self_extend:
        return static_cast<double>(floor_divide(place, group_));
      case Method::leaky_rerope:
        return static_cast<double>(place) / factor_;
      default:
        return 0.0;
    }
  }

  Method method_;
  double attention_factor_;
  std::int64_t window_, group_, shift_;
  double factor_;
  std::int64_t chunk_, farthest_;
  FrequencyTable frequencies_;
};

/// The parameters that a method reads.
bool reads(Method method, int parameter) {
  switch (parameter) {
    case kWindow:
      return method != Method::dual_chunk;
    case kGroup:
      return method == Method::self_extend;
    case kFactor:
      return method == Method::leaky_rerope;
    default:
      return method == Method::dual_chunk;
  }
}

Fault derive(std::span<double> values) {
  const auto method = static_cast<Method>(values[kMethod]);
  for (int parameter = kWindow; parameter <= kFarthest; ++parameter) {
    const bool given = !std::isnan(values[static_cast<std::size_t>(parameter)]);
    if (given && !reads(method, parameter)) {
      return {Status::parameter, parameter, "not for this method"};
    }
    if (!given && reads(method, parameter)) {
      return {Status::parameter, parameter, "required by this method"};
    }
  }
  if (method == Method::dual_chunk &&
      !(values[kFarthest] >= values[kChunk] && values[kFarthest] <= 2 * values[kChunk] - 1)) {
    return {Status::parameter, kFarthest, "from chunk to 2 * chunk - 1"};
  }
  const auto frequencies = numbers<double>(values[kFrequencies]);
  const Fault fault = rotary::derive_rotary_dim(values[kHeadDim], values[kRotaryDim], kRotaryDim,
                                                frequencies.size());
  if (fault.status != Status::ok) return fault;
  if (!frequencies.empty() && 2 * static_cast<double>(frequencies.size()) != values[kRotaryDim]) {
    return {Status::parameter, kFrequencies, "rotaryDim / 2 numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  FrequencyTable frequencies(numbers<double>(values[kFrequencies]), values[kBase],
                             values[kRotaryDim]);
  if (!frequencies.ok()) return nullptr;
  const PairShape shape{static_cast<std::int64_t>(values[kHeadDim]),
                        static_cast<std::int64_t>(values[kRotaryDim]),
                        static_cast<PairLayout>(values[kLayout])};
  return std::make_unique<RopeRemapped>(shape, values, std::move(frequencies));
}

}  // namespace

extern const Description rope_remapped = {
    .name = "rope_remapped",
    .title = {.zh = "随距离改变位置的 RoPE（Self-Extend、ReRoPE、DCA）",
              .en = "RoPE with remapped distances (Self-Extend, ReRoPE, dual chunk attention)"},
    .year = 2024,
    .paper = "Jin et al., LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning",
    .url = "https://arxiv.org/abs/2401.01325",
    .users = "Qwen2.5-1M",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
