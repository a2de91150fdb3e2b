// Gradients of what is added to logits, and of what they are multiplied by before: the hook `bias`,
// a dense mask.
#pragma once

#include <cstdint>
#include <span>

#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/tile.hpp"
#include "core/buffer.hpp"

namespace posenc {

class BiasGradient {
 public:
  BiasGradient(const AttentionProblem& problem, std::span<float* const> grads,
               const PerPair<float>& added)
      : p_(problem), grads_(grads), added_(added) {}

  Status enter(const Operands& operands, int head);
  /// True when logits are multiplied by weights.
  bool weighs() const { return p_.terms.bias != nullptr && p_.terms.bias->weighs(); }

  // Gradients of a tile, (count, kPanel).

  /// Those by the logits, to a dense mask.
  void add_dense(const Panel& panel, const KeyBlock& block, const float* d) const;
  /// Those by the biases.
  void add(const Panel& panel, const KeyBlock& block, const float* d);
  /// From those by the weighed logits, in place, those by the logits before, which were `logits`.
  void unweigh(HeadScores& scores, const Panel& panel, const KeyBlock& block, const float* logits,
               float* d);
  /// After all tiles of a head.
  void leave();

 private:
  using RowGradient = void (Bias::*)(int, Positions, Positions, const float*,
                                     std::span<float* const>) const;

  bool wanted() const { return p_.terms.bias != nullptr && !grads_.empty(); }
  void collect(const Panel& panel, const KeyBlock& block, const float* d,
               Buffer<float>& by_distance, RowGradient gradient);
  void hand_on(const Buffer<float>& by_distance, RowGradient gradient);

  const AttentionProblem& p_;
  std::span<float* const> grads_;
  PerPair<float> added_;
  const Operands* operands_ = nullptr;
  int head_ = 0;
  bool toeplitz_ = false;
  std::int64_t first_distance_ = 0;
  Buffer<float> biases_, weights_;  // by distance, from first_distance_, where they are Toeplitz
  Buffer<std::int32_t> positions_;  // of a key at each of these distances
  Buffer<float> row_;               // (kKeyBlock)
  Buffer<float> products_;          // (kKeyBlock, kPanel), where logits are weighed
};

}  // namespace posenc
