// The way back through scores that are mixed across heads.
#pragma once

#include <cstdint>
#include <span>

#include "attention/panel.hpp"
#include "attention/problem.hpp"
#include "attention/rows.hpp"
#include "core/buffer.hpp"

namespace posenc {

/// The tiles of all heads at the same queries and keys.
class MixGradient {
 public:
  MixGradient(const AttentionProblem& problem, std::span<float* const> grads);

  Status allocate();

  // Tiles of a head, (count, kPanel).
  float* scores(std::int64_t head) { return tile(scores_, head); }
  float* biases(std::int64_t head) { return tile(biases_, head); }
  /// After `mix`: scores with what was added to them.
  const float* sums(std::int64_t head) { return tile(sums_, head); }
  float* d_sums(std::int64_t head) { return tile(d_sums_, head); }
  // After `mix_grad`.
  const float* d_scores(std::int64_t head) { return tile(d_scores_, head); }
  const float* d_biases(std::int64_t head) { return tile(d_biases_, head); }

  /// From scores and biases of `count` keys, sums.
  void mix(std::int64_t count);
  /// From the gradients by the sums, those by scores and biases.
  void mix_grad(std::int64_t count);

 private:
  static constexpr std::int64_t kTile = kKeyBlock * kPanel;
  static float* tile(Buffer<float>& tiles, std::int64_t head) {
    return tiles.data() + head * kTile;
  }

  const HeadMix* mix_;
  std::int64_t size_;  // of the tiles of all heads
  std::span<float* const> grads_;
  Buffer<float> scores_, biases_, sums_;        // (heads, kKeyBlock, kPanel)
  Buffer<float> d_sums_, d_scores_, d_biases_;  // the same
};

}  // namespace posenc
