#include "cache_session.hpp"

#include <algorithm>
#include <limits>

#include "require.hpp"

namespace posenc::fuzz {

namespace {

constexpr std::int64_t kTag = 7;

}  // namespace

Session::Session(const test::AttentionCase& pool, CacheShape shape, CachePolicy policy)
    : pool_(pool),
      shape_(shape),
      policy_(policy),
      cached_(pool, shape.capacity, policy, shape.batch, shape.layers),
      contents_(static_cast<std::size_t>(shape.layers * shape.batch)),
      kept_(saved()),
      kept_contents_(contents_) {}

void Session::step(Bytes& bytes) {
  switch (bytes.below(8)) {
    case 5:
      restore(bytes);
      break;
    case 6:
    case 7:
      edit(bytes);
      break;
    default:
      feed(bytes);
  }
}

Saved Session::saved() {
  Saved bytes(static_cast<std::size_t>(cache().saved_size()));
  cache().save(kTag, bytes.data());
  return bytes;
}

CachePart Session::part(Bytes& bytes) const {
  // One that is not there now and then.
  return {bytes.below(shape_.layers + 2) - 1, bytes.below(shape_.batch + 2) - 1};
}

bool Session::in_part(std::size_t at, CachePart part) const {
  const auto i = static_cast<std::int64_t>(at);
  return (part.layer < 0 || part.layer == i / shape_.batch) &&
         (part.sequence < 0 || part.sequence == i % shape_.batch);
}

void Session::settle(Status status, const Saved& before, Contents changed, const char* what) {
  if (status != Status::ok) {
    require(saved() == before, std::string(what) + " was refused and changed the cache: " +
                                   kStatusNames[static_cast<int>(status)]);
    return;
  }
  if (!is_known_) return;
  contents_ = std::move(changed);
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Positions stored = cache().positions(at / shape_.batch, at % shape_.batch);
    require(stored.count == static_cast<std::int64_t>(contents_[i].size()),
            std::string(what) + " left another number of tokens");
    for (std::int64_t n = 0; n < stored.count; ++n) {
      require(stored.at(n) == contents_[i][static_cast<std::size_t>(n)].position,
              std::string(what) + " left another position");
    }
  }
}

void Session::edit(Bytes& bytes) {
  const Saved before = saved();
  const CachePart where = part(bytes);
  Contents changed = contents_;
  const auto each = [&](auto change) {
    for (std::size_t i = 0; i < changed.size(); ++i) {
      if (in_part(i, where)) change(changed[i]);
    }
  };
  switch (bytes.below(5)) {
    case 0: {
      const std::int64_t count = bytes.below(shape_.capacity + 2) - 1;
      const Status status = cache().truncate(where, count);
      each([&](auto& slots) {
        if (count >= 0 && count < static_cast<std::int64_t>(slots.size())) {
          slots.resize(static_cast<std::size_t>(count));
        }
      });
      settle(status, before, changed, "truncate");
      break;
    }
    case 1: {
      std::vector<std::int32_t> gone(static_cast<std::size_t>(bytes.below(4)));
      for (auto& slot : gone) {
        slot = static_cast<std::int32_t>(bytes.below(shape_.capacity + 2)) - 1;
      }
      const Status status = cache().evict(where, gone, cached_.terms());
      each([&](auto& slots) {
        Slots kept;
        for (std::size_t n = 0; n < slots.size(); ++n) {
          const bool goes =
              std::find(gone.begin(), gone.end(), static_cast<std::int32_t>(n)) != gone.end();
          if (!goes) kept.push_back(slots[n]);
        }
        slots = kept;
        if (policy_.renumber) number(slots);
      });
      settle(status, before, changed, "evict");
      break;
    }
    case 2: {
      const std::int64_t places[] = {0,
                                     3,
                                     -5,
                                     bytes.byte(),
                                     std::int64_t{1} << 24,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()};
      const std::int64_t deltas[] = {
          1,       -1,         -3,           40,
          1 << 20, -(1 << 30), bytes.word(), std::numeric_limits<std::int64_t>::max()};
      const std::int64_t from = bytes.pick(places);
      const std::int64_t to = bytes.pick(places);
      const std::int64_t delta = bytes.pick(deltas);
      const Status status = cache().shift(where, from, to, delta, cached_.terms());
      each([&](auto& slots) {
        for (Slot& slot : slots) {
          if (status == Status::ok && slot.position >= from && slot.position < to) {
            slot.position += delta;
          }
        }
      });
      settle(status, before, changed, "shift");
      break;
    }
    case 3: {
      const std::int64_t from = bytes.below(shape_.batch + 2) - 1;
      const std::int64_t to = bytes.below(shape_.batch + 2) - 1;
      const Status status = cache().copy_sequence(from, to);
      for (std::int64_t layer = 0; status == Status::ok && layer < shape_.layers; ++layer) {
        changed[index(layer, to)] = changed[index(layer, from)];
      }
      settle(status, before, changed, "copy");
      break;
    }
    default: {
      const Status status = cache().clear(where.sequence);
      for (std::size_t i = 0; i < changed.size(); ++i) {
        if (in_part(i, {-1, where.sequence})) changed[i].clear();
      }
      if (status == Status::ok && where.sequence == -1) is_known_ = true;
      settle(status, before, changed, "clear");
    }
  }
}

