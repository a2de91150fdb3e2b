// New tokens of a cache, chosen from a pool.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/cache.hpp"
#include "attention_case.hpp"
#include "bytes.hpp"

namespace posenc::fuzz {

/// A token in a slot: which of the pool it is, and where it stands.
struct Slot {
  std::int64_t token;
  std::int64_t position;
};
using Slots = std::vector<Slot>;

/// Gives the slots of a cache their numbers as positions.
void number(Slots& slots);

/// A problem whose queries and keys are tokens of the pool.
test::AttentionCase problem_of(const test::AttentionCase& pool, const Slots& queries,
                               const Slots& keys);

struct Chunk {
  CachePart part;
  bool placed = false;         ///< Hands in its positions.
  test::AttentionCase tokens;  ///< A self-attention; padding is masked.
  std::vector<Slots> slots;    ///< Those of each sequence, padding included.

  /// A chunk of the sequences of a part, for a cache whose next positions are `next`.
  Chunk(Bytes& bytes, const test::AttentionCase& pool, CachePart where,
        const std::vector<std::int64_t>& next, std::int64_t count);

  /// What a sequence brings, without padding.
  Slots real(std::int64_t i) const;
};

/// What a cache must give for a sequence of a chunk that met `old` slots; compares the output.
void check_output(const test::AttentionCase& pool, const ScoreTerms& terms, const KvCache& cache,
                  const Chunk& chunk, std::int64_t i, const Slots& old,
                  const std::vector<float>& output);

}  // namespace posenc::fuzz
