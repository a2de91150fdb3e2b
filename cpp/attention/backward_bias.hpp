// Gradients of what is added to logits: the hook `bias`, a dense mask.
#pragma once

#include <cstdint>
#include <span>

#include "attention/operands.hpp"
#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "core/buffer.hpp"

namespace posenc {

class BiasGradient {
 public:
  BiasGradient(const AttentionProblem& problem, std::span<float* const> grads,
               const PerPair<float>& added)
      : p_(problem), grads_(grads), added_(added) {}

  Status enter(const Operands& operands, int head);
  /// Adds the gradients by the logits of a tile.
  void add(const Panel& panel, const KeyBlock& block, const float* d /* (count, kPanel) */);
  /// After all tiles of a head.
  void leave();

 private:
  bool wanted() const { return p_.terms.bias != nullptr && !grads_.empty(); }

  const AttentionProblem& p_;
  std::span<float* const> grads_;
  PerPair<float> added_;
  const Operands* operands_ = nullptr;
  int head_ = 0;
  bool toeplitz_ = false;
  std::int64_t first_distance_ = 0;
  Buffer<float> by_distance_;       // from first_distance_, where the bias is Toeplitz
  Buffer<std::int32_t> positions_;  // of a key at each of these distances
  Buffer<float> row_;               // (kKeyBlock)
};

}  // namespace posenc
