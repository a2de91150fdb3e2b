// A cache, fed with the tokens of attention problems that own their data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attention/cache.hpp"
#include "attention_case.hpp"

namespace posenc::test {

struct FeedOptions {
  CachePart part = {0, -1};
  /// Hand in the positions of the case; else they go on where they stopped. Positions of several
  /// axes are always handed in.
  bool placed = false;
  std::int64_t tap_keys = 0;  ///< Width of taps; 0 = none.
};

class CachedCase {
 public:
  /// A cache for tokens like those of a case, and its encodings. Fails the test when it is refused.
  CachedCase(const AttentionCase& like, std::int64_t capacity, CachePolicy policy,
             std::int64_t batch = 1, std::int64_t layers = 1);

  KvCache& cache() { return *cache_; }
  const ScoreTerms& terms() const { return terms_; }
  /// Another one with the same contents.
  CachedCase fork() const;

  /// Attends to new tokens: those of a self-attention, whose key mask says which are no padding.
  Stages<float> attend(const AttentionCase& tokens, FeedOptions options = {});
  Status append(const AttentionCase& tokens, FeedOptions options = {});

 private:
  CachedCase(const CachedCase& other, CacheShape shape);
  template <class Take>
  Stages<float> feed(const AttentionCase& tokens, FeedOptions options, Take take);

  ScoreTerms terms_;
  std::unique_ptr<KvCache> cache_;
};

/// True when keys can be stored as the encoding turns them.
bool stores_turned(const Encoding& encoding);

}  // namespace posenc::test
