// Who may see whom.
#pragma once

#include <cstdint>

namespace posenc {

/// A number per token: (tokens), or (batch, tokens). Null = not given.
template <class T>
struct PerToken {
  const T* data = nullptr;
  bool per_batch = false;

  /// Those of one batch entry.
  const T* of(std::int64_t entry, std::int64_t tokens) const {
    return data == nullptr || !per_batch ? data : data + entry * tokens;
  }
};

/// A number per pair, (batch, heads, queries, keys); dimensions that share numbers have stride 0.
/// Null = not given.
template <class T>
struct PerPair {
  T* data = nullptr;
  std::int64_t batch_stride = 0, head_stride = 0, query_stride = 0, key_stride = 0;

  /// That of the first key for a query.
  T* row(std::int64_t entry, std::int64_t head, std::int64_t query) const {
    return data + entry * batch_stride + head * head_stride + query * query_stride;
  }
};

/// A key is visible when nothing that is given hides it.
struct Masks {
  bool causal = false;  ///< Hides keys whose position is after the query's.

  // Local attention, by position. Sinks and global tokens are exempt from it, not from the rest.
  std::int64_t window = 0;               ///< Keeps |query − key| < window; 0 = none.
  std::int64_t before = -1, after = -1;  ///< Keeps query − before ≤ key ≤ query + after; −1 = all.
  std::int64_t chunk = 0;  ///< Keeps keys with the query's ⌊position/chunk⌋ (Llama 4); 0 = none.
  /// Keys at positions below it stay in sight (Xiao 2023, "Efficient Streaming Language Models with
  /// Attention Sinks").
  std::int64_t sinks = 0;
  /// Not 0 = the key is seen by all, or the query sees all (Beltagy 2020, "Longformer").
  PerToken<std::uint8_t> global_keys, global_queries;

  PerToken<std::uint8_t> real_keys;  ///< 0 = padding.
  /// Documents packed into one row: tokens see those with the same number. Both or none are given.
  PerToken<std::int32_t> query_segments, key_segments;

  PerPair<const std::uint8_t> visible;  ///< 0 = hidden.
  /// Added to the logit; −infinity hides. Numbers of any size that a whole row has in common, −1e9
  /// say, change nothing, as by the definition of the softmax.
  PerPair<const float> added;
};

}  // namespace posenc
