#include "train/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "core/dot.hpp"
#include "train/products.hpp"
#include "train/rows_back.hpp"

namespace posenc {

namespace {

using M = ModelTensor;

}  // namespace

Status Trainer::allocate() {
  const StackShape& stack = model_.stack(Part::decoder);
  const bool has_more = model_.whole(M::transform).given() || model_.whole(M::types).given();
  if (!trainable(stack) || has_more || model_.shape().logit_softcap != 0.0F) {
    return Status::unsupported;
  }
  const std::int64_t tensors = model_.tensor_count();
  by_tensor_ = Buffer<std::int64_t>(tensors);
  layer_gradients_ = Buffer<float*>(stack.layers * LayerTensor::count);
  if (!parameters_.ok() || !by_tensor_.ok() || !layer_gradients_.ok()) return Status::memory;
  for (std::int64_t number = 0; number < tensors; ++number) {
    const TensorPlace place = model_.place(number);
    const Matrix& matrix = model_.tensor(place);
    by_tensor_[number] = -1;
    if (matrix.given()) {
      if (matrix.precision != Precision::f32) return Status::unsupported;
      by_tensor_[number] = count_;
      const bool decays = matrix.rows > 1;
      if (!add(model_.numbers(place), matrix.rows * matrix.columns, decays)) return Status::memory;
    }
    if (place.part == Part::decoder) {
      layer_gradients_[place.layer * LayerTensor::count + place.tensor] = gradient_at(place);
    }
  }
  return Status::ok;
}

bool Trainer::add(float* values, std::int64_t count, bool decays) {
  Parameter& made = parameters_.add(values, count, decays);
  ++count_;
  if (!made.state.ok()) return false;
  std::fill_n(made.state.data(), 3 * count, 0.0F);
  return true;
}

float* Trainer::adopt(float* values, std::int64_t count, bool decays) {
  return add(values, count, decays) ? parameters_[count_ - 1].gradient() : nullptr;
}

std::int64_t Trainer::number_of(TensorPlace place) const {
  return by_tensor_[static_cast<std::int64_t>(model_.index(place))];
}

float* Trainer::gradient_at(TensorPlace place) {
  const std::int64_t number = number_of(place);
  return number < 0 ? nullptr : parameters_[number].gradient();
}

const float* Trainer::gradient(TensorPlace place) const {
  const std::int64_t number = number_of(place);
  return number < 0 ? nullptr : parameters_.begin()[number].gradient();
}

void Trainer::clear() {
  for (Parameter& p : parameters_) std::fill_n(p.gradient(), p.count, 0.0F);
}

double Trainer::norm() const {
  double sum = 0.0;
  for (const Parameter& p : parameters_) sum += sum_of_squares(p.gradient(), p.count);
  return std::sqrt(sum);
}

void Trainer::update(const AdamW& optimizer, std::int64_t number, float clip) {
  const double length = clip > 0.0F ? norm() : 0.0;
  const bool is_long = length > double{clip} && clip > 0.0F;
  const float factor = is_long ? static_cast<float>(double{clip} / length) : 1.0F;
  for (Parameter& p : parameters_) {
    AdamW own = optimizer;
    if (!p.decays) own.decay = 0.0F;
    adamw_step(own, number, p.gradient(), factor, p.count, p.first(), p.second(), p.values);
  }
}

Status Trainer::read_out(const TrainingBatch& batch, const float* x, float* d_x, double& loss) {
  const ModelShape& shape = model_.shape();
  const StackShape& stack = shape.decoder;
  const std::int64_t rows = batch.step.batch * batch.step.tokens;
  const std::int64_t count = rows * shape.width;
  Buffer<float> last(count);
  Buffer<float> d_last(count);
  Buffer<float> logits(rows * shape.vocabulary);
  if (!last.ok() || !d_last.ok() || !logits.ok()) return Status::memory;
  const Norm norm = {stack.norm, stack.norm_epsilon, model_.whole(M::decoder_norm).floats(),
                     model_.whole(M::decoder_norm_bias).floats()};
  const bool has_norm = model_.whole(M::decoder_norm).given();
  std::copy_n(x, count, last.data());
  if (has_norm) normalize(norm, x, rows, shape.width, last.data());
  multiply(shape.logit_scale, count, last.data());
  const int head = model_.whole(M::head).given() ? M::head : M::embedding;
  const Status status = multiply(last.data(), rows, model_.whole(head),
                                 model_.whole(M::head_bias).floats(), logits.data());
  if (status != Status::ok) return status;
  loss = cross_entropy(logits.data(), batch.targets, batch.weights, rows, shape.vocabulary);
  const Status back = linear_back({.rows = rows,
                                   .inputs = shape.width,
                                   .outputs = shape.vocabulary,
                                   .d_output = logits.data(),
                                   .input = last.data(),
                                   .weight = model_.whole(head).floats(),
                                   .d_input = d_last.data(),
                                   .d_weight = gradient_at({Part::whole, 0, head}),
                                   .d_bias = gradient_at({Part::whole, 0, M::head_bias})});
  if (back != Status::ok) return back;
  multiply(shape.logit_scale, count, d_last.data());
  if (!has_norm) {
    std::copy_n(d_last.data(), count, d_x);
    return Status::ok;
  }
  std::fill_n(d_x, count, 0.0F);
  normalize_back(norm, x, d_last.data(), rows, shape.width, d_x,
                 gradient_at({Part::whole, 0, M::decoder_norm}),
                 gradient_at({Part::whole, 0, M::decoder_norm_bias}));
  return Status::ok;
}

Status Trainer::embedding_back(const TrainingBatch& batch, const std::int32_t* positions,
                               const float* raw, Buffer<float>& d_x) {
  const Step& step = batch.step;
  const ModelShape& shape = model_.shape();
  const std::int64_t rows = step.batch * step.tokens;
  const std::int64_t width = shape.width;
  if (const Matrix& norm = model_.whole(M::embedding_norm); norm.given()) {
    Buffer<float> d_raw(rows * width);
    if (!d_raw.ok()) return Status::memory;
    std::fill_n(d_raw.data(), rows * width, 0.0F);
    normalize_back({NormKind::layer, shape.decoder.norm_epsilon, norm.floats(),
                    model_.whole(M::embedding_norm_bias).floats()},
                   raw, d_x.data(), rows, width, d_raw.data(),
                   gradient_at({Part::whole, 0, M::embedding_norm}),
                   gradient_at({Part::whole, 0, M::embedding_norm_bias}));
    d_x = std::move(d_raw);
  }
  float* d_embedding = gradient_at({Part::whole, 0, M::embedding});
  float* d_positions = gradient_at({Part::whole, 0, M::positions});
  for (std::int64_t row = 0; row < rows; ++row) {
    if (step.real != nullptr && step.real[row] == 0) continue;
    const float* d = d_x.data() + row * width;
    add_times(shape.embedding_scale, d, width, d_embedding + step.ids[row] * width);
    if (d_positions == nullptr) continue;
    add_times(1.0F, d, width, d_positions + (positions[row] + shape.position_offset) * width);
  }
  if (step.embedding == nullptr || batch.embedding_grads.empty()) return Status::ok;
  return step.embedding->embed()->rows_grad({positions, rows}, d_x.data(), batch.embedding_grads);
}

Status Trainer::learn(const TrainingBatch& batch, double& loss) {
  const Step& step = batch.step;
  const ModelShape& shape = model_.shape();
  const std::int64_t layers = shape.decoder.layers;
  if (step.part != Part::decoder || step.batch < 1 || step.tokens < 1 ||
      std::ssize(step.layers) != layers || std::ssize(batch.trained) != layers) {
    return Status::shape;
  }
  const std::int64_t rows = step.batch * step.tokens;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (batch.targets[row] < 0 || batch.targets[row] >= shape.vocabulary) return Status::position;
  }
  Buffer<std::int32_t> positions(rows);
  Buffer<float> raw(rows * shape.width);
  Buffer<float> x(rows * shape.width);
  Buffer<float> d_x(rows * shape.width);
  Objects<LayerTape> tapes(layers);
  if (!positions.ok() || !raw.ok() || !x.ok() || !d_x.ok() || !tapes.ok()) return Status::memory;
  if (Status s = embed_tokens(model_, step, positions.data(), x.data(), raw.data());
      s != Status::ok) {
    return s;
  }
  drop(batch.dropout, kDropInput, rows * shape.width, x.data());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    LayerTape& tape = tapes.add(shape.decoder, shape.width, step.batch, step.tokens);
    if (!tape.ok()) return Status::memory;
    const Status s =
        layer_there(model_, step, layer, positions.data(), batch.dropout, tape, x.data());
    if (s != Status::ok) return s;
  }
  if (Status s = read_out(batch, x.data(), d_x.data(), loss); s != Status::ok) return s;
  for (std::int64_t layer = layers - 1; layer >= 0; --layer) {
    const Status s = layer_back(model_, step, layer, positions.data(), batch.dropout, tapes[layer],
                                batch.trained[static_cast<std::size_t>(layer)],
                                layer_gradients_.data() + layer * LayerTensor::count, d_x.data());
    if (s != Status::ok) return s;
  }
  drop(batch.dropout, kDropInput, rows * shape.width, d_x.data());
  return embedding_back(batch, positions.data(), raw.data(), d_x);
}

std::int64_t Trainer::state_size() const {
  std::int64_t size = 0;
  for (const Parameter& p : parameters_) size += 2 * p.count;
  return size;
}

void Trainer::save_state(float* out) const {
  for (const Parameter& p : parameters_) {
    std::copy_n(p.state.data() + p.count, 2 * p.count, out);
    out += 2 * p.count;
  }
}

void Trainer::load_state(const float* from) {
  for (Parameter& p : parameters_) {
    std::copy_n(from, 2 * p.count, p.first());
    from += 2 * p.count;
  }
}

}  // namespace posenc
