#include "model/layer.hpp"

#include <algorithm>

#include "core/dot.hpp"

namespace posenc {

namespace {

using L = LayerTensor;

void keep(const float* x, std::int64_t count, float* trace) {
  if (trace != nullptr) std::copy_n(x, count, trace);
}

/// What the sublayers of one layer share.
class LayerRun {
 public:
  LayerRun(const Model& model, const Step& step, std::int64_t number, const std::int32_t* positions,
           LayerSpace& space, float* x)
      : step_(step),
        shape_(model.stack(step.part)),
        weights_(model.layer(step.part, number)),
        terms_(step.layers[static_cast<std::size_t>(number)]),
        trace_(step.trace.empty() ? LayerTrace() : step.trace[static_cast<std::size_t>(number)]),
        number_(number),
        positions_(positions),
        space_(space),
        x_(x),
        rows_(step.batch * step.tokens),
        width_(model.shape().width) {}

  Status run() {
    keep(x_, rows_ * width_, trace_.input);
    const bool pre = shape_.placement != NormPlacement::post;
    if (Status s = attend(normed(pre, L::norm)); s != Status::ok) return s;
    keep(space_.added.data(), rows_ * width_, trace_.attention);
    if (shape_.parallel) return run_parallel();
    finish(L::norm, L::post_norm);
    if (shape_.cross && step_.cross.data != nullptr) {
      if (Status s = attend_across(normed(pre, L::cross_norm)); s != Status::ok) return s;
      finish(L::cross_norm, -1);
    }
    if (Status s = feed_forward(normed(pre, L::mlp_norm)); s != Status::ok) return s;
    keep(space_.added.data(), rows_ * width_, trace_.mlp);
    finish(L::mlp_norm, L::mlp_post_norm);
    return Status::ok;
  }

 private:
  /// Attention has been added up; the MLP reads what attention read, or a norm of its own.
  Status run_parallel() {
    const bool own_norm = weights_[L::mlp_norm].given();
    const float* input = own_norm ? normed(true, L::mlp_norm) : space_.normed.data();
    add_times(1.0F, space_.added.data(), rows_ * width_, x_);
    if (Status s = feed_forward(input); s != Status::ok) return s;
    keep(space_.added.data(), rows_ * width_, trace_.mlp);
    add_times(1.0F, space_.added.data(), rows_ * width_, x_);
    return Status::ok;
  }

  Norm norm(int weight) const {
    return {shape_.norm, shape_.norm_epsilon, weights_.vector(weight), weights_.vector(weight + 1)};
  }

  /// The input of a sublayer: x, or its norm.
  const float* normed(bool before, int weight) {
    if (!before || !weights_[weight].given()) return x_;
    normalize(norm(weight), x_, rows_, width_, space_.normed.data());
    return space_.normed.data();
  }

  /// Adds what a sublayer gave to x, with the norms that stand behind it; `post` −1 = none.
  void finish(int weight, int post) {
    float* added = space_.added.data();
    if (shape_.placement == NormPlacement::both && post >= 0 && weights_[post].given()) {
      normalize(norm(post), added, rows_, width_, added);
    }
    add_times(1.0F, added, rows_ * width_, x_);
    if (shape_.placement == NormPlacement::post) {
      normalize(norm(weight), x_, rows_, width_, x_);
    }
  }

  Status project(int weight, const float* input, std::int64_t rows, float* out) const {
    return multiply(input, rows, weights_[weight], weights_.vector(weight + 1), out);
  }

  /// Rows of heads, normalised one by one if the model does so, then head by head.
  const float* heads_of(float* rows, std::int64_t heads, int norm_weight, float* out) const {
    if (norm_weight >= 0 && weights_[norm_weight].given()) {
      normalize({NormKind::rms, shape_.norm_epsilon, weights_.vector(norm_weight)}, rows,
                rows_ * heads, shape_.head_dim, rows);
    }
    if (step_.tokens == 1) return rows;
    split_heads(rows, step_.batch, step_.tokens, heads, shape_.head_dim, out);
    return out;
  }

  /// What all attention of the layer has in common.
  AttentionProblem problem() const {
    AttentionProblem p;
    p.batch = step_.batch;
    p.heads = shape_.heads;
    p.kv_heads = shape_.kv_heads;
    p.queries = step_.tokens;
    p.head_dim = p.value_dim = shape_.head_dim;
    p.output = space_.found.data();
    p.scale = terms_.scale;
    p.softcap = shape_.softcap;
    return p;
  }

  /// Sends what the heads found through the output matrix.
  Status project_found(int weight) {
    const float* found = space_.found.data();
    if (step_.tokens > 1) {
      merge_heads(found, step_.batch, step_.tokens, shape_.heads, shape_.head_dim,
                  space_.query.data());
      found = space_.query.data();
    }
    return project(weight, found, rows_, space_.added.data());
  }

