// Encodings that exist for the tests alone: they fill the hooks that no line of the registry fills
// yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "position/position.hpp"

namespace posenc::test {

/// Vectors by clipped distance, as in Shaw 2018 and Transformer-XL; row = clip(distance) + reach.
class VectorEncoding final : public Encoding, public Content {
 public:
  VectorEncoding(std::int64_t reach, std::int64_t head_dim) : reach_(reach), head_dim_(head_dim) {}

  std::vector<float> by_query, by_key;  ///< (heads, 2·reach + 1, head_dim), or empty
  std::vector<float> shared;            ///< (heads, head_dim), or empty

  const Content* content() const override { return this; }
  std::int64_t rows() const override { return 2 * reach_ + 1; }
  std::int64_t row(std::int64_t distance) const override {
    return std::clamp(distance, -reach_, reach_) + reach_;
  }
  const float* query_vectors(int head) const override {
    return by_query.empty() ? nullptr : by_query.data() + head * rows() * head_dim_;
  }
  const float* key_vectors(int head) const override {
    return by_key.empty() ? nullptr : by_key.data() + head * rows() * head_dim_;
  }
  const float* global(int head) const override {
    return shared.empty() ? nullptr : shared.data() + head * head_dim_;
  }

 private:
  std::int64_t reach_, head_dim_;
};

/// Rotation that treats queries and keys differently, as xPos does: pairs of queries grow with the
/// position by a factor, those of keys shrink by it.
class GrowingRotation final : public Encoding, public Rotate {
 public:
  explicit GrowingRotation(std::int64_t head_dim) : head_dim_(head_dim) {}

  static double frequency(std::int64_t pair) { return 0.3 / static_cast<double>(pair + 1); }
  static double magnitude(Side side, std::int64_t position, std::int64_t pair) {
    const double growth = std::pow(1.01, static_cast<double>(position * (pair + 1)));
    return side == Side::query ? growth : 1 / growth;
  }

  const Rotate* rotate() const override { return this; }
  PairLayout layout() const override { return PairLayout::interleaved; }
  std::int64_t head_dim() const override { return head_dim_; }
  std::int64_t rotary_dim() const override { return head_dim_ / 2 * 2; }
  void table(Side side, Positions positions, float* cos, float* sin) const override {
    const std::int64_t pairs = head_dim_ / 2;
    for (std::int64_t i = 0; i < positions.count * pairs; ++i) {
      const std::int32_t position = positions.at(i / pairs);
      const double angle = position * frequency(i % pairs);
      const double length = magnitude(side, position, i % pairs);
      cos[i] = static_cast<float>(length * std::cos(angle));
      sin[i] = static_cast<float>(length * std::sin(angle));
    }
  }

 private:
  std::int64_t head_dim_;
};

/// A bias that is any function of head, query position and key position.
class BiasEncoding final : public Encoding, public Bias {
 public:
  using Function = std::function<float(int head, std::int32_t query, std::int32_t key)>;
  BiasEncoding(int heads, Function function) : heads_(heads), function_(std::move(function)) {}

  const Bias* bias() const override { return this; }
  int heads() const override { return heads_; }
  bool toeplitz() const override { return false; }
  void by_distance(int, std::int64_t, std::int64_t, float*) const override {}
  void row(int head, std::int32_t query, Positions keys, float* out) const override {
    for (std::int64_t n = 0; n < keys.count; ++n) out[n] = function_(head, query, keys.at(n));
  }

 private:
  int heads_;
  Function function_;
};

/// A bias that depends on the distance alone.
class DistanceEncoding final : public Encoding, public Bias {
 public:
  using Function = std::function<float(int head, std::int64_t distance)>;
  DistanceEncoding(int heads, Function function) : heads_(heads), function_(std::move(function)) {}

  const Bias* bias() const override { return this; }
  int heads() const override { return heads_; }
  bool toeplitz() const override { return true; }
  void by_distance(int head, std::int64_t first, std::int64_t count, float* out) const override {
    for (std::int64_t i = 0; i < count; ++i) out[i] = function_(head, first + i);
  }
  void row(int head, std::int32_t query, Positions keys, float* out) const override {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      out[n] = function_(head, std::int64_t{query} - keys.at(n));
    }
  }

 private:
  int heads_;
  Function function_;
};

/// A temperature by head and query position.
class ScaleEncoding final : public Encoding, public Scale {
 public:
  using Function = std::function<float(int head, std::int32_t query)>;
  explicit ScaleEncoding(Function function) : function_(std::move(function)) {}

  const Scale* scale() const override { return this; }
  float factor(int head, std::int32_t query) const override { return function_(head, query); }

 private:
  Function function_;
};

/// Who may see whom, as any function of head and positions.
class MaskEncoding final : public Encoding, public Mask {
 public:
  using Function = std::function<bool(int head, std::int32_t query, std::int32_t key)>;
  explicit MaskEncoding(Function function) : function_(std::move(function)) {}

  const Mask* mask() const override { return this; }
  void row(int head, std::int32_t query, Positions keys, std::uint8_t* visible) const override {
    for (std::int64_t n = 0; n < keys.count; ++n) {
      if (!function_(head, query, keys.at(n))) visible[n] = 0;
    }
  }

 private:
  Function function_;
};

}  // namespace posenc::test
