// Keys and values of tokens that were seen before, for every layer and every sequence of a batch,
// with a position each, so that new tokens attend to them without being computed anew.
//
// The tokens of one layer and sequence stand in slots 0 … count − 1, without gaps, in the order in
// which they came. A slot is not a position: eviction moves tokens to other slots, and leaves their
// positions alone unless the policy says otherwise.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "attention/problem.hpp"
#include "core/buffer.hpp"

namespace posenc {

struct CacheShape {
  std::int64_t layers = 1, batch = 1, kv_heads = 1;
  std::int64_t head_dim = 0, value_dim = 0;
  std::int64_t capacity = 0;  ///< Tokens that a layer has room for, per sequence.
  std::int64_t axes = 1;      ///< Coordinates per position.
};

/// What is stored, and what makes room for more.
struct CachePolicy {
  /// Keys, and values that turn like them, are stored as the rotation makes them: once, when they
  /// come. Else they are turned whenever they are attended to.
  bool turned = false;
  /// Queries see keys with query − key < window, and those at positions below `sinks`. Others go
  /// when their room is needed, the older half of them at least. 0 = all stay.
  std::int64_t window = 0;
  std::int64_t sinks = 0;
  /// Positions are slots (Xiao 2023, "Efficient Streaming Language Models with Attention Sinks",
  /// section 3.2): a full cache drops the oldest token after the sinks, those that stay close the
  /// gap, and the new one is the last. A chunk gives what its tokens give one by one.
  bool renumber = false;
};

/// Layers and sequences of a cache; −1 = all.
struct CachePart {
  std::int64_t layer = -1, sequence = -1;
};

class KvCache {
 public:
  KvCache(CacheShape shape, CachePolicy policy) : shape_(shape), policy_(policy) {}

  /// Once, before all else. `shape` when a number is out of range, `parameter` when a policy is,
  /// or when the window and the sinks need more than the capacity.
  Status allocate();

  const CacheShape& shape() const { return shape_; }
  const CachePolicy& policy() const { return policy_; }
  bool has(CachePart part) const;
  /// Tokens that are stored.
  std::int64_t count(std::int64_t layer, std::int64_t sequence) const {
    return tokens(layer, sequence).count;
  }
  /// The position that the next token gets: after those of all tokens so far, evicted ones too; 0
  /// for the first.
  std::int64_t next(std::int64_t layer, std::int64_t sequence) const {
    const std::int64_t next = tokens(layer, sequence).next;
    return next == kNever ? 0 : next;
  }
  Positions positions(std::int64_t layer, std::int64_t sequence) const;

  /// Stores `queries` tokens of a layer, of one sequence or of all. Of the problem it reads
  /// - key and value, (sequences, kv_heads, queries, …), and the rotation;
  /// - query_positions, null = each sequence goes on at `next`;
  /// - masks.real_keys, which of the new tokens are no padding. Padding is not stored.
  /// `capacity` when there is no room, `position` when an evicted key would have been in sight of a
  /// token, `unsupported` when positions are given although they are slots, or for encodings that
  /// such positions or turned keys make no sense for. A chunk that does not fit at once is taken in
  /// piece by piece; those before the one that failed stay.
  Status append(CachePart part, const AttentionProblem& problem);

  /// The same, then attention of the new queries over all that is stored of their sequence; padded
  /// ones give 0. The policy's window stands for the problem's. `keys` is the width of taps, at
  /// least as many as are stored afterwards; there are none of chunks in pieces (`unsupported`),
  /// and no masks that are given per token or per pair.
  Status attend(CachePart part, const AttentionProblem& problem);

  // Changes of what is stored, of one sequence and layer or of several: of all or, when one
  // refuses, of none.

  /// Removes tokens by slot, in any order. `terms` turn keys that get other positions.
  Status evict(CachePart part, std::span<const std::int32_t> slots, const ScoreTerms& terms);
  /// Keeps the first `count` tokens, or all that there are; the next one gets the position of the
  /// first that goes. `position` when keys that it would see have been evicted by the policy.
  Status truncate(CachePart part, std::int64_t count);
  /// Adds `delta` to positions from … to − 1. `unsupported` when keys cannot follow: positions of
  /// several axes, encodings that are not relative, turns that have no inverse.
  Status shift(CachePart part, std::int64_t from, std::int64_t to, std::int64_t delta,
               const ScoreTerms& terms);
  /// Makes sequence `to` a copy of `from`, in all layers.
  Status copy_sequence(std::int64_t from, std::int64_t to);
  /// Empties a sequence, or all of them (−1).
  Status clear(std::int64_t sequence);
  /// Takes over all that another cache of the same shape holds.
  void copy_from(const KvCache& other);