Slots Session::kept(const Slots& candidates, Positions stored) const {
  Slots slots;
  if (policy_.renumber) {
    // The oldest after the sinks go.
    slots = candidates;
    const auto first = slots.begin() + std::min<std::int64_t>(policy_.sinks, stored.count);
    slots.erase(first, first + (static_cast<std::int64_t>(slots.size()) - stored.count));
    number(slots);
    return slots;
  }
  // Of those at one position, the oldest go first.
  std::int64_t left = stored.count;
  for (auto slot = candidates.rbegin(); slot != candidates.rend(); ++slot) {
    if (left == 0 || slot->position != stored.at(left - 1)) continue;
    slots.insert(slots.begin(), *slot);
    --left;
  }
  return slots;
}

void Session::feed(Bytes& bytes) {
  const Saved before = saved();
  CachePart where = {bytes.below(shape_.layers), bytes.below(shape_.batch + 1) - 1};
  std::vector<std::int64_t> sequences;
  for (std::int64_t b = 0; b < shape_.batch; ++b) {
    if (where.sequence < 0 || where.sequence == b) sequences.push_back(b);
  }
  std::vector<std::int64_t> next;
  for (const std::int64_t b : sequences) next.push_back(cache().next(where.layer, b));
  const Chunk chunk(bytes, pool_, where, next, bytes.below(bytes.flag() ? 3 : shape_.capacity + 4));
  const bool attends = bytes.flag();
  const test::FeedOptions options = {
      .part = where, .placed = chunk.placed, .tap_keys = bytes.once_in(4) ? bytes.below(40) : 0};
  test::Stages<float> result;
  if (attends) {
    result = cached_.attend(chunk.tokens, options);
  } else {
    result.status = cached_.append(chunk.tokens, options);
  }
  // Of a chunk in pieces, those before the one that failed stay.
  const bool in_pieces = policy_.window > 0 && chunk.tokens.batch * chunk.tokens.queries > 1;
  if (result.status != Status::ok && in_pieces) {
    is_known_ = is_known_ && saved() == before;
    return;
  }
  Contents changed = contents_;
  for (std::size_t i = 0; result.status == Status::ok && is_known_ && i < sequences.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    Slots& slots = changed[index(where.layer, sequences[i])];
    if (attends) {
      check_output(pool_, cached_.terms(), cache(), chunk, at, slots, result.output);
    }
    const Slots added = chunk.real(at);
    slots.insert(slots.end(), added.begin(), added.end());
    slots = kept(slots, cache().positions(where.layer, sequences[i]));
  }
  settle(result.status, before, changed, attends ? "attend" : "append");
}

void Session::restore(Bytes& bytes) {
  const Saved before = saved();
  if (bytes.flag()) {
    kept_ = before;
    kept_contents_ = contents_;
    if (!is_known_) kept_.clear();
    return;
  }
  Saved given = kept_;
  std::int64_t damages = bytes.below(4);
  for (; damages > 0 && !given.empty(); --damages) {
    // Headers, counts and first positions are where it matters.
    const std::size_t at = bytes.flag() ? static_cast<std::uint32_t>(bytes.word()) : bytes.byte();
    given[at % given.size()] ^= static_cast<std::uint8_t>(1U << bytes.below(8));
    if (bytes.once_in(8)) given.resize(given.size() - given.size() % 97);
  }
  const Status status = cache().restore(kTag, given);
  if (status == Status::ok) require(saved() == given, "what was restored is saved otherwise");
  require(given.empty() || given != kept_ || status == Status::ok, "saved bytes are refused");
  if (status == Status::ok) is_known_ = given == kept_;
  settle(status, before, kept_contents_, "restore");
}

}  // namespace posenc::fuzz
