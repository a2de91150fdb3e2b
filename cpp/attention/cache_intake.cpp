// How tokens get into a cache, and what they attend to once they are there.
#include <algorithm>
#include <limits>

#include "attention/cache.hpp"
#include "attention/check.hpp"
#include "attention/panel.hpp"
#include "attention/rows.hpp"

namespace posenc {

/// The new tokens of one call. Where they do not fit at once, they are taken in by pieces that do,
/// one sequence after another.
class KvCache::Intake {
 public:
  Intake(KvCache& cache, CachePart part, const AttentionProblem& problem, bool attends)
      : cache_(cache),
        layer_(part.layer),
        first_sequence_(std::max<std::int64_t>(part.sequence, 0)),
        sequences_(part.sequence < 0 ? cache.shape_.batch : 1),
        p_(problem),
        attends_(attends) {}

  Status run() {
    if (const Status status = prepare(); status != Status::ok) return status;
    bool together = true;
    for (std::int64_t i = 0; i < sequences_; ++i) {
      const std::int64_t wanted = real_tokens(i, 0, p_.queries);
      if (room(i, 0) == wanted) continue;
      if (cache_.policy_.window == 0) return Status::capacity;
      together = false;
    }
    if (together) return fits_taps() ? take(0, sequences_, 0, p_.queries) : Status::shape;
    if (attends_ && p_.taps.any()) return Status::unsupported;
    for (std::int64_t i = 0; i < sequences_; ++i) {
      for (std::int64_t first = 0; first < p_.queries;) {
        const std::int64_t end = end_of_piece(i, first);
        if (end == first) return Status::capacity;
        if (const Status status = take(i, 1, first, end); status != Status::ok) return status;
        first = end;
      }
    }
    return Status::ok;
  }

 private:
  /// Checks all but the room, and finds the positions.
  Status prepare() {
    const CacheShape& shape = cache_.shape_;
    const Masks& masks = p_.masks;
    if (layer_ < 0 || p_.batch != sequences_ || p_.queries < 0 || p_.kv_heads != shape.kv_heads ||
        p_.head_dim != shape.head_dim || p_.value_dim != shape.value_dim || p_.axes != shape.axes) {
      return Status::shape;
    }
    if (masks.global_keys.data != nullptr || masks.global_queries.data != nullptr ||
        masks.query_segments.data != nullptr || masks.key_segments.data != nullptr ||
        masks.visible.data != nullptr || masks.added.data != nullptr) {
      return Status::unsupported;
    }
    if (cache_.policy_.renumber && (p_.query_positions != nullptr || !cache_.movable(p_.terms))) {
      return Status::unsupported;
    }
    if (!attends_) {
      p_.terms = {.rotate = p_.terms.rotate, .domain = p_.terms.domain};
      p_.heads = p_.kv_heads;
      p_.scale = 1.0F;
      p_.softcap = 0.0F;
    }
    positions_ = Buffer<std::int32_t>(sequences_ * p_.queries * p_.axes);
    if (!positions_.ok()) return Status::memory;
    for (std::int64_t i = 0; i < sequences_; ++i) {
      place(i);
      for (std::int64_t t = 0; t < p_.queries; ++t) {
        if (real(i, t) && sees_evicted(i, t)) return Status::position;
      }
    }

    // As if the new tokens attended to each other: the same shapes, hooks and positions.
    AttentionProblem alone = p_;
    alone.keys = p_.queries;
    alone.query_positions = alone.key_positions = positions_.data();
    alone.query_positions_per_batch = alone.key_positions_per_batch = true;
    alone.keys_turned = cache_.policy_.turned;
    return check(alone);
  }

  /// The positions of a sequence: padding gets one that the encodings know.
  void place(std::int64_t i) {
    const PositionDomain& domain = p_.terms.domain;
    const std::int64_t last = cache_.policy_.renumber ? cache_.limit() - 1 : kMaxPosition + 1LL;
    std::int64_t next = cache_.next(layer_, first_sequence_ + i);
    for (std::int64_t t = 0; t < p_.queries; ++t) {
      std::int32_t* at = position(i, t);
      if (!real(i, t)) {
        std::fill_n(at, p_.axes, std::max(domain.low, std::min(0, domain.high)));
      } else if (p_.query_positions != nullptr) {
        const std::int64_t row = (p_.query_positions_per_batch ? i * p_.queries : 0) + t;
        std::copy_n(p_.query_positions + row * p_.axes, p_.axes, at);
      } else {
        std::fill_n(at, p_.axes, static_cast<std::int32_t>(std::min(next++, last)));
      }
    }
  }

