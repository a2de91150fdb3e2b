// Transformer-XL (Dai 2019, section 3.3): with r[δ] = W_R · sinusoid(δ), δ = query − key,
//   score = q·k + q·r[δ] + u·k + v·r[δ]
// before scaling. u and v are called r_w_bias and r_r_bias in the authors' code. A segment memory
// needs nothing here: its tokens are keys with earlier positions.
//
// Distances run from 0 (themselves) to maxDistance (the authors' clamp_len); farther ones share the
// last row. A causal query meets no other; keys of the future share row 0. XLNet (Yang 2019)
// attends in both directions: `bidirectional` gives them rows of their own, r[−maxDistance] first.
//
// The sinusoid has all sines before all cosines, w_i = 10000^(−2i/width). W_R is (heads · headDim,
// width), as in a linear layer of the authors' code (XLNet stores its transpose). Instead of W_R,
// `vectors` gives r itself, (heads, rows, headDim), rows by rising distance.
#include <algorithm>
#include <cmath>

#include "position/frequency_table.hpp"
#include "position/registry.hpp"
#include "position/relative_vectors.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeads,
  kHeadDim,
  kMaxDistance,
  kContentBias,
  kPositionBias,
  kProjection,
  kVectors,
  kBidirectional,
  kParameters
};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("headDim", 1, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::integer(
        "maxDistance", 0, 1e6,
        {"最大距离，更远的共用它的向量", "largest distance; farther ones share its vector"})
        .required(),
    Parameter::tensor("contentBias", {"u，代替查询与键的内容相乘 (heads, headDim)",
                                      "u, which meets keys in place of a query, (heads, headDim)"})
        .required(),
    Parameter::tensor("positionBias",
                      {"v，代替查询与距离的向量相乘 (heads, headDim)",
                       "v, which meets distances in place of a query, (heads, headDim)"})
        .required(),
    Parameter::tensor("projection", {"W_R，正弦编码到距离向量的投影 (heads · headDim, width)",
                                     "W_R, from sinusoids to vectors, (heads · headDim, width)"}),
    Parameter::tensor("vectors", {"投影后的距离向量 (heads, rows, headDim)，代替 projection",
                                  "projected vectors, (heads, rows, headDim), instead of "
                                  "projection"}),
    Parameter::flag("bidirectional", {"后面的键也有自己的距离（XLNet）",
                                      "keys of the future have distances of their own (XLNet)"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::content};

class TransformerXl final : public ContentEncoding {
 public:
  explicit TransformerXl(std::span<const double> values)
      : ContentEncoding(values[kHeads], values[kHeadDim]),
        reach_(static_cast<std::int64_t>(values[kMaxDistance])),
        bidirectional_(values[kBidirectional] != 0),
        content_bias_(numbers<float>(values[kContentBias]), 1, head_dim(), true),
        position_bias_(numbers<float>(values[kPositionBias]), 1, head_dim(), true),
        projection_(numbers<float>(values[kProjection])),
        width_(static_cast<std::int64_t>(projection_.size()) / (heads() * head_dim())),
        frequencies_(10000, width_ / 2, static_cast<double>(width_) / 2),
        sinusoid_(width_),
        projected_(width_ == 0 ? 0 : size()) {
    if (!ok()) return;
    if (width_ > 0) project();
    const auto given = numbers<float>(values[kVectors]);
    const std::span<const float> projected(projected_.data(), static_cast<std::size_t>(size()));
    vectors_ = VectorTable(width_ > 0 ? projected : given, rows(), head_dim(), true);
    offsets_ = VectorTable::products(position_bias_, vectors_, heads(), rows());
  }

  bool ok() const {
    return frequencies_.ok() && sinusoid_.ok() && projected_.ok() && offsets_.ok();
  }

  std::int64_t rows() const override { return bidirectional_ ? 2 * reach_ + 1 : reach_ + 1; }
  std::int64_t row(std::int64_t distance) const override {
    return std::clamp(distance, first_distance(), reach_) - first_distance();
  }
  const float* query_vectors(int head) const override { return vectors_.of_head(head); }
  const float* global(int head) const override { return content_bias_.of_head(head); }
  const float* offsets(int head) const override { return offsets_.data() + head * rows(); }
  void tables_grad(int head, const ContentGrad& effective,
                   std::span<float* const> grads) const override {
    content_bias_.add_grad(head, effective.global, grads[0]);
    position_bias_.add_product_grad(head, effective.offsets, rows(), vectors_, grads[1]);
    if (width_ > 0) {
      if (grads[2] != nullptr) projection_grad(head, effective, grads[2]);
      return;
    }
    vectors_.add_grad(head, effective.query_vectors, grads[3]);
    vectors_.add_product_grad(head, effective.offsets, rows(), position_bias_, grads[3]);
  }

 private:
  std::int64_t first_distance() const { return bidirectional_ ? -reach_ : 0; }
  std::int64_t size() const { return heads() * rows() * head_dim(); }

  /// The sinusoid of a row's distance, in scratch.
  const float* sinusoid(std::int64_t row) const {
    float* const sines = sinusoid_.data();
    frequencies_.sincos(row + first_distance(), sines, sines + width_ / 2);
    return sines;
  }

  /// r[δ] = W_R · sinusoid(δ) for every distance.
  void project() {
    for (std::int64_t row = 0; row < rows(); ++row) {
      const float* x = sinusoid(row);
      for (std::int64_t i = 0; i < heads() * head_dim(); ++i) {
        projected_[(i / head_dim() * rows() + row) * head_dim() + i % head_dim()] =
            dot(projection_.data() + i * width_, x, width_);
      }
    }
  }

  /// ∂W_R = Σ_δ (∂r[δ] + ∂c[δ]·v) sinusoid(δ)ᵀ
  void projection_grad(int head, const ContentGrad& effective, float* grad) const {
    const float* v = position_bias_.of_head(head);
    for (std::int64_t row = 0; row < rows(); ++row) {
      const float* x = sinusoid(row);
      for (std::int64_t i = 0; i < head_dim(); ++i) {
        const float by_query = effective.query_vectors[row * head_dim() + i];
        add_times(by_query + effective.offsets[row] * v[i], x, width_,
                  grad + (head * head_dim() + i) * width_);
      }
    }
  }

  std::int64_t reach_;
  bool bidirectional_;
  VectorTable content_bias_, position_bias_;  // u, v
  std::span<const float> projection_;         // W_R: (heads · head_dim, width)
  std::int64_t width_;                        // 0 when r was given
  FrequencyTable frequencies_;
  mutable Buffer<float> sinusoid_;  // (width)
  Buffer<float> projected_;         // r, when it was not given
  VectorTable vectors_;             // r: (heads, rows, head_dim)
  Buffer<float> offsets_;           // c = v·r: (heads, rows)
};

Fault derive(std::span<double> values) {
  const double head_dim = values[kHeadDim];
  const double width = values[kHeads] * head_dim;
  const auto projection = numbers<float>(values[kProjection]);
  const auto vectors = numbers<float>(values[kVectors]);
  for (const int bias : {kContentBias, kPositionBias}) {
    const auto given = numbers<float>(values[static_cast<std::size_t>(bias)]);
    if (given.empty() || !fits(given, values[kHeads], head_dim)) {
      return {Status::parameter, bias, "heads · headDim numbers"};
    }
  }
  if (projection.empty() == vectors.empty()) {
    return {Status::parameter, kProjection, "given, or vectors instead"};
  }
  if (std::fmod(static_cast<double>(projection.size()), 2 * width) != 0) {
    return {Status::parameter, kProjection, "heads · headDim · (an even width) numbers"};
  }
  const double rows = (values[kBidirectional] != 0 ? 2 : 1) * values[kMaxDistance] + 1;
  if (!fits(vectors, width, rows)) {
    return {Status::parameter, kVectors, "heads · rows · headDim numbers"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  auto encoding = std::make_unique<TransformerXl>(values);
  return encoding->ok() ? std::move(encoding) : nullptr;
}

}  // namespace

extern const Description transformer_xl = {
    .name = "transformer_xl",
    .title = {.zh = "Transformer-XL 相对位置", .en = "Transformer-XL relative positions"},
    .year = 2019,
    .paper = "Dai et al., Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context",
    .url = "https://arxiv.org/abs/1901.02860",
    .users = "Transformer-XL, XLNet, Conformer",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
