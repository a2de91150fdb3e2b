#include <algorithm>

#include "attention/backward.hpp"
#include "core/dot.hpp"
#include "model/layer.hpp"
#include "train/attention_of.hpp"
#include "train/layer_pass.hpp"
#include "train/products.hpp"
#include "train/rows_back.hpp"

namespace posenc {

namespace {

using L = LayerTensor;

/// What the way back through one layer needs everywhere.
class LayerBack {
 public:
  LayerBack(const Model& model, const Step& step, std::int64_t number,
            const std::int32_t* positions, const Dropout& dropout, const LayerTape& tape,
            LayerGradients gradients)
      : step_(step),
        shape_(model.stack(step.part)),
        weights_(model.layer(step.part, number)),
        number_(number),
        positions_(positions),
        dropout_(dropout),
        tape_(tape),
        gradients_(gradients),
        rows_(step.batch * step.tokens),
        width_(model.shape().width) {}

  /// d_x, the gradient by middle + MLP, becomes that by the middle.
  Status feed_forward(float* d_x) {
    const std::int64_t count = rows_ * shape_.hidden;
    Buffer<float> d_mixed(count);
    Buffer<float> d_gate(shape_.gated ? count : 0);
    Buffer<float> d_normed(rows_ * width_);
    if (!d_mixed.ok() || !d_gate.ok() || !d_normed.ok()) return Status::memory;
    std::copy_n(d_x, rows_ * width_, d_normed.data());
    drop(dropout_, drop_mlp(number_), rows_ * width_, d_normed.data());
    const Status down = back(L::down, tape_.mixed.data(), d_normed.data(), d_mixed.data(), false);
    if (down != Status::ok) return down;
    float* d_up = d_mixed.data();
    if (shape_.gated) {
      // mixed = f(gate) · up
      std::copy_n(d_mixed.data(), count, d_gate.data());
      multiply_by(tape_.up.data(), count, d_gate.data());
      activate_back(shape_.activation, tape_.gate.data(), d_gate.data(), count, d_gate.data());
      Buffer<float> active(count);
      if (!active.ok()) return Status::memory;
      activate(shape_.activation, tape_.gate.data(), count, active.data());
      multiply_by(active.data(), count, d_up);
    } else {
      activate_back(shape_.activation, tape_.up.data(), d_up, count, d_up);
    }
    const float* input = tape_.mlp_normed.data();
    if (Status s = back(L::up, input, d_up, d_normed.data(), false); s != Status::ok) return s;
    if (shape_.gated) {
      const Status status = back(L::gate, input, d_gate.data(), d_normed.data(), true);
      if (status != Status::ok) return status;
    }
    norm_back(L::mlp_norm, tape_.middle.data(), d_normed.data(), d_x);
    return Status::ok;
  }

  /// d_x, the gradient by input + attention, becomes that by the input.
  Status attend(const LayerTrained& trained, float* d_x) {
    const std::int64_t queries = rows_ * shape_.heads * shape_.head_dim;
    const std::int64_t keys = rows_ * shape_.kv_heads * shape_.head_dim;
    Buffer<float> d_found(queries);
    Buffer<float> d_query(queries);
    Buffer<float> d_key(keys);
    Buffer<float> d_value(keys);
    Buffer<float> scratch(queries);
    Buffer<float> d_normed(rows_ * width_);
    for (const auto* buffer : {&d_found, &d_query, &d_key, &d_value, &scratch, &d_normed}) {
      if (!buffer->ok()) return Status::memory;
    }
    std::copy_n(d_x, rows_ * width_, d_normed.data());
    drop(dropout_, drop_attention(number_), rows_ * width_, d_normed.data());
    const Status out = back(L::output, tape_.merged.data(), d_normed.data(), scratch.data(), false);
    if (out != Status::ok) return out;
    split_heads(scratch.data(), step_.batch, step_.tokens, shape_.heads, shape_.head_dim,
                d_found.data());
    AttentionProblem problem = attention_of(step_, shape_, number_, positions_, tape_);
    problem.statistics = const_cast<RowStatistics*>(tape_.statistics.data());
    AttentionGradients wanted;
    wanted.d_output = d_found.data();
    wanted.query = d_query.data();
    wanted.key = d_key.data();
    wanted.value = d_value.data();
    wanted.rotate = trained.rotate;
    wanted.content = trained.content;
    wanted.bias = trained.bias;
    wanted.scale = trained.scale;
    const Status status = attention_backward(problem, wanted);
    if (status != Status::ok) return status;
    std::fill_n(d_normed.data(), rows_ * width_, 0.0F);
    const Side sides[] = {
        {L::query, L::query_norm, shape_.heads, d_query.data(), tape_.raw_query.data()},
        {L::key, L::key_norm, shape_.kv_heads, d_key.data(), tape_.raw_key.data()},
        {L::value, -1, shape_.kv_heads, d_value.data(), nullptr}};
    for (const Side& side : sides) {
      const Status s = project_back(side, scratch.data(), d_found.data(), d_normed.data());
      if (s != Status::ok) return s;
    }
    norm_back(L::norm, tape_.input.data(), d_normed.data(), d_x);
    return Status::ok;
  }

