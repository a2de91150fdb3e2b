#include "train/layer_pass.hpp"

#include <algorithm>

#include "core/dot.hpp"
#include "model/layer.hpp"
#include "train/attention_of.hpp"

namespace posenc {

namespace {

using L = LayerTensor;

Status project(const Model::Layer& weights, int weight, const float* input, std::int64_t rows,
               float* out) {
  return multiply(input, rows, weights[weight], weights.vector(weight + 1), out);
}

Norm norm_of(const StackShape& shape, const Model::Layer& weights, int weight) {
  return {shape.norm, shape.norm_epsilon, weights.vector(weight), weights.vector(weight + 1)};
}

/// A norm, or the rows as they are where the layer has none.
void norm_rows(const StackShape& shape, const Model::Layer& weights, int weight, const float* x,
               std::int64_t rows, std::int64_t width, float* out) {
  if (weights[weight].given()) {
    normalize(norm_of(shape, weights, weight), x, rows, width, out);
  } else {
    std::copy_n(x, rows * width, out);
  }
}

/// Projected rows as heads; `raw` (rows, heads, head_dim) keeps them before a norm of their own.
void heads_of(const Step& step, const StackShape& shape, const Matrix& norm, std::int64_t heads,
              float* raw, float* scratch, float* out) {
  const float* rows = raw;
  if (norm.given()) {
    normalize({NormKind::rms, shape.norm_epsilon, norm.floats()}, raw,
              step.batch * step.tokens * heads, shape.head_dim, scratch);
    rows = scratch;
  }
  split_heads(rows, step.batch, step.tokens, heads, shape.head_dim, out);
}

Status attend(const Model& model, const Step& step, std::int64_t number,
              const std::int32_t* positions, LayerTape& tape) {
  const StackShape& shape = model.stack(step.part);
  const Model::Layer weights = model.layer(step.part, number);
  const std::int64_t rows = step.batch * step.tokens;
  const std::int64_t width = model.shape().width;
  norm_rows(shape, weights, L::norm, tape.input.data(), rows, width, tape.normed.data());
  Buffer<float> scratch(rows * shape.heads * shape.head_dim);
  if (!scratch.ok()) return Status::memory;
  const float* input = tape.normed.data();
  float* q = tape.raw_query.data();
  float* k = tape.raw_key.data();
  if (Status s = project(weights, L::query, input, rows, q); s != Status::ok) return s;
  heads_of(step, shape, weights[L::query_norm], shape.heads, q, scratch.data(), tape.query.data());
  if (Status s = project(weights, L::key, input, rows, k); s != Status::ok) return s;
  heads_of(step, shape, weights[L::key_norm], shape.kv_heads, k, scratch.data(), tape.key.data());
  if (Status s = project(weights, L::value, input, rows, scratch.data()); s != Status::ok) return s;
  split_heads(scratch.data(), step.batch, step.tokens, shape.kv_heads, shape.head_dim,
              tape.value.data());
  AttentionProblem problem = attention_of(step, shape, number, positions, tape);
  problem.statistics = tape.statistics.data();
  if (Status s = attention(problem); s != Status::ok) return s;
  merge_heads(tape.found.data(), step.batch, step.tokens, shape.heads, shape.head_dim,
              tape.merged.data());
  return project(weights, L::output, tape.merged.data(), rows, tape.middle.data());
}

Status feed_forward(const Model& model, const Step& step, std::int64_t number, LayerTape& tape,
                    float* out) {
  const StackShape& shape = model.stack(step.part);
  const Model::Layer weights = model.layer(step.part, number);
  const std::int64_t rows = step.batch * step.tokens;
  const std::int64_t count = rows * shape.hidden;
  const float* input = tape.mlp_normed.data();
  float* mixed = tape.mixed.data();
  if (Status s = project(weights, L::up, input, rows, tape.up.data()); s != Status::ok) return s;
  if (shape.gated) {
    const Status status = project(weights, L::gate, input, rows, tape.gate.data());
    if (status != Status::ok) return status;
    activate(shape.activation, tape.gate.data(), count, mixed);
    multiply_by(tape.up.data(), count, mixed);
  } else {
    activate(shape.activation, tape.up.data(), count, mixed);
  }
  return project(weights, L::down, mixed, rows, out);
}

}  // namespace

bool trainable(const StackShape& stack) {
  return stack.layers > 0 && stack.placement == NormPlacement::pre && !stack.parallel &&
         !stack.cross;
}

AttentionProblem attention_of(const Step& step, const StackShape& shape, std::int64_t number,
                              const std::int32_t* positions, const LayerTape& tape) {
  const LayerTerms& terms = step.layers[static_cast<std::size_t>(number)];
  AttentionProblem p;
  p.batch = step.batch;
  p.heads = shape.heads;
  p.kv_heads = shape.kv_heads;
  p.queries = p.keys = step.tokens;
  p.head_dim = p.value_dim = shape.head_dim;
  p.query = tape.query.data();
  p.key = tape.key.data();
  p.value = tape.value.data();
  p.output = const_cast<float*>(tape.found.data());
  p.terms = terms.terms;
  p.scale = terms.scale;
  p.softcap = shape.softcap;
  p.masks.causal = shape.causal;
  p.masks.window = terms.window;
  p.masks.real_keys = {step.real, true};
  p.query_positions = p.key_positions = positions;
  p.query_positions_per_batch = p.key_positions_per_batch = true;
  return p;
}

Status layer_there(const Model& model, const Step& step, std::int64_t number,
                   const std::int32_t* positions, const Dropout& dropout, LayerTape& tape,
                   float* x) {
  const std::int64_t rows = step.batch * step.tokens;
  const std::int64_t width = model.shape().width;
  std::copy_n(x, rows * width, tape.input.data());
  if (Status s = attend(model, step, number, positions, tape); s != Status::ok) return s;
  drop(dropout, drop_attention(number), rows * width, tape.middle.data());
  add_times(1.0F, tape.input.data(), rows * width, tape.middle.data());
  norm_rows(model.stack(step.part), model.layer(step.part, number), L::mlp_norm, tape.middle.data(),
            rows, width, tape.mlp_normed.data());
  if (Status s = feed_forward(model, step, number, tape, x); s != Status::ok) return s;
  drop(dropout, drop_mlp(number), rows * width, x);
  add_times(1.0F, tape.middle.data(), rows * width, x);
  return Status::ok;
}

}  // namespace posenc
