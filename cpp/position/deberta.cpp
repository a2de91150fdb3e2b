// Disentangled attention (He 2020, DeBERTa, eq. 2 and 4): with δ the row of query − key and trained
// relative keys Kr and queries Qr (projected, per head),
//   score = q·k + q·Kr[δ] (c2p) + k·Qr[δ] (p2c) + Qr[δ]·Kr[δ] (p2p),
// scaled by 1/√(headDim · (1 + number of terms)). Each term is switched on its own. The paper
// leaves p2p out of its models, and prints δ(key, query) for p2c; its code and Hugging Face's use
// one δ(query, key) throughout, as here.
//
// The tables have 2·span rows, (heads, 2·span, headDim), and δ = clamp(b + span, 0, 2·span − 1):
//   version 1: b = query − key, span = maxDistance;
//   versions 2 and 3: b = the logarithmic bucket of query − key, span = buckets. Beyond maxDistance
//   − 1 the authors' code clamps the distance first, Hugging Face's does not: far keys of the
//   future fall into row 1 or row 0.
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"
#include "position/relative_vectors.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kHeadDim,
  kMaxDistance,
  kBuckets,
  kKeys,
  kQueries,
  kContentToPosition,
  kPositionToContent,
  kPositionToPosition,
  kClamp,
  kParameters
};