  /// Bytes that `save` writes.
  std::int64_t saved_size() const;
  /// Writes shape, policy, `tag`, and the tokens that are stored. The same bytes for the same
  /// contents.
  void save(std::int64_t tag, std::uint8_t* out) const;
  /// Reads that. `parameter`, and the cache as it was, when the bytes are of another shape, policy
  /// or tag, or damaged; `capacity` when they hold more tokens than there is room for.
  Status restore(std::int64_t tag, std::span<const std::uint8_t> bytes);

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  /// The tokens of one layer and sequence.
  struct Tokens {
    std::int64_t count = 0;
    std::int64_t next = kNever;  ///< After the largest coordinate; kNever before the first token.
    std::int64_t gone = kNever;  ///< Largest position that the policy evicted.
  };
  /// Tokens on their way in (cache_intake.cpp).
  class Intake;
  /// New positions of stored tokens (cache_edit.cpp).
  struct Move;

  std::int64_t index(std::int64_t layer, std::int64_t sequence) const {
    return layer * shape_.batch + sequence;
  }
  Tokens& tokens(std::int64_t layer, std::int64_t sequence) {
    return tokens_[index(layer, sequence)];
  }
  const Tokens& tokens(std::int64_t layer, std::int64_t sequence) const {
    return tokens_[index(layer, sequence)];
  }
  std::int32_t* position(std::int64_t layer, std::int64_t sequence, std::int64_t slot) {
    return positions_.data() + (index(layer, sequence) * shape_.capacity + slot) * shape_.axes;
  }
  float* key(std::int64_t layer, std::int64_t sequence, std::int64_t kv_head, std::int64_t slot) {
    return keys_.data() + row(layer, sequence, kv_head, slot) * shape_.head_dim;
  }
  float* value(std::int64_t layer, std::int64_t sequence, std::int64_t kv_head, std::int64_t slot) {
    return values_.data() + row(layer, sequence, kv_head, slot) * shape_.value_dim;
  }
  std::int64_t row(std::int64_t layer, std::int64_t sequence, std::int64_t kv_head,
                   std::int64_t slot) const {
    return (index(layer, sequence) * shape_.kv_heads + kv_head) * shape_.capacity + slot;
  }
  /// Calls change(layer, sequence) for all of a part, until one fails; `shape` when there is none.
  template <class Change>
  Status each(CachePart part, Change change);

  /// Slots that may be taken: the capacity, or as many as the policy numbers.
  std::int64_t limit() const {
    return policy_.renumber && policy_.window > 0 ? policy_.window + policy_.sinks
                                                  : shape_.capacity;
  }
  /// True when neither a query at `position` nor later ones see a key.
  bool out_of_sight(std::int64_t key, std::int64_t position) const {
    const bool sink = policy_.sinks > 0 && key < policy_.sinks;
    return !sink && key <= position - policy_.window;
  }
  /// True when stored keys can get other positions.
  bool movable(const ScoreTerms& terms) const;
  /// How many of `wanted` tokens, the first at `position`, can be stored at once.
  std::int64_t room(std::int64_t layer, std::int64_t sequence, std::int64_t wanted,
                    std::int64_t position) const;
  /// How many tokens have to go before that many are stored.
  std::int64_t in_the_way(std::int64_t layer, std::int64_t sequence, std::int64_t wanted,
                          std::int64_t position) const;
  /// Evicts them.
  Status make_room(std::int64_t layer, std::int64_t sequence, std::int64_t wanted,
                   std::int64_t position, const Rotate* rotate);
  /// Removes the slots that are marked, and numbers the rest anew where positions are slots.
  Status compact(std::int64_t layer, std::int64_t sequence, const Rotate* rotate);
  Status reposition(std::int64_t layer, std::int64_t sequence, const Move& move,
                    const Rotate* rotate);
  /// Whether bytes can be restored.
  Status check_bytes(std::int64_t tag, std::span<const std::uint8_t> bytes) const;
  void copy_tokens(const KvCache& from, std::int64_t from_sequence, std::int64_t layer,
                   std::int64_t to_sequence);

  CacheShape shape_;
  CachePolicy policy_;
  Buffer<float> keys_;              // (layers, batch, kv_heads, capacity, head_dim)
  Buffer<float> values_;            // (layers, batch, kv_heads, capacity, value_dim)
  Buffer<std::int32_t> positions_;  // (layers, batch, capacity, axes)
  Buffer<Tokens> tokens_;           // (layers, batch)
  Buffer<std::uint8_t> evicted_;    // (capacity): marks
};

}  // namespace posenc
