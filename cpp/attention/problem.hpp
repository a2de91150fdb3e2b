// What attention is asked to do: shapes, data, and score terms. It knows the six hooks, never the
// names of encodings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "attention/masks.hpp"
#include "core/status.hpp"
#include "position/position.hpp"

namespace posenc {

/// The hooks that act inside attention; an absent one is null.
struct ScoreTerms {
  const Rotate* rotate = nullptr;
  const Content* content = nullptr;
  const HeadMix* head_mix = nullptr;  ///< The other form of the hook `content`.
  const Bias* bias = nullptr;
  const Scale* scale = nullptr;
  const Mask* mask = nullptr;
  PositionDomain domain;  ///< What all their encodings know.
  bool relative = true;   ///< All of them are (Encoding::relative).

  /// At most one encoding per hook makes sense.
  static constexpr std::size_t kMost = 6;
  const Encoding* encodings[kMost] = {};  ///< Whose hooks they are, then null.
};

/// Collects the hooks of several encodings, which must outlive the terms. `conflict` when two fill
/// the same one or there are more than ScoreTerms::kMost, `unsupported` when an encoding fills none
/// that acts inside attention although it fills `embed` (it belongs to the input).
Status collect(std::span<const Encoding* const> encodings, ScoreTerms& terms);

/// Intermediate values to write, each (batch, heads, queries, keys), in the order of composition;
/// null = not wanted.
struct Taps {
  float* scores = nullptr;   ///< scale · (q·k + content)
  float* capped = nullptr;   ///< after softcap
  float* biased = nullptr;   ///< after the bias
  float* logits = nullptr;   ///< after the mask; −infinity where hidden
  float* weights = nullptr;  ///< after softmax; a fully masked row is 0

  bool any() const {
    return scores != nullptr || capped != nullptr || biased != nullptr || logits != nullptr ||
           weights != nullptr;
  }
};

/// What is left of the softmax of a row: a key's weight is e^(logit − offset − maximum) / sum.
/// Logsumexp is offset + maximum + ln sum; in one float it would lose what `Masks::added` may hide.
struct RowStatistics {
  float offset, maximum, sum;  ///< sum = 0: nothing is visible.
};

/// s = scale·(q·k + content) → softcap → + bias → mask → softmax → ·v, for every batch entry and
/// head.
struct AttentionProblem {
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t queries = 0, keys = 0;
  std::int64_t head_dim = 0, value_dim = 0;
  const float* query = nullptr;  // (batch, heads, queries, head_dim)
  const float* key = nullptr;    // (batch, kv_heads, keys, head_dim)
  const float* value = nullptr;  // (batch, kv_heads, keys, value_dim)
  float* output = nullptr;       // (batch, heads, queries, value_dim)

  ScoreTerms terms;
  float scale = 1.0F;
  const float* head_scales = nullptr;  // (heads): scale of a head, times `scale`; null = 1
  PerToken<float> query_scales;        // the same of a query
  float softcap = 0.0F;                ///< c of c·tanh(s/c); 0 = none.
  Masks masks;
  /// (heads): a logit per head that takes part in the softmax and has no value (gpt-oss). Null =
  /// none.
  const float* sink_logits = nullptr;

  int axes = 1;  ///< Coordinates per position; causality and windows read the first.
  const std::int32_t* query_positions = nullptr;  // (queries, axes) or (batch, queries, axes)
  bool query_positions_per_batch = false;
  const std::int32_t* key_positions = nullptr;  // (keys, axes) or (batch, keys, axes)
  bool key_positions_per_batch = false;

  // Tokens that lie among others, entries of different length, keys that were turned before.
  std::int64_t query_rows = 0;  ///< From a head to the next in what has queries; 0 = queries.
  /// From a kv head to the next in key and value, and from an entry to the next in what is given
  /// per key; 0 = keys.
  std::int64_t key_rows = 0;
  /// (batch): how many of its keys an entry has, 0 … keys; the others are never read, and in taps
  /// they are hidden (0 in all but the logits). Null = all.
  const std::int64_t* key_counts = nullptr;
  /// Keys, and values that turn like them, stand as the rotation made them.
  bool keys_turned = false;

  std::int64_t query_stride() const { return query_rows == 0 ? queries : query_rows; }
  std::int64_t key_stride() const { return key_rows == 0 ? keys : key_rows; }
  std::int64_t key_count(std::int64_t entry) const {
    return key_counts == nullptr ? keys : key_counts[entry];
  }

  Taps taps;
  RowStatistics* statistics = nullptr;  ///< (batch, heads, queries), for the way back; null = none.
};

/// About how many additions and multiplications the products with keys and values take.
inline double operations(const AttentionProblem& p) {
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  return 2.0 * real(p.batch * p.heads * p.queries) * real(p.keys) * real(p.head_dim + p.value_dim);
}

/// Exact attention, tiled over the keys with a running softmax; no (queries, keys) buffer except
/// the taps asked for. A fully masked row gives 0, and what is masked never reaches the output, be
/// it NaN or infinity. A position that the encodings do not know is refused, be it padding.
Status attention(const AttentionProblem& problem);

}  // namespace posenc
