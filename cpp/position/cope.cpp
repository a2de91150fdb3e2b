// Contextual positions (Golovneva 2024, section 3): a query counts, from itself back to a key, only
// the keys whose gate is open,
//   g_mt = σ(s_mt),   p_mn = Σ_{t = n … m} g_mt,   logit_mn = s_mn + q_m·e[p_mn],
// s the scaled score of the visible keys and e a trained vector per count, interpolated between
// whole counts; counts stop at the last row. As in the authors' code, q·e is not scaled.
//
// `vectors` is (counts, headDim), shared by all heads, or one such table per head.
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"
#include "position/relative_vectors.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeadDim, kVectors, kHeads, kParameters };

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("headDim", 1, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::tensor("vectors",
                      {"每个计数的向量 (counts, headDim)，或每个头一份",
                       "a vector per count, (counts, headDim) or one such table per head"})
        .required(),
    Parameter::integer("heads", 0, 4096,
                       {"头数；0 表示所有头共用", "number of heads; 0 = all heads share the table"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::content};

class Cope final : public ContentEncoding {
 public:
  Cope(std::span<const double> values, std::int64_t rows)
      : ContentEncoding(values[kHeads], values[kHeadDim]),
        rows_(rows),
        vectors_(numbers<float>(values[kVectors]), rows, head_dim(), heads() > 0) {}

  std::int64_t rows() const override { return rows_; }
  bool gated() const override { return true; }
  std::int64_t row(std::int64_t /*distance*/) const override { return 0; }
  const float* query_vectors(int head) const override { return vectors_.of_head(head); }
  void tables_grad(int head, const ContentGrad& effective,
                   std::span<float* const> grads) const override {
    vectors_.add_grad(head, effective.query_vectors, grads[0]);
  }

 private:
  std::int64_t rows_;
  VectorTable vectors_;
};

double table_width(std::span<const double> values) {
  return std::max(values[kHeads], 1.0) * values[kHeadDim];
}

Fault derive(std::span<double> values) {
  const auto size = static_cast<double>(numbers<float>(values[kVectors]).size());
  if (size == 0 || std::fmod(size, table_width(values)) != 0) {
    return {Status::parameter, kVectors, "counts · headDim numbers, per head or once"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const auto size = static_cast<double>(numbers<float>(values[kVectors]).size());
  return std::make_unique<Cope>(values, static_cast<std::int64_t>(size / table_width(values)));
}

}  // namespace

extern const Description cope = {
    .name = "cope",
    .title = {.zh = "上下文位置编码 CoPE", .en = "Contextual position encoding (CoPE)"},
    .year = 2024,
    .paper = "Golovneva et al., Contextual Position Encoding: Learning to Count What's Important",
    .url = "https://arxiv.org/abs/2405.18719",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
