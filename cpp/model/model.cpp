#include "model/model.hpp"

#include <algorithm>
#include <new>

namespace posenc {

namespace {

using L = LayerTensor;
using M = ModelTensor;

bool holds(const StackShape& s) {
  if (s.layers < 0) return false;
  if (s.layers == 0) return true;
  return s.heads >= 1 && s.kv_heads >= 1 && s.heads % s.kv_heads == 0 && s.head_dim >= 1 &&
         s.hidden >= 1;
}

/// A tensor of a layer.
TensorShape expected_of(const StackShape& s, std::int64_t width, int tensor) {
  const std::int64_t queries = s.heads * s.head_dim;
  const std::int64_t keys = s.kv_heads * s.head_dim;
  const bool parts_fit = (s.cross || tensor < L::cross_query || tensor > L::cross_norm_bias) &&
                         (s.gated || (tensor != L::gate && tensor != L::gate_bias));
  if (!parts_fit) return {};
  switch (tensor) {
    case L::query:
    case L::cross_query:
      return {queries, width};
    case L::key:
    case L::value:
    case L::cross_key:
    case L::cross_value:
      return {keys, width};
    case L::output:
    case L::cross_output:
      return {width, queries};
    case L::query_bias:
    case L::cross_query_bias:
      return {1, queries};
    case L::key_bias:
    case L::value_bias:
    case L::cross_key_bias:
    case L::cross_value_bias:
      return {1, keys};
    case L::query_norm:
    case L::key_norm:
      return {1, s.head_dim};
    case L::gate:
    case L::up:
      return {s.hidden, width};
    case L::gate_bias:
    case L::up_bias:
      return {1, s.hidden};
    case L::down:
      return {width, s.hidden};
    default:  // biases of what has the model's width, and norms
      return {1, width};
  }
}

}  // namespace

Status Model::allocate() {
  const ModelShape& s = shape_;
  if (s.vocabulary < 1 || s.width < 1 || s.position_offset < 0 || !holds(s.decoder) ||
      !holds(s.encoder) || s.decoder.layers + s.encoder.layers < 1) {
    return Status::shape;
  }
  tensors_.reset(new (std::nothrow) Tensor[static_cast<std::size_t>(tensor_count())]);
  return tensors_ == nullptr ? Status::memory : Status::ok;
}

std::int64_t Model::tensor_count() const {
  return M::count + (shape_.decoder.layers + shape_.encoder.layers) * L::count;
}

TensorPlace Model::place(std::int64_t number) const {
  if (number < M::count) return {Part::whole, 0, static_cast<int>(number)};
  const std::int64_t layer = (number - M::count) / L::count;
  const auto tensor = static_cast<int>((number - M::count) % L::count);
  const std::int64_t decoders = shape_.decoder.layers;
  return layer < decoders ? TensorPlace{Part::decoder, layer, tensor}
                          : TensorPlace{Part::encoder, layer - decoders, tensor};
}

float* Model::numbers(TensorPlace place) {
  Tensor& tensor = tensors_[index(place)];
  return tensor.matrix.given() && tensor.matrix.precision == Precision::f32
             ? reinterpret_cast<float*>(tensor.data.data())
             : nullptr;
}

std::size_t Model::index(TensorPlace place) const {
  if (place.part == Part::whole) return static_cast<std::size_t>(place.tensor);
  const std::int64_t before = place.part == Part::encoder ? shape_.decoder.layers : 0;
  return static_cast<std::size_t>(M::count + (before + place.layer) * L::count + place.tensor);
}

TensorShape Model::expected(TensorPlace place) const {
  const std::int64_t width = shape_.width;
  if (place.part != Part::whole) return expected_of(stack(place.part), width, place.tensor);
  switch (place.tensor) {
    case M::embedding:
    case M::head:
      return {shape_.vocabulary, width};
    case M::head_bias:
      return {1, shape_.vocabulary};
    case M::transform:
      return {width, width};
    case M::decoder_norm:
    case M::decoder_norm_bias:
      return {shape_.decoder.layers > 0 ? 1 : 0, width};
    case M::encoder_norm:
    case M::encoder_norm_bias:
      return {shape_.encoder.layers > 0 ? 1 : 0, width};
    default:
      return {1, width};
  }
}

bool Model::narrows(TensorPlace place) {
  if (place.part == Part::whole) {
    return place.tensor == M::embedding || place.tensor == M::head || place.tensor == M::transform;
  }
  constexpr int kMatrices[] = {L::query,       L::key,       L::value,       L::output,
                               L::cross_query, L::cross_key, L::cross_value, L::cross_output,
                               L::gate,        L::up,        L::down};
  return std::find(std::begin(kMatrices), std::end(kMatrices), place.tensor) != std::end(kMatrices);
}

Status Model::add(TensorPlace place, TensorShape given, Precision precision) {
  const TensorShape wanted = expected(place);
  const bool any_rows =
      place.part == Part::whole && (place.tensor == M::positions || place.tensor == M::types);
  if (wanted.rows == 0 || given.columns != wanted.columns || given.rows < 1) return Status::shape;
  if (!any_rows && given.rows != wanted.rows) return Status::shape;
  if (precision != Precision::f32 && !narrows(place)) return Status::unsupported;
  const std::int64_t bytes = given.rows * given.columns * bytes_of(precision);
  Tensor made;
  made.data = Buffer<std::uint8_t>(bytes);
  if (precision == Precision::int8) made.scales = Buffer<float>(given.rows);
  if (!made.data.ok() || !made.scales.ok()) return Status::memory;
  made.matrix = {.rows = given.rows,
                 .columns = given.columns,
                 .precision = precision,
                 .data = made.data.data(),
                 .scales = made.scales.data()};
  Tensor& kept = tensors_[index(place)];
  if (!kept.matrix.given()) bytes_ += bytes;
  kept = std::move(made);
  return Status::ok;
}

void Model::write(TensorPlace place, std::int64_t first, std::int64_t count, const float* rows) {
  Tensor& tensor = tensors_[index(place)];
  const std::int64_t columns = tensor.matrix.columns;
  switch (tensor.matrix.precision) {
    case Precision::f32:
      std::copy_n(rows, count * columns,
                  reinterpret_cast<float*>(tensor.data.data()) + first * columns);
      return;
    case Precision::f16:
      narrow_to_f16(rows, count * columns,
                    reinterpret_cast<std::uint16_t*>(tensor.data.data()) + first * columns);
      return;
    case Precision::int8:
      for (std::int64_t row = first; row < first + count; ++row, rows += columns) {
        tensor.scales[row] = narrow_to_int8(
            rows, columns, reinterpret_cast<std::int8_t*>(tensor.data.data()) + row * columns);
      }
  }
}

bool Model::needed(TensorPlace place) const {
  if (expected(place).rows == 0) return false;
  if (place.part == Part::whole) return place.tensor == M::embedding;
  return narrows(place);
}

bool Model::missing(TensorPlace& place) const {
  for (std::int64_t number = 0; number < tensor_count(); ++number) {
    const TensorPlace where = this->place(number);
    if (!needed(where) || at(where).matrix.given()) continue;
    place = where;
    return true;
  }
  return false;
}

}  // namespace posenc
