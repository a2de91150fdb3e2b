// What a model computes: tokens in, logits out.
#pragma once

#include <cstdint>
#include <span>

#include "attention/cache.hpp"
#include "attention/problem.hpp"
#include "model/model.hpp"

namespace posenc {

/// What attention of one layer takes beyond the model's weights.
struct LayerTerms {
  ScoreTerms terms;
  float scale = 1.0F;       ///< Of q·k.
  std::int64_t window = 0;  ///< A query sees keys with query − key < window; 0 = all.
  /// Where keys and values wait, and the cache's number of this layer; null = the tokens of the
  /// step see each other alone.
  KvCache* cache = nullptr;
  std::int64_t cache_layer = 0;
};

/// Places for what happens inside one layer, for the tokens of a step; null = not wanted.
struct LayerTrace {
  float* input = nullptr;      ///< (tokens, width): the residual stream on the way in.
  float* normed = nullptr;     ///< (tokens, width): what attention reads.
  float* query = nullptr;      ///< (heads, tokens, head_dim), before the rotation.
  float* key = nullptr;        ///< (kv_heads, tokens, head_dim)
  float* value = nullptr;      ///< (kv_heads, tokens, head_dim)
  float* scores = nullptr;     ///< (heads, tokens, keys), as Taps has them.
  float* biased = nullptr;     ///< (heads, tokens, keys)
  float* logits = nullptr;     ///< (heads, tokens, keys)
  float* weights = nullptr;    ///< (heads, tokens, keys)
  float* heads = nullptr;      ///< (heads, tokens, head_dim): what the heads found.
  float* attention = nullptr;  ///< (tokens, width): what attention adds.
  float* mlp = nullptr;        ///< (tokens, width): what the MLP adds.
};

/// Keys and values of an encoder's output, which decoder layers attend to.
struct CrossKeys {
  std::int64_t tokens = 0;
  const float* data = nullptr;  // (layers, 2: keys and values, batch, kv_heads, tokens, head_dim)
  const std::uint8_t* real = nullptr;  // (batch, tokens): which are no padding; null = all
};

/// One pass of a stack over some tokens.
struct Step {
  Part part = Part::decoder;
  std::int64_t batch = 1, tokens = 0;
  std::int64_t sequence = -1;         ///< Of the caches, of a batch of one; −1 = all.
  const std::int32_t* ids = nullptr;  // (batch, tokens)
  /// (batch, tokens); null = each sequence goes on, at its cache's next position or at 0.
  const std::int32_t* positions = nullptr;
  const std::uint8_t* real = nullptr;   // (batch, tokens): which are no padding; null = all
  const Encoding* embedding = nullptr;  ///< Its rows by position are added to the input.
  std::span<const LayerTerms> layers;   ///< One of each layer.
  CrossKeys cross;
  /// (wanted): rows of the batch (entry · tokens + token) whose results are wanted.
  std::span<const std::int32_t> wanted;
  float* hidden = nullptr;            // (wanted, width), after the last norm; null = not wanted
  float* logits = nullptr;            // (wanted, vocabulary); null = not wanted
  std::span<const LayerTrace> trace;  ///< One of each layer, of a batch of one; empty = none.
};

/// The first layer's input, (batch · tokens, width): rows of the tables, added up and normalised,
/// and the positions of the tokens, (batch, tokens). `raw`, unless null, is the same before the
/// norm.
Status embed_tokens(const Model& model, const Step& step, std::int32_t* positions, float* x,
                    float* raw = nullptr);

/// Runs a step. Padded tokens give numbers without meaning. `shape` when sizes do not fit,
/// `position` when an id or a position is outside the tables, else what attention and caches say.
/// After a failure caches may hold the step in some layers: take it back.
Status run_step(const Model& model, const Step& step);

/// Keys and values of an encoder's output for all layers of the decoder.
Status cross_keys(const Model& model, std::int64_t batch, std::int64_t tokens,
                  const float* encoded /* (batch, tokens, width) */,
                  float* out /* as CrossKeys::data */);

}  // namespace posenc
