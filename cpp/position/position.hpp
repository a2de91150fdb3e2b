// The six places where position enters a transformer. An encoding is a value that fills some of
// them; the attention engine knows the places, never the names.
//
// Conventions: a distance is query position − key position. Float arrays are in C order, shapes
// stand behind pointers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/status.hpp"

namespace posenc {

/// Positions of `count` tokens. Token t has `axes` coordinates at `data[t * axes]` (text has one;
/// images and videos have more).
struct Positions {
  const std::int32_t* data;  // (count, axes)
  std::int64_t count;
  int axes = 1;

  std::int32_t at(std::int64_t token, int axis = 0) const { return data[token * axes + axis]; }
  Positions from(std::int64_t token, std::int64_t tokens) const {
    return {data + token * axes, tokens, axes};
  }
};

/// The positions that an encoding knows: tokens of at least `axes` coordinates, the first `axes` of
/// which lie in [low, high].
struct PositionDomain {
  std::int32_t low = -kMaxPosition;
  std::int32_t high = kMaxPosition;
  int axes = 1;
  /// A token of a single coordinate has it on every axis (text among images).
  bool one_for_all = false;

  bool holds(Positions positions) const;
  /// What both know.
  PositionDomain intersection(PositionDomain other) const;
};

/// Which vector is turned: some encodings (xPos) treat queries and keys differently.
enum class Side : std::uint8_t { query, key };

/// How the dimensions of a head form pairs: (i, i + rotary_dim/2) or (2i, 2i + 1).
enum class PairLayout : std::uint8_t { half, interleaved };

/// Hook `embed`: a row per position, added to the input of the first layer.
class Embed {
 public:
  virtual std::int64_t width() const = 0;
  /// Writes one row per position.
  virtual void rows(Positions positions, float* out /* (count, width) */) const = 0;
  /// Adds to `grads` (one pointer per tensor of the parameter table, in its order; null = not
  /// wanted) the gradients of a loss whose gradient by the rows is `d_out`. `memory` when there is
  /// no room to do so; nothing is added then.
  virtual Status rows_grad(Positions /*positions*/, const float* /*d_out*/,
                           std::span<float* const> /*grads*/) const {
    return Status::ok;
  }

 protected:
  ~Embed() = default;
};

/// Hook `rotate`: turns pairs of dimensions of queries and keys. The engine multiplies; the
/// encoding gives cos and sin, any common factor (attention factor, xPos decay) included.
class Rotate {
 public:
  virtual PairLayout layout() const = 0;
  /// Width of the head whose leading `rotary_dim` dimensions turn.
  virtual std::int64_t head_dim() const = 0;
  virtual std::int64_t rotary_dim() const = 0;
  /// The first dimension that turns: those before it pass unchanged (the rope slice of MLA).
  virtual std::int64_t offset() const { return 0; }
  /// Equal parts of the dimensions that turn, each of which forms its pairs on its own (images:
  /// one part per axis). More than one in the layout `half` only.
  virtual int parts() const { return 1; }
  /// Tables side by side in a row: one that all heads share, or several.
  virtual std::int64_t tables() const { return 1; }
  /// Which of them a head reads.
  virtual std::int64_t table_of(Side /*side*/, int /*head*/) const { return 0; }
  /// Cosines (or sines) of one position.
  std::int64_t table_width() const { return tables() * (rotary_dim() / 2); }
  virtual void table(Side side, Positions positions, float* cos /* (count, table_width) */,
                     float* sin /* (count, table_width) */) const = 0;
  /// Ways to turn queries and keys, of which each pair of tokens meets in one (Self-Extend, dual
  /// chunk attention). Most encodings have one, `table`.
  virtual int regimes() const { return 1; }
  /// The table of a regime.
  virtual void regime_table(int /*regime*/, Side side, Positions positions, float* cos,
                            float* sin) const {
    table(side, positions, cos, sin);
  }
  /// Keys at or before this position meet the query in this regime or a later one, those after it
  /// in an earlier one. Never falls as the query's position grows, nor rises with the regime; not
  /// asked for regime 0, in which all others meet.
  virtual std::int64_t last_key(int /*regime*/, std::int32_t /*query*/) const { return 0; }
  /// False when `turn` does more to a vector than turning its pairs by the table.
  virtual bool turns_pairs_only() const { return true; }
  /// Width of a turned row: an encoding may widen it (PoPE).
  virtual std::int64_t turned_dim() const { return head_dim(); }
  /// Turns `tokens` rows of one head by their rows of the table. `out` may be `x` where the width
  /// stays.
  virtual void turn(Side side, int head, const float* x /* (tokens, head_dim) */, const float* cos,
                    const float* sin, std::int64_t tokens,
                    float* out /* (tokens, turned_dim) */) const;
  /// The gradient by rows that were turned: `d_out` is that by what `turn` made of them. 0 where it
  /// is 0, whatever the row holds.
  virtual void input_grad(Side side, int head, const float* x /* (tokens, head_dim) */,
                          const float* cos, const float* sin,
                          const float* d_out /* (tokens, turned_dim) */, std::int64_t tokens,
                          float* d_x /* (tokens, head_dim), not d_out */) const;
  /// Adds to `grads` (a pointer per tensor parameter in table order; null = not wanted) what
  /// `d_out`, the gradient of the turned rows of one head, says of the trained parameters. A row
  /// whose gradient is 0 says nothing, whatever it holds. `memory` as in Embed::rows_grad.
  virtual Status turn_grad(Side /*side*/, int /*head*/, Positions /*positions*/,
                           const float* /*x: (count, head_dim)*/,
                           const float* /*d_out: (count, turned_dim)*/,
                           std::span<float* const> /*grads*/) const {
    return Status::ok;
  }
  /// True when keys and values are the same vectors (DeepSeek-V4): values are turned like keys, and
  /// the output is turned back by the query's position.
  virtual bool turns_output_back() const { return false; }

