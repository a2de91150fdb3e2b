#include "bindings/cache.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "attention/cache.hpp"
#include "bindings/attention_call.hpp"
#include "bindings/fields.hpp"

namespace posenc::bindings {

namespace {

KvCache& cache_at(Address handle) { return *at<KvCache>(handle); }

std::int64_t whole(double x) { return static_cast<std::int64_t>(x); }

CachePart part(double layer, double sequence) { return {whole(layer), whole(sequence)}; }

/// Allocates a new cache, fills it and writes its handle.
template <class Fill>
int make_cache(CacheShape shape, CachePolicy policy, Fill fill, Address out) {
  auto made = std::make_unique<KvCache>(shape, policy);
  const Status status = made->allocate();
  if (status != Status::ok) return code(status);
  fill(*made);
  *at<double>(out) = static_cast<double>(reinterpret_cast<Address>(made.release()));
  return code(Status::ok);
}

/// Reads a call and hands its problem to a method of the cache.
int take(Address handle, double layer, double sequence, Address call_block,
         Status (KvCache::*method)(CachePart, const AttentionProblem&)) {
  AttentionCall call;
  const Status status = call.read(at<double>(call_block));
  if (status != Status::ok) return code(status);
  return code((cache_at(handle).*method)(part(layer, sequence), call.problem));
}

}  // namespace

int cache_make(Address fields, Address out) {
  using F = CacheField;
  const auto* f = at<double>(fields);
  const CacheShape shape = {.layers = whole(f[F::layers]),
                            .batch = whole(f[F::batch]),
                            .kv_heads = whole(f[F::kv_heads]),
                            .head_dim = whole(f[F::head_dim]),
                            .value_dim = whole(f[F::value_dim]),
                            .capacity = whole(f[F::capacity]),
                            .axes = whole(f[F::axes])};
  const CachePolicy policy = {.turned = f[F::turned] != 0,
                              .window = whole(f[F::window]),
                              .sinks = whole(f[F::sinks]),
                              .renumber = f[F::renumber] != 0};
  return make_cache(
      shape, policy, [](KvCache&) {}, out);
}

int cache_clone(Address handle, Address out) {
  const KvCache& from = cache_at(handle);
  return make_cache(
      from.shape(), from.policy(), [&](KvCache& to) { to.copy_from(from); }, out);
}

void cache_free(Address handle) { delete at<KvCache>(handle); }

int cache_append(Address handle, double layer, double sequence, Address call_block) {
  return take(handle, layer, sequence, call_block, &KvCache::append);
}

int cache_attend(Address handle, double layer, double sequence, Address call_block) {
  return take(handle, layer, sequence, call_block, &KvCache::attend);
}

int cache_evict(Address handle, double layer, double sequence, Address slots, double count,
                Address encodings, double encoding_count) {
  CallEncodings made;
  ScoreTerms terms;
  const Status status = made.make(encodings, encoding_count, terms);
  if (status != Status::ok) return code(status);
  return code(cache_at(handle).evict(
      part(layer, sequence), {at<std::int32_t>(slots), static_cast<std::size_t>(count)}, terms));
}

int cache_truncate(Address handle, double layer, double sequence, double count) {
  return code(cache_at(handle).truncate(part(layer, sequence), whole(count)));
}

int cache_shift(Address handle, double layer, double sequence, double from, double to, double delta,
                Address encodings, double encoding_count) {
  CallEncodings made;
  ScoreTerms terms;
  const Status status = made.make(encodings, encoding_count, terms);
  if (status != Status::ok) return code(status);
  return code(
      cache_at(handle).shift(part(layer, sequence), whole(from), whole(to), whole(delta), terms));
}

int cache_copy_sequence(Address handle, double from, double to) {
  return code(cache_at(handle).copy_sequence(whole(from), whole(to)));
}

int cache_clear(Address handle, double sequence) {
  return code(cache_at(handle).clear(whole(sequence)));
}

double cache_count(Address handle, double layer, double sequence) {
  return static_cast<double>(cache_at(handle).count(whole(layer), whole(sequence)));
}

double cache_next(Address handle, double layer, double sequence) {
  return static_cast<double>(cache_at(handle).next(whole(layer), whole(sequence)));
}

void cache_positions(Address handle, double layer, double sequence, Address out) {
  const Positions stored = cache_at(handle).positions(whole(layer), whole(sequence));
  std::copy_n(stored.data, stored.count * stored.axes, at<std::int32_t>(out));
}

double cache_size(Address handle) { return static_cast<double>(cache_at(handle).saved_size()); }

void cache_save(Address handle, double tag, Address out) {
  cache_at(handle).save(whole(tag), at<std::uint8_t>(out));
}

int cache_restore(Address handle, double tag, Address bytes, double count) {
  return code(cache_at(handle).restore(whole(tag),
                                       {at<std::uint8_t>(bytes), static_cast<std::size_t>(count)}));
}

}  // namespace posenc::bindings
