// What happens to tokens that are stored: eviction and new positions.
#include <algorithm>
#include <cstring>

#include "attention/cache.hpp"
#include "position/rotation.hpp"

namespace posenc {

/// Either every token goes to its slot's number, or `delta` is added to those from … to − 1.
struct KvCache::Move {
  bool to_slots = false;
  std::int64_t from = 0, to = 0, delta = 0;

  bool moves(std::int64_t position) const { return position >= from && position < to; }
  std::int64_t target(std::int64_t slot, std::int64_t position) const {
    if (to_slots) return slot;
    return moves(position) ? position + delta : position;
  }
};

template <class Change>
Status KvCache::each(CachePart part, Change change) {
  if (!has(part)) return Status::shape;
  const std::int64_t last_layer = part.layer < 0 ? shape_.layers - 1 : part.layer;
  const std::int64_t last_sequence = part.sequence < 0 ? shape_.batch - 1 : part.sequence;
  for (std::int64_t l = std::max<std::int64_t>(part.layer, 0); l <= last_layer; ++l) {
    for (std::int64_t b = std::max<std::int64_t>(part.sequence, 0); b <= last_sequence; ++b) {
      if (const Status status = change(l, b); status != Status::ok) return status;
    }
  }
  return Status::ok;
}

std::int64_t KvCache::room(std::int64_t layer, std::int64_t sequence, std::int64_t wanted,
                           std::int64_t position) const {
  const std::int64_t free = limit() - count(layer, sequence);
  if (wanted <= free || policy_.window == 0) return std::min(wanted, free);
  if (policy_.renumber) return std::max<std::int64_t>(free, 1);
  const Positions stored = positions(layer, sequence);
  std::int64_t hidden = 0;
  for (std::int64_t n = 0; n < stored.count; ++n) hidden += out_of_sight(stored.at(n), position);
  return std::min(wanted, free + hidden);
}

std::int64_t KvCache::in_the_way(std::int64_t layer, std::int64_t sequence, std::int64_t wanted,
                                 std::int64_t position) const {
  const Positions stored = positions(layer, sequence);
  const std::int64_t needed = stored.count + wanted - limit();
  if (needed <= 0) return 0;
  if (policy_.renumber) return needed;
  // Half of what nobody sees: moving the rest is paid for by many tokens, and tokens may still be
  // taken back.
  std::int64_t hidden = 0;
  for (std::int64_t n = 0; n < stored.count; ++n) hidden += out_of_sight(stored.at(n), position);
  return std::max(needed, (hidden + 1) / 2);
}

Status KvCache::make_room(std::int64_t layer, std::int64_t sequence, std::int64_t wanted,
                          std::int64_t position, const Rotate* rotate) {
  const Positions stored = positions(layer, sequence);
  std::int64_t left = in_the_way(layer, sequence, wanted, position);
  if (left == 0) return Status::ok;
  std::int64_t& gone = tokens(layer, sequence).gone;
  for (std::int64_t n = 0; n < stored.count && left > 0; ++n) {
    // A query at a slot's number sees all slots; what goes is the oldest after the sinks.
    const bool may_go =
        policy_.renumber ? n >= policy_.sinks : out_of_sight(stored.at(n), position);
    if (!may_go) continue;
    evicted_[n] = 1;
    gone = std::max<std::int64_t>(gone, stored.at(n));
    --left;
  }
  return compact(layer, sequence, rotate);
}

Status KvCache::compact(std::int64_t layer, std::int64_t sequence, const Rotate* rotate) {
  Tokens& t = tokens(layer, sequence);
  const auto move = [](auto* rows, std::int64_t width, std::int64_t to, std::int64_t from,
                       std::int64_t count) {
    std::memmove(rows + to * width, rows + from * width,
                 static_cast<std::size_t>(count * width) * sizeof(*rows));
  };
  std::int64_t kept = 0;
  for (std::int64_t n = 0; n < t.count;) {
    std::int64_t end = n;
    while (end < t.count && evicted_[end] == 0) ++end;
    if (kept != n) {
      move(position(layer, sequence, 0), shape_.axes, kept, n, end - n);
      for (std::int64_t h = 0; h < shape_.kv_heads; ++h) {
        move(key(layer, sequence, h, 0), shape_.head_dim, kept, n, end - n);
        move(value(layer, sequence, h, 0), shape_.value_dim, kept, n, end - n);
      }
    }
    kept += end - n;
    while (end < t.count && evicted_[end] != 0) evicted_[end++] = 0;
    n = end;
  }
  t.count = kept;
  if (!policy_.renumber) return Status::ok;
  t.next = kept;
  return reposition(layer, sequence, {.to_slots = true}, rotate);
}

Status KvCache::reposition(std::int64_t layer, std::int64_t sequence, const Move& move,
                           const Rotate* rotate) {
  constexpr std::int64_t kRows = 32;
  const bool turns = policy_.turned && rotate != nullptr;
  const std::int64_t width = turns ? rotate->table_width() : 0;
  Buffer<float> tables(4 * kRows * width);
  Buffer<std::int32_t> targets(kRows);
  if (!tables.ok() || !targets.ok()) return Status::memory;
  float* const cos = tables.data();
  float* const sin = cos + kRows * width;
  float* const old_cos = sin + kRows * width;
  float* const old_sin = old_cos + kRows * width;
  const Positions stored = positions(layer, sequence);
  for (std::int64_t n = 0; n < stored.count;) {
    std::int64_t count = 0;
    for (; count < kRows && n + count < stored.count; ++count) {
      const std::int64_t old = stored.at(n + count);
      const std::int64_t target = move.target(n + count, old);
      if (target == old) break;
      targets[count] = static_cast<std::int32_t>(target);
    }
    if (count == 0) {
      ++n;
      continue;
    }
    if (turns) {
      rotate->table(Side::key, stored.from(n, count), old_cos, old_sin);
      rotate->table(Side::key, {targets.data(), count}, cos, sin);
      // Back from the old position and on to the new one, in one turn: an attention factor cancels.
      for (std::int64_t i = 0; i < count * width; ++i) {
        const double a = old_cos[i];
        const double b = old_sin[i];
        const double c = cos[i];
        const double d = sin[i];
        cos[i] = static_cast<float>((c * a + d * b) / (a * a + b * b));
        sin[i] = static_cast<float>((d * a - c * b) / (a * a + b * b));
      }
      for (std::int64_t h = 0; h < shape_.kv_heads; ++h) {
        const auto turn = [&](float* rows) {
          rotate->turn(Side::key, static_cast<int>(h), rows, cos, sin, count, rows);
        };
        turn(key(layer, sequence, h, n));
        if (rotate->turns_output_back()) turn(value(layer, sequence, h, n));
      }
    }
    std::copy_n(targets.data(), count, position(layer, sequence, n));
    n += count;
  }
  return Status::ok;
}

bool KvCache::movable(const ScoreTerms& terms) const {
  return shape_.axes == 1 && terms.domain.axes == 1 && terms.relative &&
         (!policy_.turned || terms.rotate == nullptr || terms.rotate->turns_pairs_only());
}

Status KvCache::evict(CachePart part, std::span<const std::int32_t> slots,
                      const ScoreTerms& terms) {
  if (policy_.renumber && !movable(terms)) return Status::unsupported;
  const auto all_stored = [&](std::int64_t layer, std::int64_t sequence) {
    const bool stored = std::all_of(slots.begin(), slots.end(), [&](std::int32_t slot) {
      return slot >= 0 && slot < count(layer, sequence);
    });
    return stored ? Status::ok : Status::shape;
  };
  if (const Status status = each(part, all_stored); status != Status::ok) return status;
  return each(part, [&](std::int64_t layer, std::int64_t sequence) {
    for (const std::int32_t slot : slots) evicted_[slot] = 1;
    return compact(layer, sequence, terms.rotate);
  });
}

Status KvCache::truncate(CachePart part, std::int64_t kept) {
  const auto next_after = [&](std::int64_t layer, std::int64_t sequence) -> std::int64_t {
    return positions(layer, sequence).at(kept);
  };
  const auto possible = [&](std::int64_t layer, std::int64_t sequence) {
    const Tokens& t = tokens(layer, sequence);
    if (kept < 0) return Status::shape;
    if (kept >= t.count || policy_.window == 0) return Status::ok;
    const std::int64_t oldest_seen = next_after(layer, sequence) - policy_.window + 1;
    return t.gone >= oldest_seen ? Status::position : Status::ok;
  };
  if (const Status status = each(part, possible); status != Status::ok) return status;
  return each(part, [&](std::int64_t layer, std::int64_t sequence) {
    Tokens& t = tokens(layer, sequence);
    if (kept < t.count) t.next = next_after(layer, sequence);
    t.count = std::min(kept, t.count);
    return Status::ok;
  });
}

Status KvCache::shift(CachePart part, std::int64_t from, std::int64_t to, std::int64_t delta,
                      const ScoreTerms& terms) {
  if (policy_.renumber || !movable(terms)) return Status::unsupported;
  // Beyond all positions one number is as good as another, and their sums do not overflow.
  constexpr std::int64_t kFar = 4LL * kMaxPosition;
  const auto near = [&](std::int64_t x) { return std::clamp(x, -kFar, kFar); };
  const Move move{.from = near(from), .to = near(to), .delta = near(delta)};
  const auto known = [&](std::int64_t layer, std::int64_t sequence) {
    const auto fits = [&](std::int64_t position) {
      const std::int64_t target = move.target(0, position);
      return target >= terms.domain.low && target <= terms.domain.high;
    };
    const Positions stored = positions(layer, sequence);
    bool all = stored.count == 0 || fits(next(layer, sequence) - 1);
    for (std::int64_t n = 0; n < stored.count; ++n) all = all && fits(stored.at(n));
    return all ? Status::ok : Status::position;
  };
  if (const Status status = each(part, known); status != Status::ok) return status;
  return each(part, [&](std::int64_t layer, std::int64_t sequence) {
    const Status status = reposition(layer, sequence, move, terms.rotate);
    Tokens& t = tokens(layer, sequence);
    if (status != Status::ok) return status;
    if (t.count > 0 && move.moves(t.next - 1)) t.next += move.delta;
    // Tokens below may have been evicted too, and stay where they were.
    if (t.gone != kNever && move.moves(t.gone)) {
      t.gone = std::clamp<std::int64_t>(std::max(t.gone + move.delta, move.from - 1), -kMaxPosition,
                                        kMaxPosition);
    }
    return status;
  });
}

Status KvCache::clear(std::int64_t sequence) {
  return each({-1, sequence}, [&](std::int64_t layer, std::int64_t b) {
    tokens(layer, b) = {};
    return Status::ok;
  });
}

}  // namespace posenc