constexpr const char* kClamps[] = {"distance", "row"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("headDim", 1, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::integer("maxDistance", 1, 1e6,
                       {"距离在此截断（max_relative_positions）",
                        "where distances are clipped (max_relative_positions)"})
        .or_else(512),
    Parameter::integer("buckets", 0, 1e6,
                       {"对数桶数（position_buckets）；0 表示逐距离（第一版）",
                        "logarithmic buckets (position_buckets); 0 = every distance (version 1)"})
        .or_else(0),
    Parameter::tensor("keys", {"投影后的相对键 (heads, 2·span, headDim)",
                               "projected relative keys, (heads, 2·span, headDim)"}),
    Parameter::tensor("queries", {"投影后的相对查询 (heads, 2·span, headDim)",
                                  "projected relative queries, (heads, 2·span, headDim)"}),
    Parameter::flag("c2p", {"内容对位置：查询乘相对键", "content to position: queries meet keys"})
        .or_else(1),
    Parameter::flag("p2c", {"位置对内容：键乘相对查询", "position to content: keys meet queries"})
        .or_else(1),
    Parameter::flag("p2p", {"位置对位置：相对查询乘相对键",
                            "position to position: relative queries meet relative keys"})
        .or_else(0),
    Parameter::choice("clamp", kClamps,
                      {"先截断距离（作者的代码），还是只截断行号（Hugging Face）",
                       "clip distances first (the authors' code), or rows alone (Hugging Face)"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::content};

/// Rows of a table for distances on one side.
double span_of(std::span<const double> values) {
  return values[kBuckets] > 0 ? values[kBuckets] : values[kMaxDistance];
}

class Deberta final : public ContentEncoding {
 public:
  explicit Deberta(std::span<const double> values)
      : ContentEncoding(values[kHeads], values[kHeadDim]),
        max_distance_(static_cast<std::int64_t>(values[kMaxDistance])),
        buckets_(static_cast<std::int64_t>(values[kBuckets])),
        span_(static_cast<std::int64_t>(span_of(values))),
        clamp_distance_(values[kClamp] == 0),
        c2p_(values[kContentToPosition] != 0),
        p2c_(values[kPositionToContent] != 0),
        p2p_(values[kPositionToPosition] != 0),
        keys_(numbers<float>(values[kKeys]), rows(), head_dim(), true),
        queries_(numbers<float>(values[kQueries]), rows(), head_dim(), true),
        products_(VectorTable::products(queries_, keys_, p2p_ ? heads() : 0, rows())) {}

  bool ok() const { return products_.ok(); }
  double score_scale(std::int64_t head_dim) const override {
    const int terms = 1 + (c2p_ ? 1 : 0) + (p2c_ ? 1 : 0) + (p2p_ ? 1 : 0);
    return 1.0 / std::sqrt(static_cast<double>(head_dim * terms));
  }

  std::int64_t rows() const override { return 2 * span_; }
  std::int64_t row(std::int64_t distance) const override {
    return std::clamp<std::int64_t>(bucket(distance) + span_, 0, rows() - 1);
  }
  const float* query_vectors(int head) const override {
    return c2p_ ? keys_.of_head(head) : nullptr;
  }
  const float* key_vectors(int head) const override {
    return p2c_ ? queries_.of_head(head) : nullptr;
  }
  const float* offsets(int head) const override {
    return p2p_ ? products_.data() + head * rows() : nullptr;
  }
  void tables_grad(int head, const ContentGrad& effective,
                   std::span<float* const> grads) const override {
    keys_.add_grad(head, effective.query_vectors, grads[0]);
    queries_.add_grad(head, effective.key_vectors, grads[1]);
    keys_.add_product_grad(head, effective.offsets, rows(), queries_, grads[0]);
    queries_.add_product_grad(head, effective.offsets, rows(), keys_, grads[1]);
  }

 private:
  /// One bucket per distance up to half of them, then logarithmic up to maxDistance − 1.
  std::int64_t bucket(std::int64_t distance) const {
    const std::int64_t middle = buckets_ / 2;
    std::int64_t far = std::abs(distance);
    if (buckets_ == 0 || far <= middle) return distance;
    if (clamp_distance_) far = std::min(far, max_distance_ - 1);
    const auto exact = static_cast<double>(middle);
    const double part = std::log(static_cast<double>(far) / exact) /
                        std::log(static_cast<double>(max_distance_ - 1) / exact);
    const auto beyond = static_cast<std::int64_t>(std::ceil(part * (exact - 1)));
    return distance < 0 ? -(beyond + middle) : beyond + middle;
  }

  std::int64_t max_distance_, buckets_, span_;
  bool clamp_distance_, c2p_, p2c_, p2p_;
  VectorTable keys_, queries_;
  Buffer<float> products_;  // Qr·Kr: (heads, rows)
};

Fault derive(std::span<double> values) {
  const auto keys = numbers<float>(values[kKeys]);
  const auto queries = numbers<float>(values[kQueries]);
  const bool p2p = values[kPositionToPosition] != 0;
  if (values[kBuckets] == 1) return {Status::parameter, kBuckets, "0, or at least 2"};
  if (values[kBuckets] > 0 && std::floor(values[kBuckets] / 2) >= values[kMaxDistance] - 1) {
    return {Status::parameter, kMaxDistance, "more than buckets / 2 + 1"};
  }
  if (keys.empty() && (p2p || values[kContentToPosition] != 0)) {
    return {Status::parameter, kKeys, "given for c2p and p2p"};
  }
  if (queries.empty() && (p2p || values[kPositionToContent] != 0)) {
    return {Status::parameter, kQueries, "given for p2c and p2p"};
  }
  const double rows = values[kHeads] * 2 * span_of(values);
  if (!fits(keys, rows, values[kHeadDim])) {
    return {Status::parameter, kKeys, "heads · 2 · span · headDim numbers"};
  }
  if (!fits(queries, rows, values[kHeadDim])) {
    return {Status::parameter, kQueries, "heads · 2 · span · headDim numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  auto encoding = std::make_unique<Deberta>(values);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description deberta = {
    .name = "deberta",
    .title = {.zh = "解耦注意力（DeBERTa）", .en = "Disentangled attention (DeBERTa)"},
    .year = 2020,
    .paper = "He et al., DeBERTa: Decoding-enhanced BERT with Disentangled Attention",
    .url = "https://arxiv.org/abs/2006.03654",
    .users = "DeBERTa, DeBERTa v2, DeBERTa v3",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
