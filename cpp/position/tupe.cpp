// TUPE (Ke 2020, "Rethinking Positional Encoding in Language Pre-training", section 3): positions
// meet positions apart from content, with projections of their own,
//   logit_mn = q_m·k_n / √(2d) + P_mn,   P_mn = pQ_m·pK_n / √(2d) + b[n − m],
// d = headDim. Content keeps the scale 1/√(2d). pQ and pK are the projected (and, in the authors'
// code, normalised) position vectors, (heads, rows, headDim); b is optional, (heads,
// 2·maxDistance + 1), the row of n − m = −maxDistance first, clipped beyond: T5's buckets written
// out by distance.
//
// [CLS] is no word: with `firstToOthers` and `othersToFirst`, (heads), P is the one number where
// the query is the first token, and the other where only the key is ("untied" [CLS]).
#include <algorithm>
#include <array>
#include <cmath>

#include "position/registry.hpp"
#include "position/relative_vectors.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kHeadDim,
  kQueries,
  kKeys,
  kRelative,
  kFirstToOthers,
  kOthersToFirst,
  kParameters
};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("headDim", 1, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::tensor("queries", {"投影后的位置查询 (heads, rows, headDim)",
                                  "projected position queries, (heads, rows, headDim)"})
        .required(),
    Parameter::tensor("keys", {"投影后的位置键 (heads, rows, headDim)",
                               "projected position keys, (heads, rows, headDim)"})
        .required(),
    Parameter::tensor("relative", {"按键减查询的距离加的偏置 (heads, 2·maxDistance + 1)",
                                   "biases by key − query, (heads, 2·maxDistance + 1)"}),
    Parameter::tensor("firstToOthers", {"首个词元（[CLS]）看其他词元时的值 (heads)",
                                        "what the first token ([CLS]) sees others with, (heads)"}),
    Parameter::tensor("othersToFirst", {"其他词元看首个词元时的值 (heads)",
                                        "what others see the first token with, (heads)"}),
};

constexpr Hook kHooks[] = {Hook::bias};

double tupe_scale(double head_dim) { return 1.0 / std::sqrt(2 * head_dim); }

class Tupe final : public Encoding, public Bias {
 public:
  explicit Tupe(std::span<const double> values)
      : heads_(static_cast<int>(values[kHeads])),
        head_dim_(static_cast<std::int64_t>(values[kHeadDim])),
        queries_(numbers<float>(values[kQueries])),
        keys_(numbers<float>(values[kKeys])),
        relative_(numbers<float>(values[kRelative])),
        first_to_others_(numbers<float>(values[kFirstToOthers])),
        others_to_first_(numbers<float>(values[kOthersToFirst])),
        rows_(static_cast<std::int64_t>(keys_.size()) / (heads_ * head_dim_)) {}

  const Bias* bias() const override { return this; }
  bool relative() const override { return false; }
  double score_scale(std::int64_t head_dim) const override {
    return tupe_scale(static_cast<double>(head_dim));
  }
  PositionDomain domain() const override {
    return {0, static_cast<std::int32_t>(std::min<std::int64_t>(rows_ - 1, kMaxPosition))};
  }

  int heads() const override { return heads_; }
  bool toeplitz() const override { return false; }
  void by_distance(int /*head*/, std::int64_t /*first*/, std::int64_t /*count*/,
                   float* /*out*/) const override {}
  void row(int head, Positions query, Positions keys, float* out) const override {
    const std::int64_t at = query.at(0);
    const auto h = static_cast<std::size_t>(head);
    if (at == 0 && !first_to_others_.empty()) {
      std::fill_n(out, keys.count, first_to_others_[h]);
      return;
    }
    const auto scale = static_cast<float>(tupe_scale(static_cast<double>(head_dim_)));
    const float* position_query = queries_.data() + (head * rows_ + at) * head_dim_;
    for (std::int64_t n = 0; n < keys.count; ++n) {
      const std::int64_t key = keys.at(n);
      if (key == 0 && !others_to_first_.empty()) {
        out[n] = others_to_first_[h];
        continue;
      }
      const float* position_key = keys_.data() + (head * rows_ + key) * head_dim_;
      out[n] = scale * dot(position_query, position_key, head_dim_) + relative(head, key - at);
    }
  }

