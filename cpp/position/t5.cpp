// T5's relative bias (Raffel 2019, "Exploring the Limits of Transfer Learning", section 2.1): the
// distance falls into a bucket, the bias is a trained number per bucket and head. Half of the
// buckets hold one distance each, the others grow logarithmically up to maxDistance; the last one
// takes all that is farther. With b exact buckets of a direction's n, distance x ≥ b falls into
// b + ⌊(n − b) · ln(x/b) / ln(maxDistance/b)⌋, at most n − 1, so that the last bucket begins before
// maxDistance: at 91 of 128 with 32 buckets both ways, at 113 one way.
//
// Distances here are query − key, the reference counts key − query. Bidirectional: the first half
// of the buckets belongs to keys at or before the query, the second half to keys after it. One way:
// keys after the query share bucket 0 with the query itself.
//
// table (buckets, heads), as in relative_attention_bias.weight of checkpoints. T5 does not divide
// scores by √head_dim; its cross-attention has no bias.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/buffer.hpp"
#include "position/array_counts.hpp"
#include "position/distance_bias.hpp"
#include "position/gradient.hpp"
#include "position/registry.hpp"

namespace posenc::encodings {

namespace {

enum : std::uint8_t { kHeads, kBuckets, kMaxDistance, kBidirectional, kTable, kParameters };

constexpr Parameter kParameterTable[kParameters] = {
    Parameter::integer("heads", 1, 4096, {"头数", "number of heads"}).required(),
    Parameter::integer("buckets", 2, 65536, {"桶的总数", "number of buckets"}).or_else(32),
    Parameter::integer(
        "maxDistance", 2, 1 << 30,
        {"对数桶的尺度：更远的距离都落入最后一个桶",
         "scale of the logarithmic buckets: all distances beyond fall into the last"})
        .or_else(128),
    Parameter::flag("bidirectional", {"查询之后的键是否有自己的桶（编码器：是；解码器：否）",
                                      "whether keys after the query have buckets of their own "
                                      "(encoders do, decoders do not)"})
        .or_else(1),
    Parameter::tensor("table", {"每个桶、每个头的偏置，形状（buckets，heads）",
                                "bias of every bucket and head, shape (buckets, heads)"})
        .required(),
};

constexpr Hook kHooks[] = {Hook::bias};

/// Buckets of one direction: `exact` hold one distance each.
struct Range {
  explicit Range(std::span<const double> values)
      : count(static_cast<std::int64_t>(values[kBuckets]) / (values[kBidirectional] != 0 ? 2 : 1)),
        exact(count / 2) {}
  std::int64_t count, exact;
};

/// Shortest distance of logarithmic bucket exact + k, in exact arithmetic: the least x with
/// (x/exact)^n ≥ (limit/exact)^k, n = count − exact.
std::int64_t shortest(const Range& range, double limit, std::int64_t k) {
  const auto b = static_cast<double>(range.exact);
  const double share = static_cast<double>(k) / static_cast<double>(range.count - range.exact);
  const double x = b * std::pow(limit / b, share);
  // Where x is a whole number, pow may miss it by a few units of the last place.
  const double nearest = std::round(x);
  return static_cast<std::int64_t>(std::abs(x - nearest) < 1e-12 * x ? nearest : std::ceil(x));
}

class T5 final : public DistanceBias {
 public:
  T5(std::span<const double> values, Buffer<std::int64_t> shortest_distances)
      : DistanceBias(static_cast<int>(values[kHeads])),
        range_(values),
        bidirectional_(values[kBidirectional] != 0),
        table_(numbers<float>(values[kTable]).data()),
        shortest_(std::move(shortest_distances)) {}

  double score_scale(std::int64_t /*head_dim*/) const override { return 1.0; }

 private:
  double at(int head, std::int64_t distance) const override {
    return static_cast<double>(table_[bucket(distance) * heads() + head]);
  }
  void at_grad(int head, std::int64_t distance, double d,
               std::span<float* const> grads) const override {
    add_to(grads[0], bucket(distance) * heads() + head, d);
  }

  std::int64_t bucket(std::int64_t distance) const {
    const bool after = distance < 0;
    if (after && !bidirectional_) return 0;
    const std::int64_t x = after ? -distance : distance;
    const std::int64_t first = after ? range_.count : 0;
    if (x < range_.exact) return first + x;
    const std::int64_t* begin = shortest_.data();
    const std::int64_t* end = begin + (range_.count - range_.exact);
    return first + range_.exact + (std::upper_bound(begin, end, x) - begin) - 1;
  }

  Range range_;
  bool bidirectional_;
  const float* table_;             // (buckets, heads)
  Buffer<std::int64_t> shortest_;  // (count − exact): shortest distance of each logarithmic bucket
};

Fault derive(std::span<double> values) {
  const Range range(values);
  if (range.exact < 1) {
    return {Status::parameter, kBuckets, "at least 4 when bidirectional"};
  }
  if (values[kMaxDistance] <= static_cast<double>(range.exact)) {
    return {Status::parameter, kMaxDistance, "more than half of the buckets of a direction"};
  }
  return check_counts(values,
                      {{kTable, values[kBuckets] * values[kHeads], "buckets · heads numbers"}});
}

std::unique_ptr<Encoding> make(std::span<const double> values) {
  const Range range(values);
  Buffer<std::int64_t> distances(range.count - range.exact);
  if (!distances.ok()) return nullptr;
  for (std::int64_t k = 0; k < range.count - range.exact; ++k) {
    distances[k] = shortest(range, values[kMaxDistance], k);
  }
  return std::make_unique<T5>(values, std::move(distances));
}

}  // namespace

extern const Description t5 = {
    .name = "t5",
    .title = {.zh = "T5 相对位置偏置（分桶）", .en = "T5 relative position bias (buckets)"},
    .year = 2019,
    .paper =
        "Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text "
        "Transformer",
    .url = "https://arxiv.org/abs/1910.10683",
    .users = "T5, mT5, Flan-T5, UL2",
    .hooks = kHooks,
    .parameters = kParameterTable,
    .derive = derive,
    .make = make,
};

}  // namespace posenc::encodings
