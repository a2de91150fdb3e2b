#include "cache_case.hpp"

#include <doctest/doctest.h>

#include "samples.hpp"
#include "table.hpp"

namespace posenc::test {

CachedCase::CachedCase(const AttentionCase& like, std::int64_t capacity, CachePolicy policy,
                       std::int64_t batch, std::int64_t layers) {
  REQUIRE(collect(like.encodings, terms_) == Status::ok);
  const CacheShape shape = {.layers = layers,
                            .batch = batch,
                            .kv_heads = like.kv_heads,
                            .head_dim = like.head_dim,
                            .value_dim = like.value_dim,
                            .capacity = capacity,
                            .axes = axes_read(terms_.domain)};
  cache_ = std::make_unique<KvCache>(shape, policy);
  REQUIRE(cache_->allocate() == Status::ok);
}

CachedCase::CachedCase(const CachedCase& other, CacheShape shape)
    : terms_(other.terms_), cache_(std::make_unique<KvCache>(shape, other.cache_->policy())) {}

CachedCase CachedCase::fork() const {
  CachedCase copy(*this, cache_->shape());
  REQUIRE(copy.cache_->allocate() == Status::ok);
  copy.cache_->copy_from(*cache_);
  return copy;
}

template <class Take>
Stages<float> CachedCase::feed(const AttentionCase& c, FeedOptions options, Take take) {
  REQUIRE(c.queries == c.keys);
  const auto axes = static_cast<int>(cache_->shape().axes);
  const auto positions = c.axes == axes ? c.query_positions : with_zeros(c.query_positions, axes);
  AttentionProblem p;
  p.terms = terms_;
  p.batch = c.batch;
  p.heads = c.heads;
  p.kv_heads = c.kv_heads;
  p.queries = c.queries;
  p.keys = options.tap_keys;
  p.head_dim = c.head_dim;
  p.value_dim = c.value_dim;
  p.query = c.query.data();
  p.key = c.key.data();
  p.value = c.value.data();
  p.scale = c.scale;
  p.softcap = c.softcap;
  p.masks = c.masks();
  p.axes = axes;
  if (options.placed || axes > 1) p.query_positions = positions.data();
  p.query_positions_per_batch =
      static_cast<std::int64_t>(c.query_positions.size()) != c.queries * c.axes;
  if (!c.sink_logits.empty()) p.sink_logits = c.sink_logits.data();
  if (!c.head_scales.empty()) p.head_scales = c.head_scales.data();
  if (!c.query_scales.empty()) {
    const bool shared = static_cast<std::int64_t>(c.query_scales.size()) == c.queries;
    p.query_scales = {c.query_scales.data(), !shared};
  }
  Stages<float> result;
  const std::int64_t rows = c.batch * c.heads * c.queries;
  result.output.assign(static_cast<std::size_t>(rows * c.value_dim), kUnwritten);
  p.output = result.output.data();
  if (options.tap_keys > 0) {
    for (auto* tap :
         {&result.scores, &result.capped, &result.biased, &result.logits, &result.weights}) {
      tap->assign(static_cast<std::size_t>(rows * options.tap_keys), kUnwritten);
    }
    p.taps = {result.scores.data(), result.capped.data(), result.biased.data(),
              result.logits.data(), result.weights.data()};
  }
  result.status = take(p);
  return result;
}

Stages<float> CachedCase::attend(const AttentionCase& tokens, FeedOptions options) {
  return feed(tokens, options,
              [&](const AttentionProblem& p) { return cache_->attend(options.part, p); });
}

Status CachedCase::append(const AttentionCase& tokens, FeedOptions options) {
  return feed(tokens, options,
              [&](const AttentionProblem& p) { return cache_->append(options.part, p); })
      .status;
}

bool stores_turned(const Encoding& encoding) {
  const Rotate* rotate = encoding.rotate();
  return rotate == nullptr ||
         (rotate->regimes() == 1 && rotate->turned_dim() == rotate->head_dim());
}

}  // namespace posenc::test