  void row_grad(int head, Positions query, Positions keys, const float* d_row,
                std::span<float* const> grads) const override {
    const auto [d_queries, d_keys, d_relative, d_first, d_others] =
        std::array{grads[0], grads[1], grads[2], grads[3], grads[4]};
    const std::int64_t at = query.at(0);
    const std::int64_t query_vector = (head * rows_ + at) * head_dim_;
    const auto scale = static_cast<float>(tupe_scale(static_cast<double>(head_dim_)));
    for (std::int64_t n = 0; n < keys.count; ++n) {
      const std::int64_t key = keys.at(n);
      if (at == 0 && !first_to_others_.empty()) {
        if (d_first != nullptr) d_first[head] += d_row[n];
        continue;
      }
      if (key == 0 && !others_to_first_.empty()) {
        if (d_others != nullptr) d_others[head] += d_row[n];
        continue;
      }
      const std::int64_t key_vector = (head * rows_ + key) * head_dim_;
      const float d = scale * d_row[n];
      if (d_queries != nullptr) {
        add_times(d, keys_.data() + key_vector, head_dim_, d_queries + query_vector);
      }
      if (d_keys != nullptr) {
        add_times(d, queries_.data() + query_vector, head_dim_, d_keys + key_vector);
      }
      if (d_relative != nullptr && !relative_.empty()) {
        d_relative[relative_index(head, key - at)] += d_row[n];
      }
    }
  }

 private:
  /// Where b of a distance key − query lies.
  std::size_t relative_index(int head, std::int64_t distance) const {
    const auto count = static_cast<std::int64_t>(relative_.size()) / heads_;
    const std::int64_t reach = count / 2;
    return static_cast<std::size_t>(head * count + std::clamp(distance, -reach, reach) + reach);
  }
  float relative(int head, std::int64_t distance) const {
    return relative_.empty() ? 0.0F : relative_[relative_index(head, distance)];
  }

  int heads_;
  std::int64_t head_dim_;
  std::span<const float> queries_, keys_, relative_, first_to_others_, others_to_first_;
  std::int64_t rows_;
};

Fault derive(std::span<double> values) {
  const auto size = [&](int parameter) {
    return static_cast<double>(numbers<float>(values[static_cast<std::size_t>(parameter)]).size());
  };
  const double width = values[kHeads] * values[kHeadDim];
  if (size(kQueries) == 0 || std::fmod(size(kQueries), width) != 0) {
    return {Status::parameter, kQueries, "heads · rows · headDim numbers"};
  }
  if (size(kKeys) != size(kQueries)) return {Status::parameter, kKeys, "as many as queries"};
  if (std::fmod(size(kRelative), values[kHeads]) != 0 ||
      (size(kRelative) > 0 && std::fmod(size(kRelative) / values[kHeads], 2) != 1)) {
    return {Status::parameter, kRelative, "heads · (an odd count) numbers"};
  }
  for (const int parameter : {kFirstToOthers, kOthersToFirst}) {
    if (size(parameter) != 0 && size(parameter) != values[kHeads]) {
      return {Status::parameter, parameter, "one number per head"};
    }
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Tupe>(values);
}

}  // namespace

extern const Description tupe = {
    .name = "tupe",
    .title = {.zh = "解开绑定的位置编码 TUPE", .en = "Untied positional encoding (TUPE)"},
    .year = 2020,
    .paper = "Ke et al., Rethinking Positional Encoding in Language Pre-training",
    .url = "https://arxiv.org/abs/2006.15595",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
