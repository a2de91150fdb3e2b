// A cache as bytes: a header of whole numbers, then the tokens of each layer and sequence. Numbers
// are little-endian, as they lie in memory.
#include <cstring>

#include "attention/cache.hpp"

namespace posenc {

namespace {

constexpr std::int64_t kMagic = 0x31656863'61636b70;  // "pkcache1"
constexpr std::int64_t kHeader = 12;

void describe(const CacheShape& shape, const CachePolicy& policy, std::int64_t tag,
              std::int64_t* out /* (kHeader) */) {
  const std::int64_t header[kHeader] = {kMagic,
                                        tag,
                                        shape.layers,
                                        shape.batch,
                                        shape.kv_heads,
                                        shape.head_dim,
                                        shape.value_dim,
                                        shape.axes,
                                        policy.turned ? 1 : 0,
                                        policy.window,
                                        policy.sinks,
                                        policy.renumber ? 1 : 0};
  std::memcpy(out, header, sizeof header);
}

/// Numbers of `Tokens`, then one token's: coordinates, keys and values.
constexpr std::int64_t kTokensBytes = 3 * sizeof(std::int64_t);
std::int64_t token_bytes(const CacheShape& shape) {
  return 4 * (shape.axes + shape.kv_heads * (shape.head_dim + shape.value_dim));
}

template <class T>
void write(std::uint8_t*& out, const T* numbers, std::int64_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
  std::memcpy(out, numbers, size);
  out += size;
}

template <class T>
void read(const std::uint8_t*& in, T* numbers, std::int64_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
  std::memcpy(numbers, in, size);
  in += size;
}

}  // namespace

std::int64_t KvCache::saved_size() const {
  const std::int64_t parts = shape_.layers * shape_.batch;
  std::int64_t size = kHeader * static_cast<std::int64_t>(sizeof(std::int64_t));
  for (std::int64_t i = 0; i < parts; ++i) {
    size += kTokensBytes + tokens_[i].count * token_bytes(shape_);
  }
  return size;
}

void KvCache::save(std::int64_t tag, std::uint8_t* out) const {
  std::int64_t header[kHeader];
  describe(shape_, policy_, tag, header);
  write(out, header, kHeader);
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      const Tokens& t = tokens(layer, b);
      write(out, &t, 1);
      write(out, positions(layer, b).data, t.count * shape_.axes);
      for (std::int64_t h = 0; h < shape_.kv_heads; ++h) {
        const std::int64_t at = row(layer, b, h, 0);
        write(out, keys_.data() + at * shape_.head_dim, t.count * shape_.head_dim);
        write(out, values_.data() + at * shape_.value_dim, t.count * shape_.value_dim);
      }
    }
  }
}

Status KvCache::check_bytes(std::int64_t tag, std::span<const std::uint8_t> bytes) const {
  const std::uint8_t* in = bytes.data();
  auto left = static_cast<std::int64_t>(bytes.size());
  const auto take = [&](std::int64_t size) { return (left -= size) >= 0; };
  const auto near = [](std::int64_t x, std::int64_t absent) {
    return x == absent || (x >= -kMaxPosition && x <= kMaxPosition + std::int64_t{1});
  };
  std::int64_t expected[kHeader];
  describe(shape_, policy_, tag, expected);
  if (!take(sizeof expected) || std::memcmp(in, expected, sizeof expected) != 0) {
    return Status::parameter;
  }
  in += sizeof expected;
  bool fits = true;
  for (std::int64_t i = 0; i < shape_.layers * shape_.batch; ++i) {
    if (!take(kTokensBytes)) return Status::parameter;
    Tokens t;
    read(in, &t, 1);
    if (t.count < 0 || t.count > left || !take(t.count * token_bytes(shape_)) ||
        !near(t.next, kNever) || !near(t.gone, kNever)) {
      return Status::parameter;
    }
    if (policy_.renumber && t.count != (t.next == kNever ? 0 : t.next)) return Status::parameter;
    fits = fits && t.count <= limit();
    for (std::int64_t n = 0; n < t.count * shape_.axes; ++n) {
      std::int32_t position = 0;
      read(in, &position, 1);
      if (position < -kMaxPosition || position > kMaxPosition) return Status::parameter;
      if (policy_.renumber && position != n) return Status::parameter;
    }
    in += t.count * (token_bytes(shape_) - 4 * shape_.axes);
  }
  if (left != 0) return Status::parameter;
  return fits ? Status::ok : Status::capacity;
}

Status KvCache::restore(std::int64_t tag, std::span<const std::uint8_t> bytes) {
  if (const Status status = check_bytes(tag, bytes); status != Status::ok) return status;
  const std::uint8_t* in = bytes.data() + kHeader * sizeof(std::int64_t);
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
    for (std::int64_t b = 0; b < shape_.batch; ++b) {
      Tokens& t = tokens(layer, b);
      read(in, &t, 1);
      read(in, position(layer, b, 0), t.count * shape_.axes);
      for (std::int64_t h = 0; h < shape_.kv_heads; ++h) {
        read(in, key(layer, b, h, 0), t.count * shape_.head_dim);
        read(in, value(layer, b, h, 0), t.count * shape_.value_dim);
      }
    }
  }
  return Status::ok;
}

}  // namespace posenc