  Status attend(const float* input) {
    keep(input, rows_ * width_, trace_.normed);
    float* q = space_.query.data();
    float* k = space_.key.data();
    float* v = space_.value.data();
    if (Status s = project(L::query, input, rows_, q); s != Status::ok) return s;
    if (Status s = project(L::key, input, rows_, k); s != Status::ok) return s;
    if (Status s = project(L::value, input, rows_, v); s != Status::ok) return s;

    AttentionProblem p = problem();
    p.query = heads_of(q, shape_.heads, L::query_norm, space_.by_head.data());
    p.key = heads_of(k, shape_.kv_heads, L::key_norm, space_.keys.data());
    p.value = heads_of(v, shape_.kv_heads, -1, space_.values.data());
    p.terms = terms_.terms;
    p.masks.causal = shape_.causal;
    p.masks.real_keys = {step_.real, true};
    keep(p.query, rows_ * shape_.heads * shape_.head_dim, trace_.query);
    keep(p.key, rows_ * shape_.kv_heads * shape_.head_dim, trace_.key);
    keep(p.value, rows_ * shape_.kv_heads * shape_.head_dim, trace_.value);
    p.taps = {.scores = trace_.scores,
              .biased = trace_.biased,
              .logits = trace_.logits,
              .weights = trace_.weights};
    if (Status s = attend_to_keys(p); s != Status::ok) return s;
    keep(space_.found.data(), rows_ * shape_.heads * shape_.head_dim, trace_.heads);
    return project_found(L::output);
  }

  Status attend_to_keys(AttentionProblem& p) {
    if (terms_.cache == nullptr) {
      p.keys = step_.tokens;
      p.masks.window = terms_.window;
      p.query_positions = p.key_positions = positions_;
      p.query_positions_per_batch = p.key_positions_per_batch = true;
      return attention(p);
    }
    // A cache counts on by itself, past padding too.
    p.query_positions = step_.positions;
    p.query_positions_per_batch = true;
    p.keys = p.taps.any() ? terms_.cache->count(terms_.cache_layer,
                                                std::max<std::int64_t>(step_.sequence, 0)) +
                                step_.tokens
                          : 0;
    return terms_.cache->attend({terms_.cache_layer, step_.sequence}, p);
  }

  Status attend_across(const float* input) {
    if (Status s = project(L::cross_query, input, rows_, space_.query.data()); s != Status::ok) {
      return s;
    }
    const std::int64_t side = step_.batch * shape_.kv_heads * step_.cross.tokens * shape_.head_dim;
    AttentionProblem p = problem();
    p.query = heads_of(space_.query.data(), shape_.heads, -1, space_.by_head.data());
    p.keys = step_.cross.tokens;
    p.key = step_.cross.data + number_ * 2 * side;
    p.value = p.key + side;
    p.masks.real_keys = {step_.cross.real, true};
    if (Status s = attention(p); s != Status::ok) return s;
    return project_found(L::cross_output);
  }

  Status feed_forward(const float* input) {
    float* up = space_.up.data();
    const std::int64_t count = rows_ * shape_.hidden;
    if (Status s = project(L::up, input, rows_, up); s != Status::ok) return s;
    if (shape_.gated) {
      float* gate = space_.gate.data();
      if (Status s = project(L::gate, input, rows_, gate); s != Status::ok) return s;
      activate(shape_.activation, gate, count, gate);
      multiply_by(gate, count, up);
    } else {
      activate(shape_.activation, up, count, up);
    }
    return project(L::down, up, rows_, space_.added.data());
  }

  const Step& step_;
  const StackShape& shape_;
  Model::Layer weights_;
  const LayerTerms& terms_;
  LayerTrace trace_;
  std::int64_t number_;
  const std::int32_t* positions_;
  LayerSpace& space_;
  float* x_;
  std::int64_t rows_, width_;
};

}  // namespace

LayerSpace::LayerSpace(const ModelShape& shape, const StackShape& stack, std::int64_t rows)
    : normed(rows * shape.width),
      added(rows * shape.width),
      query(rows * stack.heads * stack.head_dim),
      key(rows * stack.kv_heads * stack.head_dim),
      value(rows * stack.kv_heads * stack.head_dim),
      by_head(rows * stack.heads * stack.head_dim),
      keys(rows * stack.kv_heads * stack.head_dim),
      values(rows * stack.kv_heads * stack.head_dim),
      found(rows * stack.heads * stack.head_dim),
      up(rows * stack.hidden),
      gate(stack.gated ? rows * stack.hidden : 0) {}

bool LayerSpace::ok() const {
  for (const auto* buffer :
       {&normed, &added, &query, &key, &value, &by_head, &keys, &values, &found, &up, &gate}) {
    if (!buffer->ok()) return false;
  }
  return true;
}

Status run_layer(const Model& model, const Step& step, std::int64_t number,
                 const std::int32_t* positions, LayerSpace& space, float* x) {
  return LayerRun(model, step, number, positions, space, x).run();
}

void split_heads(const float* x, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                 std::int64_t head_dim, float* out) {
  for (std::int64_t entry = 0; entry < batch; ++entry) {
    const float* from = x + entry * tokens * heads * head_dim;
    for (std::int64_t head = 0; head < heads; ++head) {
      for (std::int64_t token = 0; token < tokens; ++token, out += head_dim) {
        const float* row = from + (token * heads + head) * head_dim;
        std::int64_t d = 0;
        // Rows are short: a call of memmove for each would take longer.
        for (; d + kLanes <= head_dim; d += kLanes) store(out + d, load(row + d));
        for (; d < head_dim; ++d) out[d] = row[d];
      }
    }
  }
}

void merge_heads(const float* x, std::int64_t batch, std::int64_t tokens, std::int64_t heads,
                 std::int64_t head_dim, float* out) {
  // The same exchange of two axes.
  split_heads(x, batch, heads, tokens, head_dim, out);
}

}  // namespace posenc
