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
  F(key_mask) F(key_mask_per_batch) F(scores) F(capped) F(biased) F(logits) F(weights) \
  F(statistics)

// Where gradients go; 0 = not wanted. `encodings` is the address of one 32-bit address per encoding
// of the call: that of its list, an address per tensor of its parameter table in its order.
#define POSENC_GRADIENT_FIELDS(F) \
  F(d_output) F(query) F(key) F(value) F(encodings) F(added) F(sink_logits) F(head_scales) \
  F(query_scales) F(score_scale)

#define POSENC_LINEAR_FIELDS(F) \
  F(batch) F(heads) F(kv_heads) F(tokens) F(key_dim) F(value_dim) F(query) F(key) F(value) \
  F(decay) F(decay_dim) F(beta) F(beta_heads) F(scale) F(state) F(output)

#define POSENC_CACHE_FIELDS(F) \
  F(layers) F(batch) F(kv_heads) F(head_dim) F(value_dim) F(capacity) F(axes) \
  F(turned) F(window) F(sinks) F(renumber)

// `decoder` and `encoder` are addresses of blocks of StackField, or 0.
#define POSENC_MODEL_FIELDS(F) \
  F(vocabulary) F(width) F(embedding_scale) F(position_offset) F(logit_scale) F(logit_softcap) \
  F(decoder) F(encoder)

#define POSENC_STACK_FIELDS(F) \
  F(layers) F(heads) F(kv_heads) F(head_dim) F(hidden) F(norm) F(norm_epsilon) F(placement) \
  F(causal) F(cross) F(parallel) F(activation) F(gated) F(softcap)

// `groups` has a block of GroupField for every set of encodings, `layers` one of StepLayerField for
// every layer, `trace` one of TraceField, or is 0.
#define POSENC_STEP_FIELDS(F) \
  F(part) F(batch) F(tokens) F(sequence) F(ids) F(positions) F(real) F(groups) F(group_count) \
  F(layers) F(layer_count) F(cross_tokens) F(cross) F(cross_real) F(wanted) F(wanted_count) \
  F(hidden) F(logits) F(trace) F(embedding)

// `trained` is, of each group, the address of one 32-bit address per encoding: that of its list, an
// address per tensor of its parameter table. `embedding_trained` is such a list.
#define POSENC_LEARN_FIELDS(F) \
  F(targets) F(weights) F(trained) F(embedding_trained) F(dropout) F(seed)

#define POSENC_UPDATE_FIELDS(F) \
  F(step) F(rate) F(beta1) F(beta2) F(epsilon) F(decay) F(clip)

#define POSENC_GROUP_FIELDS(F) F(encodings) F(encoding_count) F(scale)

#define POSENC_STEP_LAYER_FIELDS(F) F(group) F(window) F(cache) F(cache_layer)

#define POSENC_TRACE_FIELDS(F) \
  F(input) F(normed) F(query) F(key) F(value) F(scores) F(biased) F(logits) F(weights) F(heads) \
  F(attention) F(mlp)
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

struct ModelField {
  enum : std::uint8_t { POSENC_MODEL_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_MODEL_FIELDS(POSENC_NAME)};
};

struct StackField {
  enum : std::uint8_t { POSENC_STACK_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_STACK_FIELDS(POSENC_NAME)};
};

struct StepField {
  enum : std::uint8_t { POSENC_STEP_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_STEP_FIELDS(POSENC_NAME)};
};

struct LearnField {
  enum : std::uint8_t { POSENC_LEARN_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_LEARN_FIELDS(POSENC_NAME)};
};

struct UpdateField {
  enum : std::uint8_t { POSENC_UPDATE_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_UPDATE_FIELDS(POSENC_NAME)};
};

struct GroupField {
  enum : std::uint8_t { POSENC_GROUP_FIELDS(POSENC_ENUMERATOR) count };
  static constexpr const char* kNames[] = {POSENC_GROUP_FIELDS(POSENC_NAME)};
};

struct StepLayerField {
  enum : std::uint8_t { POSENC_STEP_LAYER_FIELDS(POSENC_ENUMERATOR) count };
  static constexpr const char* kNames[] = {POSENC_STEP_LAYER_FIELDS(POSENC_NAME)};
};

struct TraceField {
  enum : std::uint8_t { POSENC_TRACE_FIELDS(POSENC_ENUMERATOR) count };
  static constexpr const char* kNames[] = {POSENC_TRACE_FIELDS(POSENC_NAME)};
};

struct GradientField {
  enum : std::uint8_t { POSENC_GRADIENT_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_GRADIENT_FIELDS(POSENC_NAME)};
};

struct LinearField {
  enum : std::uint8_t { POSENC_LINEAR_FIELDS(POSENC_ENUMERATOR) };
  static constexpr const char* kNames[] = {POSENC_LINEAR_FIELDS(POSENC_NAME)};
};

#undef POSENC_ENUMERATOR
#undef POSENC_NAME

}  // namespace posenc::bindings