  /// True when a key that the policy evicted would be in sight of a token.
  bool sees_evicted(std::int64_t i, std::int64_t t) {
    const CachePolicy& policy = cache_.policy_;
    return policy.window > 0 && !policy.renumber &&
           *position(i, t) - policy.window < cache_.tokens(layer_, first_sequence_ + i).gone;
  }
  std::int32_t* position(std::int64_t i, std::int64_t t) {
    return positions_.data() + (i * p_.queries + t) * p_.axes;
  }
  bool real(std::int64_t i, std::int64_t t) const {
    const std::uint8_t* mask = p_.masks.real_keys.of(i, p_.queries);
    return mask == nullptr || mask[t] != 0;
  }
  std::int64_t real_tokens(std::int64_t i, std::int64_t first, std::int64_t end) const {
    std::int64_t count = 0;
    for (std::int64_t t = first; t < end; ++t) count += real(i, t) ? 1 : 0;
    return count;
  }
  /// The position of the first token from `first` that is no padding.
  std::int64_t first_position(std::int64_t i, std::int64_t first) {
    while (first + 1 < p_.queries && !real(i, first)) ++first;
    return *position(i, first);
  }
  /// How many tokens from `first` can be stored at once.
  std::int64_t room(std::int64_t i, std::int64_t first) {
    const std::int64_t wanted = real_tokens(i, first, p_.queries);
    if (wanted == 0) return 0;
    return cache_.room(layer_, first_sequence_ + i, wanted, first_position(i, first));
  }
  /// Whether taps are as wide as all that is stored afterwards.
  bool fits_taps() {
    if (!attends_ || !p_.taps.any()) return true;
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < sequences_; ++i) {
      const std::int64_t sequence = first_sequence_ + i;
      const std::int64_t wanted = real_tokens(i, 0, p_.queries);
      std::int64_t count = cache_.count(layer_, sequence) + wanted;
      if (wanted > 0) count -= cache_.in_the_way(layer_, sequence, wanted, first_position(i, 0));
      most = std::max(most, count);
    }
    return p_.keys >= most && p_.keys <= cache_.shape_.capacity;
  }
  /// Where the tokens that have room end, padding behind them included.
  std::int64_t end_of_piece(std::int64_t i, std::int64_t first) {
    std::int64_t left = room(i, first);
    std::int64_t end = first;
    while (end < p_.queries && (left > 0 || !real(i, end))) {
      if (real(i, end)) --left;
      ++end;
    }
    return end;
  }

