#include "attention/cache.hpp"

#include <algorithm>
#include <cstring>

namespace posenc {

Status KvCache::allocate() {
  const CacheShape& s = shape_;
  constexpr double kMost = 1e12;
  double numbers = static_cast<double>(std::max({s.head_dim, s.value_dim, s.axes}));
  for (const std::int64_t count : {s.layers, s.batch, s.kv_heads, s.capacity}) {
    if (count < 1) return Status::shape;
    numbers *= static_cast<double>(count);
  }
  if (s.head_dim < 1 || s.value_dim < 1 || s.axes < 1) return Status::shape;
  if (!(numbers < kMost)) return Status::memory;
  if (policy_.window < 0 || policy_.window > s.capacity || policy_.sinks < 0 ||
      policy_.sinks > s.capacity - policy_.window || (policy_.renumber && s.axes != 1)) {
    return Status::parameter;
  }
  const std::int64_t rows = s.layers * s.batch * s.capacity;
  keys_ = Buffer<float>(rows * s.kv_heads * s.head_dim);
  values_ = Buffer<float>(rows * s.kv_heads * s.value_dim);
  positions_ = Buffer<std::int32_t>(rows * s.axes);
  tokens_ = Buffer<Tokens>(s.layers * s.batch);
  evicted_ = Buffer<std::uint8_t>(s.capacity);
  if (!keys_.ok() || !values_.ok() || !positions_.ok() || !tokens_.ok() || !evicted_.ok()) {
    return Status::memory;
  }
  std::memset(evicted_.data(), 0, static_cast<std::size_t>(s.capacity));
  return clear(-1);
}

bool KvCache::has(CachePart part) const {
  return part.layer >= -1 && part.layer < shape_.layers && part.sequence >= -1 &&
         part.sequence < shape_.batch;
}

Positions KvCache::positions(std::int64_t layer, std::int64_t sequence) const {
  const std::int64_t first = index(layer, sequence) * shape_.capacity * shape_.axes;
  return {positions_.data() + first, count(layer, sequence), static_cast<int>(shape_.axes)};
}

void KvCache::copy_tokens(const KvCache& from, std::int64_t from_sequence, std::int64_t layer,
                          std::int64_t to_sequence) {
  const Tokens& copied = from.tokens(layer, from_sequence);
  tokens(layer, to_sequence) = copied;
  const auto copy = [&](const auto* source, std::int64_t width, auto* target) {
    std::copy_n(source, copied.count * width, target);
  };
  copy(from.positions(layer, from_sequence).data, shape_.axes, position(layer, to_sequence, 0));
  for (std::int64_t h = 0; h < shape_.kv_heads; ++h) {
    copy(from.keys_.data() + from.row(layer, from_sequence, h, 0) * shape_.head_dim,
         shape_.head_dim, key(layer, to_sequence, h, 0));
    copy(from.values_.data() + from.row(layer, from_sequence, h, 0) * shape_.value_dim,
         shape_.value_dim, value(layer, to_sequence, h, 0));
  }
}

Status KvCache::copy_sequence(std::int64_t from, std::int64_t to) {
  if (from < 0 || to < 0 || !has({0, from}) || !has({0, to})) return Status::shape;
  if (from == to) return Status::ok;
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    copy_tokens(*this, from, layer, to);
  }
  return Status::ok;
}

void KvCache::copy_from(const KvCache& other) {
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    for (std::int64_t b = 0; b < shape_.batch; ++b) copy_tokens(other, b, layer, b);
  }
}

}  // namespace posenc