 private:
  /// Queries, keys or values.
  struct Side {
    int weight, norm;
    std::int64_t heads;
    const float* d_heads;  // (batch, heads, tokens, head_dim)
    const float* raw;      // (rows, heads, head_dim), before the norm
  };

  Status project_back(const Side& side, float* rows, float* spare, float* d_normed) {
    merge_heads(side.d_heads, step_.batch, step_.tokens, side.heads, shape_.head_dim, rows);
    const float* d_rows = rows;
    if (side.norm >= 0 && weights_[side.norm].given()) {
      const Norm norm = {NormKind::rms, shape_.norm_epsilon, weights_.vector(side.norm)};
      std::fill_n(spare, rows_ * side.heads * shape_.head_dim, 0.0F);
      normalize_back(norm, side.raw, rows, rows_ * side.heads, shape_.head_dim, spare,
                     gradients_[side.norm], nullptr);
      d_rows = spare;
    }
    return back(side.weight, tape_.normed.data(), d_rows, d_normed, true);
  }

  Status back(int weight, const float* input, const float* d_output, float* d_input, bool add) {
    const Matrix& matrix = weights_[weight];
    return linear_back({.rows = rows_,
                        .inputs = matrix.columns,
                        .outputs = matrix.rows,
                        .d_output = d_output,
                        .input = input,
                        .weight = matrix.floats(),
                        .d_input = d_input,
                        .d_weight = gradients_[weight],
                        .d_bias = gradients_[weight + 1],
                        .add = add});
  }

  /// Adds to d_x what comes through a norm, or past one that is not there.
  void norm_back(int weight, const float* x, const float* d_normed, float* d_x) {
    if (!weights_[weight].given()) {
      add_times(1.0F, d_normed, rows_ * width_, d_x);
      return;
    }
    const Norm norm = {shape_.norm, shape_.norm_epsilon, weights_.vector(weight),
                       weights_.vector(weight + 1)};
    normalize_back(norm, x, d_normed, rows_, width_, d_x, gradients_[weight],
                   gradients_[weight + 1]);
  }

  const Step& step_;
  const StackShape& shape_;
  Model::Layer weights_;
  std::int64_t number_;
  const std::int32_t* positions_;
  Dropout dropout_;
  const LayerTape& tape_;
  LayerGradients gradients_;
  std::int64_t rows_, width_;
};

}  // namespace

Status layer_back(const Model& model, const Step& step, std::int64_t number,
                  const std::int32_t* positions, const Dropout& dropout, const LayerTape& tape,
                  const LayerTrained& trained, LayerGradients gradients, float* d_x) {
  LayerBack way(model, step, number, positions, dropout, tape, gradients);
  if (Status s = way.feed_forward(d_x); s != Status::ok) return s;
  return way.attend(trained, d_x);
}

}  // namespace posenc