  /// Tokens first … end − 1 of sequences i … i + count − 1. They count once all has gone well.
  Status take(std::int64_t i, std::int64_t count, std::int64_t first, std::int64_t end) {
    Buffer<std::int64_t> counts(count);
    if (!counts.ok()) return Status::memory;
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t sequence = first_sequence_ + i + j;
      const std::int64_t wanted = real_tokens(i + j, first, end);
      Status status = Status::ok;
      if (wanted > 0) {
        status = cache_.make_room(layer_, sequence, wanted, first_position(i + j, first),
                                  p_.terms.rotate);
      }
      counts[j] = cache_.count(layer_, sequence);
      if (status == Status::ok) status = store(i + j, first, end, counts[j]);
      if (status != Status::ok) return status;
    }
    if (attends_) {
      const Status status = attend(i, count, first, end, counts.data());
      if (status != Status::ok) return status;
    }
    for (std::int64_t j = 0; j < count; ++j) {
      Tokens& stored = cache_.tokens(layer_, first_sequence_ + i + j);
      stored.count = counts[j];
      for (std::int64_t t = first; t < end; ++t) {
        if (!real(i + j, t)) continue;
        const std::int32_t* at = position(i + j, t);
        stored.next = std::max(stored.next, *std::max_element(at, at + p_.axes) + std::int64_t{1});
      }
    }
    return Status::ok;
  }

  /// Writes the tokens to slots from `slot` on, which moves on.
  Status store(std::int64_t i, std::int64_t first, std::int64_t end, std::int64_t& slot) {
    for (std::int64_t t = first; t < end;) {
      const std::int64_t start = t;
      for (; t < end && real(i, t); ++t) {
        // Since this call made room.
        if (sees_evicted(i, t)) return Status::position;
      }
      if (t == start) {
        ++t;
        continue;
      }
      if (const Status status = store_run(i, start, t - start, slot); status != Status::ok) {
        return status;
      }
      slot += t - start;
    }
    return Status::ok;
  }

  Status store_run(std::int64_t i, std::int64_t first, std::int64_t count, std::int64_t slot) {
    const std::int64_t sequence = first_sequence_ + i;
    const Rotate* rotate = cache_.policy_.turned ? p_.terms.rotate : nullptr;
    RotationTables tables;
    if (rotate != nullptr) {
      const Positions positions{position(i, first), count, p_.axes};
      const Status status = tables.build(*rotate, 0, Side::key, positions);
      if (status != Status::ok) return status;
    }
    std::copy_n(position(i, first), count * p_.axes, cache_.position(layer_, sequence, slot));
    for (std::int64_t h = 0; h < p_.kv_heads; ++h) {
      const std::int64_t row = (i * p_.kv_heads + h) * p_.queries + first;
      const auto write = [&](const float* x, std::int64_t width, bool turns, float* out) {
        if (turns) {
          rotate->turn(Side::key, static_cast<int>(h), x, tables.cos(), tables.sin(), count, out);
        } else {
          std::copy_n(x, count * width, out);
        }
      };
      write(p_.key + row * p_.head_dim, p_.head_dim, rotate != nullptr,
            cache_.key(layer_, sequence, h, slot));
      write(p_.value + row * p_.value_dim, p_.value_dim,
            rotate != nullptr && rotate->turns_output_back(),
            cache_.value(layer_, sequence, h, slot));
    }
    return Status::ok;
  }

  Status attend(std::int64_t i, std::int64_t count, std::int64_t first, std::int64_t end,
                const std::int64_t* counts) {
    const std::int64_t sequence = first_sequence_ + i;
    const std::int64_t row = i * p_.heads * p_.queries + first;
    AttentionProblem p = p_;
    p.batch = count;
    p.queries = end - first;
    p.query_rows = p_.queries;
    p.query += row * p.head_dim;
    p.output += row * p.value_dim;
    p.query_positions = position(i, first);
    p.query_positions_per_batch = true;
    if (p.query_scales.data != nullptr) {
      p.query_scales.data += (p.query_scales.per_batch ? i * p_.queries : 0) + first;
    }

    if (!p.taps.any()) p.keys = *std::max_element(counts, counts + count);
    p.key = cache_.key(layer_, sequence, 0, 0);
    p.value = cache_.value(layer_, sequence, 0, 0);
    p.key_rows = cache_.shape_.capacity;
    p.key_counts = counts;
    p.keys_turned = cache_.policy_.turned;
    p.key_positions = cache_.position(layer_, sequence, 0);
    p.key_positions_per_batch = true;
    p.masks.real_keys = {};
    if (cache_.policy_.window > 0) {
      p.masks.window = cache_.policy_.window;
      p.masks.sinks = cache_.policy_.sinks;
    }
    if (const Status status = attention(p); status != Status::ok) return status;
    for (std::int64_t j = i; j < i + count; ++j) {
      for (std::int64_t t = first; t < end; ++t) {
        if (!real(j, t)) blank(j, t);
      }
    }
    return Status::ok;
  }

  /// What a padded query gives.
  void blank(std::int64_t i, std::int64_t t) {
    const float hidden = -std::numeric_limits<float>::infinity();
    for (std::int64_t h = 0; h < p_.heads; ++h) {
      const std::int64_t row = (i * p_.heads + h) * p_.queries + t;
      std::fill_n(p_.output + row * p_.value_dim, p_.value_dim, 0.0F);
      for (float* tap :
           {p_.taps.scores, p_.taps.capped, p_.taps.biased, p_.taps.logits, p_.taps.weights}) {
        if (tap == nullptr) continue;
        std::fill_n(tap + row * p_.keys, p_.keys, tap == p_.taps.logits ? hidden : 0.0F);
      }
    }
  }

  KvCache& cache_;
  std::int64_t layer_, first_sequence_, sequences_;
  AttentionProblem p_;
  bool attends_;
  Buffer<std::int32_t> positions_;  // (sequences, tokens, axes)
};

Status KvCache::append(CachePart part, const AttentionProblem& problem) {
  return has(part) ? Intake(*this, part, problem, false).run() : Status::shape;
}

Status KvCache::attend(CachePart part, const AttentionProblem& problem) {
  return has(part) ? Intake(*this, part, problem, true).run() : Status::shape;
}

}  // namespace posenc
