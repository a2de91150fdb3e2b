#include "model/step.hpp"

#include <algorithm>
#include <cmath>

#include "core/dot.hpp"
#include "model/layer.hpp"

namespace posenc {

namespace {

using M = ModelTensor;

/// Positions of a step: those given, or each sequence counted on without its padding.
void count_positions(const Step& step, std::int32_t* out) {
  const std::int64_t rows = step.batch * step.tokens;
  if (step.positions != nullptr) {
    std::copy_n(step.positions, rows, out);
    return;
  }
  const LayerTerms& first = step.layers.front();
  for (std::int64_t entry = 0; entry < step.batch; ++entry) {
    const std::int64_t sequence = step.sequence < 0 ? entry : step.sequence;
    auto next = static_cast<std::int32_t>(
        first.cache == nullptr ? 0 : first.cache->next(first.cache_layer, sequence));
    for (std::int64_t token = 0; token < step.tokens; ++token) {
      const std::int64_t row = entry * step.tokens + token;
      out[row] = next;
      if (step.real == nullptr || step.real[row] != 0) ++next;
    }
  }
}

bool is_padding(const Step& step, std::int64_t row) {
  return step.real != nullptr && step.real[row] == 0;
}

/// Rows of the tables, added up.
Status add_rows(const Model& model, const Step& step, const std::int32_t* positions, float* x) {
  const ModelShape& shape = model.shape();
  const Matrix& table = model.whole(M::embedding);
  const Matrix& by_position = model.whole(M::positions);
  const Matrix& types = model.whole(M::types);
  const std::int64_t width = shape.width;
  for (std::int64_t row = 0; row < step.batch * step.tokens; ++row) {
    float* out = x + row * width;
    const std::int32_t id = step.ids[row];
    if (id < 0 || id >= shape.vocabulary) return Status::position;
    widen(table, id, 1, out);
    if (shape.embedding_scale != 1.0F) posenc::multiply(shape.embedding_scale, width, out);
    if (by_position.given()) {
      const std::int64_t at = is_padding(step, row) ? 0 : positions[row] + shape.position_offset;
      if (at < 0 || at >= by_position.rows) return Status::position;
      add_times(1.0F, by_position.floats() + at * width, width, out);
    }
    if (types.given()) add_times(1.0F, types.floats(), width, out);
  }
  const Embed* embed = step.embedding == nullptr ? nullptr : step.embedding->embed();
  if (embed == nullptr) return Status::ok;
  const std::int64_t rows = step.batch * step.tokens;
  if (embed->width() != width) return Status::shape;
  if (!step.embedding->domain().holds({positions, rows})) return Status::position;
  Buffer<float> added(rows * width);
  if (!added.ok()) return Status::memory;
  embed->rows({positions, rows}, added.data());
  add_times(1.0F, added.data(), rows * width, x);
  return Status::ok;
}

/// From the last layer to logits.
Status read_out(const Model& model, const Step& step, float* hidden) {
  const ModelShape& shape = model.shape();
  const StackShape& stack = model.stack(step.part);
  const auto rows = static_cast<std::int64_t>(step.wanted.size());
  if (model.whole(M::transform).given()) {
    Buffer<float> transformed(rows * shape.width);
    if (!transformed.ok()) return Status::memory;
    const Status status = multiply(hidden, rows, model.whole(M::transform),
                                   model.whole(M::transform_bias).floats(), transformed.data());
    if (status != Status::ok) return status;
    activate(stack.activation, transformed.data(), rows * shape.width, hidden);
    normalize({stack.norm, stack.norm_epsilon, model.whole(M::head_norm).floats(),
               model.whole(M::head_norm_bias).floats()},
              hidden, rows, shape.width, hidden);
  }
  if (shape.logit_scale != 1.0F) posenc::multiply(shape.logit_scale, rows * shape.width, hidden);
  const Matrix& head =
      model.whole(M::head).given() ? model.whole(M::head) : model.whole(M::embedding);
  const Status status =
      multiply(hidden, rows, head, model.whole(M::head_bias).floats(), step.logits);
  if (status != Status::ok || shape.logit_softcap == 0.0F) return status;
  for (std::int64_t i = 0; i < rows * shape.vocabulary; ++i) {
    step.logits[i] = shape.logit_softcap * std::tanh(step.logits[i] / shape.logit_softcap);
  }
  return Status::ok;
}

bool fits(const Model& model, const Step& step) {
  const StackShape& stack = model.stack(step.part);
  if (step.part == Part::whole || stack.layers < 1 || step.batch < 1 || step.tokens < 1) {
    return false;
  }
  if (step.sequence >= 0 && step.batch != 1) return false;
  const auto layers = static_cast<std::size_t>(stack.layers);
  if (step.layers.size() != layers) return false;
  if (!step.trace.empty() && (step.trace.size() != layers || step.batch != 1)) return false;
  return std::all_of(step.wanted.begin(), step.wanted.end(),
                     [&](std::int32_t row) { return row >= 0 && row < step.batch * step.tokens; });
}

}  // namespace

Status embed_tokens(const Model& model, const Step& step, std::int32_t* positions, float* x,
                    float* raw) {
  count_positions(step, positions);
  if (Status s = add_rows(model, step, positions, x); s != Status::ok) return s;
  const std::int64_t rows = step.batch * step.tokens;
  const std::int64_t width = model.shape().width;
  if (raw != nullptr) std::copy_n(x, rows * width, raw);
  const Matrix& norm = model.whole(M::embedding_norm);
  if (norm.given()) {
    normalize({NormKind::layer, model.stack(step.part).norm_epsilon, norm.floats(),
               model.whole(M::embedding_norm_bias).floats()},
              x, rows, width, x);
  }
  return Status::ok;
}

Status run_step(const Model& model, const Step& step) {
  if (!fits(model, step)) return Status::shape;
  const ModelShape& shape = model.shape();
  const StackShape& stack = model.stack(step.part);
  const std::int64_t rows = step.batch * step.tokens;
  Buffer<float> x(rows * shape.width);
  Buffer<std::int32_t> positions(rows);
  LayerSpace space(shape, stack, rows);
  if (!x.ok() || !positions.ok() || !space.ok()) return Status::memory;
  if (Status s = embed_tokens(model, step, positions.data(), x.data()); s != Status::ok) return s;
  for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
    const Status status = run_layer(model, step, layer, positions.data(), space, x.data());
    if (status != Status::ok) return status;
  }
  // The wanted rows move to the front of a buffer that no layer needs any more.
  const auto wanted = static_cast<std::int64_t>(step.wanted.size());
  Buffer<float> last(wanted * shape.width);
  if (!last.ok()) return Status::memory;
  for (std::int64_t i = 0; i < wanted; ++i) {
    std::copy_n(x.data() + step.wanted[static_cast<std::size_t>(i)] * shape.width, shape.width,
                last.data() + i * shape.width);
  }
  const int norm = step.part == Part::encoder ? M::encoder_norm : M::decoder_norm;
  if (model.whole(norm).given()) {
    normalize({stack.norm, stack.norm_epsilon, model.whole(norm).floats(),
               model.whole(norm + 1).floats()},
              last.data(), wanted, shape.width, last.data());
  }
  if (step.hidden != nullptr) std::copy_n(last.data(), wanted * shape.width, step.hidden);
  return step.logits == nullptr ? Status::ok : read_out(model, step, last.data());
}

Status cross_keys(const Model& model, std::int64_t batch, std::int64_t tokens, const float* encoded,
                  float* out) {
  const StackShape& stack = model.shape().decoder;
  const std::int64_t rows = batch * tokens;
  const std::int64_t size = rows * stack.kv_heads * stack.head_dim;
  Buffer<float> projected(size);
  if (!projected.ok()) return Status::memory;
  for (std::int64_t layer = 0; layer < stack.layers; ++layer) {
    const Model::Layer weights = model.layer(Part::decoder, layer);
    for (const int tensor : {int{LayerTensor::cross_key}, int{LayerTensor::cross_value}}) {
      const Status status =
          multiply(encoded, rows, weights[tensor], weights.vector(tensor + 1), projected.data());
      if (status != Status::ok) return status;
      split_heads(projected.data(), batch, tokens, stack.kv_heads, stack.head_dim, out);
      out += size;
    }
  }
  return Status::ok;
}

}  // namespace posenc