 protected:
  ~Rotate() = default;
};

/// Gradients of a loss by the terms that the hook `content` gives one head, each shaped like its
/// term; null where the term is absent.
struct ContentGrad {
  const float* query_vectors = nullptr;  // by r: (rows, head_dim)
  const float* key_vectors = nullptr;    // by s: (rows, head_dim)
  const float* global = nullptr;         // by u: (head_dim)
  const float* offsets = nullptr;        // by c: (rows)
  const float* value_vectors = nullptr;  // by w: (rows, value_dim)
};

/// Hook `content`: terms made of content × position, added to the raw score before scaling:
/// q_m·r[δ] + k_n·s[δ] + u·k_n + c[δ] with δ = row(distance), and to the output: Σ_n
/// weight_mn·w[δ]. An absent term is null.
///
/// Gradients: with D_mn that of a loss by the raw score and E_m that by the output, pairs (m, n) of
/// row δ give ∂r[δ] = Σ D_mn·q_m, ∂s[δ] = Σ D_mn·k_n, ∂c[δ] = Σ D_mn, ∂w[δ] = Σ weight_mn·E_m, and
/// all pairs ∂u = Σ D_mn·k_n, ∂q_m = Σ_n D_mn·(k_n + r[δ]), ∂k_n = Σ_m D_mn·(q_m + s[δ] + u) and
/// ∂weight_mn = E_m·(v_n + w[δ]). The gated form has its own, in position/gates.hpp.
class Content {
 public:
  /// Heads that the tables are made for; 0 = all heads share them.
  virtual int heads() const = 0;
  virtual std::int64_t head_dim() const = 0;
  /// Width of w; 0 where there is none.
  virtual std::int64_t value_dim() const { return 0; }
  /// Rows of the tables r, s and w.
  virtual std::int64_t rows() const = 0;
  /// True when r is found by counting, not by distance: the term is q_m·r[p], not scaled, p the
  /// sum of the gates σ(scaled q·k) of the visible keys from n to the query, at most rows() − 1, r
  /// interpolated between whole p (CoPE). No other term is filled then, and the keys must stand in
  /// the order of their positions.
  virtual bool gated() const { return false; }
  /// The row of a distance, 0 … rows() − 1.
  virtual std::int64_t row(std::int64_t distance) const = 0;
  virtual const float* query_vectors(int /*head*/) const { return nullptr; }  // r
  virtual const float* key_vectors(int /*head*/) const { return nullptr; }    // s
  virtual const float* global(int /*head*/) const { return nullptr; }         // u
  virtual const float* offsets(int /*head*/) const { return nullptr; }        // c
  virtual const float* value_vectors(int /*head*/) const { return nullptr; }  // w
  /// Adds to `grads` (a pointer per tensor parameter in table order; null = not wanted) what the
  /// gradients by the terms of one head say of the trained parameters.
  virtual void tables_grad(int /*head*/, const ContentGrad& /*effective*/,
                           std::span<float* const> /*grads*/) const {}

