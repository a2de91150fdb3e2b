// Relative vectors (Shaw 2018, eq. 3 and 4): a trained vector a for each clipped distance is added
// to keys and values as a query sees them,
//   e_mn = q_m·(k_n + aK[clip(n − m)]) / √d,   z_m = Σ_n α_mn (v_n + aV[clip(n − m)]),
// clip to ±maxDistance. The first row of a table belongs to keys far before the query
// (tensor2tensor). Either table may be left out: Music Transformer (Huang 2018) has keys alone.
//
// Tables: (2·maxDistance + 1, headDim) and (2·maxDistance + 1, valueDim) shared by all heads, as in
// the paper, or one such table per head.
//
// Hugging Face's BERT counted the other way, query − key (`relative_key`, table of
// 2·max_position_embeddings − 1 rows: maxDistance = max_position_embeddings − 1), and in
// `relative_key_query` the key meets the same vector as well (Huang 2020, method 4).
#include <algorithm>
#include <cmath>

#include "position/registry.hpp"
#include "position/relative_vectors.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t {
  kHeadDim,
  kMaxDistance,
  kKeys,
  kValues,
  kValueDim,
  kHeads,
  kDirection,
  kKeyTerm,
  kParameters
};

constexpr const char* kDirections[] = {"key-query", "query-key"};

constexpr Parameter kTable[kParameters] = {
    Parameter::integer("headDim", 1, 4096, {"每个头的维数", "width of one head"}).required(),
    Parameter::integer("maxDistance", 0, 1e6,
                       {"有各自向量的最大距离，更远的共用它的向量",
                        "largest distance with a vector of its own; farther ones share it"})
        .required(),
    Parameter::tensor("keys", {"加到键上的向量 (2·maxDistance + 1, headDim)，或每个头一份",
                               "vectors added to keys, (2·maxDistance + 1, headDim) or one such "
                               "table per head"}),
    Parameter::tensor("values", {"加到值上的向量 (2·maxDistance + 1, valueDim)，或每个头一份",
                                 "vectors added to values, (2·maxDistance + 1, valueDim) or one "
                                 "such table per head"}),
    Parameter::integer("valueDim", 1, 4096, {"每个值的维数", "width of one value"}),
    Parameter::integer(
        "heads", 0, 4096,
        {"头数；0 表示所有头共用", "number of heads; 0 = all heads share the tables"})
        .or_else(0),
    Parameter::choice("direction", kDirections,
                      {"行号的方向：键减查询，或查询减键", "what rows count: key − query or back"})
        .or_else(0),
    Parameter::flag("keyTerm", {"键也与同一向量相乘（relative_key_query）",
                                "keys meet the same vector as well (relative_key_query)"})
        .or_else(0),
};

constexpr Hook kHooks[] = {Hook::content};

class Shaw final : public ContentEncoding {
 public:
  explicit Shaw(std::span<const double> values)
      : ContentEncoding(values[kHeads], values[kHeadDim]),
        reach_(static_cast<std::int64_t>(values[kMaxDistance])),
        forward_(values[kDirection] == 0),
        key_term_(values[kKeyTerm] != 0) {
    const auto value_vectors = numbers<float>(values[kValues]);
    const auto value_width = static_cast<std::int64_t>(values[kValueDim]);
    value_dim_ = value_vectors.empty() ? 0 : value_width;
    keys_ = VectorTable(numbers<float>(values[kKeys]), rows(), head_dim(), heads() > 0);
    values_ = VectorTable(value_vectors, rows(), value_width, heads() > 0);
  }

  std::int64_t value_dim() const override { return value_dim_; }
  std::int64_t rows() const override { return 2 * reach_ + 1; }
  std::int64_t row(std::int64_t distance) const override {
    return std::clamp(forward_ ? -distance : distance, -reach_, reach_) + reach_;
  }
  const float* query_vectors(int head) const override { return keys_.of_head(head); }
  const float* key_vectors(int head) const override {
    return key_term_ ? keys_.of_head(head) : nullptr;
  }
  const float* value_vectors(int head) const override { return values_.of_head(head); }
  void tables_grad(int head, const ContentGrad& effective,
                   std::span<float* const> grads) const override {
    keys_.add_grad(head, effective.query_vectors, grads[0]);
    keys_.add_grad(head, effective.key_vectors, grads[0]);
    values_.add_grad(head, effective.value_vectors, grads[1]);
  }

 private:
  std::int64_t reach_;
  std::int64_t value_dim_ = 0;
  bool forward_, key_term_;
  VectorTable keys_, values_;
};

Fault derive(std::span<double> values) {
  const auto keys = numbers<float>(values[kKeys]);
  const auto value_vectors = numbers<float>(values[kValues]);
  if (std::isnan(values[kValueDim])) values[kValueDim] = values[kHeadDim];
  if (keys.empty() && value_vectors.empty()) {
    return {Status::parameter, kKeys, "given, unless values are"};
  }
  const double rows = std::max(values[kHeads], 1.0) * (2 * values[kMaxDistance] + 1);
  if (!fits(keys, rows, values[kHeadDim])) {
    return {Status::parameter, kKeys, "(2 · maxDistance + 1) · headDim numbers, per head or once"};
  }
  if (!fits(value_vectors, rows, values[kValueDim])) {
    return {Status::parameter, kValues,
            "(2 · maxDistance + 1) · valueDim numbers, per head or once"};
  }
  if (keys.empty() && values[kKeyTerm] != 0) {
    return {Status::parameter, kKeyTerm, "false without keys"};
  }
  return {};
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  return std::make_unique<Shaw>(values);
}

}  // namespace

extern const Description shaw = {
    .name = "shaw",
    .title = {.zh = "相对位置向量（Shaw）", .en = "Relative position vectors (Shaw)"},
    .year = 2018,
    .paper = "Shaw et al., Self-Attention with Relative Position Representations",
    .url = "https://arxiv.org/abs/1803.02155",
    .users = "Music Transformer, BERT with relative_key",
    .hooks = kHooks,
    .parameters = kTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
