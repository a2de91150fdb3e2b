// The arguments of the larger calls, which travel from JavaScript as blocks of doubles. Their names
// go out with `describe()`, so that both sides read one list.
#pragma once

#include <cstdint>

namespace posenc::bindings {

// Versions of clang-format break these lists differently.
// clang-format off
#define POSENC_ROTATE_FIELDS(F) \
  F(encoding) F(side) F(inverse) F(x) F(out) F(batch) F(heads) F(tokens) F(head_dim) \
  F(axes) F(positions) F(positions_per_batch)

#define POSENC_ATTENTION_FIELDS(F) \
  F(batch) F(heads) F(kv_heads) F(queries) F(keys) F(head_dim) F(value_dim) \
  F(query) F(key) F(value) F(output) F(encoding_count) F(encodings) \
  F(softcap) F(scale) F(head_scales) F(query_scales) F(query_scales_per_batch) F(sink_logits) \
  F(causal) F(window) F(before) F(after) F(chunk) F(sinks) \
  F(global_keys) F(global_keys_per_batch) F(global_queries) F(global_queries_per_batch) \
  F(query_segments) F(query_segments_per_batch) F(key_segments) F(key_segments_per_batch) \
  F(visible) F(added) F(mask_batch) F(mask_head) F(mask_query) F(mask_key) F(axes) \
  F(query_positions) F(query_positions_per_batch) F(key_positions) F(key_positions_per_batch) \
  F(key_mask) F(key_mask_per_batch) F(scores) F(capped) F(biased) F(logits) F(weights)

#define POSENC_CACHE_FIELDS(F) \
  F(layers) F(batch) F(kv_heads) F(head_dim) F(value_dim) F(capacity) F(axes) \
  F(turned) F(window) F(sinks) F(renumber)
// clang-format on

#define POSENC_ENUMERATOR(name) name,
#define POSENC_NAME(name) #name,

struct RotateField {
  enum : std::uint8_t { POSENC_ROTATE_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_ROTATE_FIELDS(POSENC_NAME)};
};

struct AttentionField {
  enum : std::uint8_t { POSENC_ATTENTION_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_ATTENTION_FIELDS(POSENC_NAME)};
};

struct CacheField {
  enum : std::uint8_t { POSENC_CACHE_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_CACHE_FIELDS(POSENC_NAME)};
};

#undef POSENC_ENUMERATOR
#undef POSENC_NAME

}  // namespace posenc::bindings