 protected:
  ~Content() = default;
};

/// Hook `content`, of what takes in all heads at once: a term made of the scaled scores of all
/// heads at one query and key, and of their biases (DAPE). It is added to the scaled scores.
class HeadMix {
 public:
  virtual int heads() const = 0;
  /// Adds the terms of `count` pairs of a query and a key, whole registers of them, to their
  /// scores. The numbers of a head lie `stride` after those of the head before.
  virtual void add(const float* biases, std::int64_t count, std::int64_t stride,
                   float* scores) const = 0;
  /// From the gradient by what `add` writes: adds those by the scores before it and by the biases
  /// (both unless null), and to `grads` those of the trained parameters, as in Embed::rows_grad. A
  /// pair whose gradient is 0 in all heads adds nothing, whatever its scores are.
  virtual void add_grad(const float* scores, const float* biases, const float* d_sums,
                        std::int64_t count, std::int64_t stride, float* d_scores, float* d_biases,
                        std::span<float* const> grads) const = 0;

 protected:
  ~HeadMix() = default;
};

/// Hook `bias`: a number added to the logit after softcap. The logit may be multiplied by a kernel
/// of the distance before (KERPLE's weights).
class Bias {
 public:
  virtual int heads() const = 0;
  /// True when the bias depends on the distance alone; then `by_distance` is available.
  virtual bool toeplitz() const = 0;
  /// The biases of distances first, first + 1, … (of Toeplitz biases only).
  virtual void by_distance(int /*head*/, std::int64_t /*first*/, std::int64_t /*count*/,
                           float* /*out*/) const {}
  /// The biases of one query (`query` holds one token) against `keys`.
  virtual void row(int head, Positions query, Positions keys, float* out) const = 0;
  /// The gradients of that, as in Embed::rows_grad.
  virtual void row_grad(int /*head*/, Positions /*query*/, Positions /*keys*/,
                        const float* /*d_row*/, std::span<float* const> /*grads*/) const {}

  /// True when logits are multiplied by weights of the distance before biases are added. The three
  /// members below are those of the biases again.
  virtual bool weighs() const { return false; }
  virtual void weights_by_distance(int /*head*/, std::int64_t /*first*/, std::int64_t /*count*/,
                                   float* /*out*/) const {}
  virtual void weights_row(int /*head*/, Positions /*query*/, Positions /*keys*/,
                           float* /*out*/) const {}
  virtual void weights_row_grad(int /*head*/, Positions /*query*/, Positions /*keys*/,
                                const float* /*d_row*/, std::span<float* const> /*grads*/) const {}

 protected:
  ~Bias() = default;
};

/// Hook `scale`: a factor of the query, by head and position (log-n scaling, temperatures).
class Scale {
 public:
  virtual float factor(int head, Positions query) const = 0;
  /// Adds to `grads` what the gradient of the factor says of the trained parameters.
  virtual void factor_grad(int /*head*/, Positions /*query*/, float /*d_factor*/,
                           std::span<float* const> /*grads*/) const {}

 protected:
  ~Scale() = default;
};

/// Hook `mask`: who may see whom, in addition to what the caller of attention asks for.
class Mask {
 public:
  /// Clears visible[n] for every key n that a query of this head may not see.
  virtual void row(int head, Positions query, Positions keys, std::uint8_t* visible) const = 0;

 protected:
  ~Mask() = default;
};

/// A configured encoding. A hook that it does not fill is null. Hooks may keep scratch: an encoding
/// is for one thread at a time.
class Encoding {
 public:
  using Make = std::unique_ptr<Encoding> (*)(std::span<const double> values);

  virtual ~Encoding() = default;
  virtual const Embed* embed() const { return nullptr; }
  virtual const Rotate* rotate() const { return nullptr; }
  virtual const Content* content() const { return nullptr; }
  virtual const HeadMix* head_mix() const { return nullptr; }
  virtual const Bias* bias() const { return nullptr; }
  virtual const Scale* scale() const { return nullptr; }
  virtual const Mask* mask() const { return nullptr; }

  /// Whoever calls a hook has checked that the encoding knows the positions.
  virtual PositionDomain domain() const { return {}; }
  /// True when adding a constant to all positions changes nothing, so that cached keys may move.
  virtual bool relative() const { return embed() == nullptr && scale() == nullptr; }
  /// Radians per position, one per pair; empty where there are none.
  virtual std::span<const double> frequencies() const { return {}; }
  /// What cos and sin are multiplied by.
  virtual double attention_factor() const { return 1.0; }
  /// What the raw score is multiplied by when the caller of attention gives no scale: 1/√head_dim
  /// unless the method says otherwise (T5: 1; DeBERTa: 1/√(head_dim · terms)).
  virtual double score_scale(std::int64_t head_dim) const;

  /// Says how it was made. The values must outlive it.
  void set_origin(Make make, std::span<const double> values) {
    make_ = make;
    values_ = values;
  }
  bool copyable() const { return make_ != nullptr; }
  /// The same once more. Null when there is no memory.
  std::unique_ptr<Encoding> copy() const { return make_(values_); }

 private:
  Make make_ = nullptr;
  std::span<const double> values_;
};

}  // namespace posenc
