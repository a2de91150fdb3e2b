// A cache beside a list of what should be in it.
#pragma once

#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "cache_case.hpp"
#include "cache_chunk.hpp"

namespace posenc::fuzz {

using Saved = std::vector<std::uint8_t>;

/// Slots of each layer and sequence.
using Contents = std::vector<Slots>;

class Session {
 public:
  /// A cache for tokens like those of the pool.
  Session(const test::AttentionCase& pool, CacheShape shape, CachePolicy policy);

  /// One operation that the input chooses. What is refused changes nothing; what is not does what
  /// the list says.
  void step(Bytes& bytes);

 private:
  void feed(Bytes& bytes);
  void edit(Bytes& bytes);
  void restore(Bytes& bytes);

  /// What stays of tokens that are there and new ones, by what the cache says of their positions.
  Slots kept(const Slots& candidates, Positions stored) const;

  KvCache& cache() { return cached_.cache(); }
  Saved saved();
  bool in_part(std::size_t at, CachePart part) const;
  std::size_t index(std::int64_t layer, std::int64_t sequence) const {
    return static_cast<std::size_t>(layer * shape_.batch + sequence);
  }
  CachePart part(Bytes& bytes) const;
  /// After an operation: `changed` is what it should have made of the contents.
  void settle(Status status, const Saved& before, Contents changed, const char* what);

  const test::AttentionCase& pool_;
  CacheShape shape_;
  CachePolicy policy_;
  test::CachedCase cached_;
  Contents contents_;
  bool is_known_ = true;  ///< False after bytes that nobody saved have come in.
  Saved kept_;
  Contents kept_contents_;
};

}  // namespace posenc::fuzz
