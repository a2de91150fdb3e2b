// A transformer: its sizes and its weights. What it computes is in step.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/buffer.hpp"
#include "core/status.hpp"
#include "model/activation.hpp"
#include "model/matrix.hpp"
#include "model/norm.hpp"

namespace posenc {

/// Where the norms of a layer stand.
enum class NormPlacement : std::uint8_t {
  pre,   ///< Before each sublayer.
  post,  ///< After each sublayer and its residual (BERT).
  both,  ///< Before and after each sublayer, inside the residual (Gemma 2).
};

/// One stack of equal layers, a decoder or an encoder.
struct StackShape {
  std::int64_t layers = 0;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t head_dim = 0;
  std::int64_t hidden = 0;  ///< Width between the matrices of the MLP.
  NormKind norm = NormKind::rms;
  float norm_epsilon = 1e-5F;
  NormPlacement placement = NormPlacement::pre;
  bool causal = true;
  bool cross = false;     ///< Layers attend to an encoder's output too.
  bool parallel = false;  ///< Attention and MLP read the same input, one residual takes both.
  Activation activation = Activation::silu;
  bool gated = false;  ///< down(f(gate(x)) · up(x)) instead of down(f(up(x))).
  float softcap = 0.0F;
};

struct ModelShape {
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;
  float embedding_scale = 1.0F;
  std::int64_t position_offset = 0;  ///< Row of the position table at position 0.
  float logit_scale = 1.0F;
  float logit_softcap = 0.0F;
  StackShape decoder, encoder;  ///< One of them may have no layers.
};

// Versions of clang-format break these lists differently.
// clang-format off
// What a layer may hold, with its name. A missing bias is 0, a missing norm does nothing.
#define POSENC_LAYER_TENSORS(T) \
  T(query, "attention.query.weight") T(query_bias, "attention.query.bias") \
  T(key, "attention.key.weight") T(key_bias, "attention.key.bias") \
  T(value, "attention.value.weight") T(value_bias, "attention.value.bias") \
  T(output, "attention.output.weight") T(output_bias, "attention.output.bias") \
  T(query_norm, "attention.query_norm.weight") T(key_norm, "attention.key_norm.weight") \
  T(norm, "attention.norm.weight") T(norm_bias, "attention.norm.bias") \
  T(post_norm, "attention.post_norm.weight") T(post_norm_bias, "attention.post_norm.bias") \
  T(cross_query, "cross.query.weight") T(cross_query_bias, "cross.query.bias") \
  T(cross_key, "cross.key.weight") T(cross_key_bias, "cross.key.bias") \
  T(cross_value, "cross.value.weight") T(cross_value_bias, "cross.value.bias") \
  T(cross_output, "cross.output.weight") T(cross_output_bias, "cross.output.bias") \
  T(cross_norm, "cross.norm.weight") T(cross_norm_bias, "cross.norm.bias") \
  T(gate, "mlp.gate.weight") T(gate_bias, "mlp.gate.bias") \
  T(up, "mlp.up.weight") T(up_bias, "mlp.up.bias") \
  T(down, "mlp.down.weight") T(down_bias, "mlp.down.bias") \
  T(mlp_norm, "mlp.norm.weight") T(mlp_norm_bias, "mlp.norm.bias") \
  T(mlp_post_norm, "mlp.post_norm.weight") T(mlp_post_norm_bias, "mlp.post_norm.bias")

// What belongs to no layer.
#define POSENC_MODEL_TENSORS(T) \
  T(embedding, "embedding.weight") T(positions, "embedding.position.weight") \
  T(types, "embedding.type.weight") \
  T(embedding_norm, "embedding.norm.weight") T(embedding_norm_bias, "embedding.norm.bias") \
  T(decoder_norm, "decoder.norm.weight") T(decoder_norm_bias, "decoder.norm.bias") \
  T(encoder_norm, "encoder.norm.weight") T(encoder_norm_bias, "encoder.norm.bias") \
  T(transform, "head.transform.weight") T(transform_bias, "head.transform.bias") \
  T(head_norm, "head.norm.weight") T(head_norm_bias, "head.norm.bias") \
  T(head, "head.weight") T(head_bias, "head.bias")
// clang-format on

#define POSENC_ENUMERATOR(name, text) name,
#define POSENC_NAME(name, text) text,
struct LayerTensor {
  enum : std::uint8_t { POSENC_LAYER_TENSORS(POSENC_ENUMERATOR) count };
  static constexpr const char* kNames[] = {POSENC_LAYER_TENSORS(POSENC_NAME)};
};
struct ModelTensor {
  enum : std::uint8_t { POSENC_MODEL_TENSORS(POSENC_ENUMERATOR) count };
  static constexpr const char* kNames[] = {POSENC_MODEL_TENSORS(POSENC_NAME)};
};
#undef POSENC_ENUMERATOR
#undef POSENC_NAME

enum class Part : std::uint8_t { whole, decoder, encoder };

/// Which tensor of a model: of a layer of a stack, or of none.
struct TensorPlace {
  Part part = Part::whole;
  std::int64_t layer = 0;  ///< Not read of `whole`.
  int tensor = 0;          ///< Of LayerTensor or ModelTensor.
};

/// Rows and columns; a vector has one row. No rows: the model has no such tensor.
struct TensorShape {
  std::int64_t rows = 0, columns = 0;
};

class Model {
 public:
  explicit Model(const ModelShape& shape) : shape_(shape) {}

  /// Once, before all else. `shape` when a number is out of range.
  Status allocate();

  const ModelShape& shape() const { return shape_; }
  const StackShape& stack(Part part) const {
    return part == Part::encoder ? shape_.encoder : shape_.decoder;
  }

  /// What a tensor must look like. A table of positions or types has as many rows as it is given.
  TensorShape expected(TensorPlace place) const;
  /// True where a tensor is multiplied by rows, so that it may be held in fewer bits.
  static bool narrows(TensorPlace place);
  /// Makes room for a tensor, which is then filled by `write`. `shape` when it does not fit,
  /// `unsupported` when it may not be held so, `memory`.
  Status add(TensorPlace place, TensorShape given, Precision precision);
  /// Rounds `count` rows, from `first` on, into a tensor that was added.
  void write(TensorPlace place, std::int64_t first, std::int64_t count, const float* rows);
  /// The first tensor that the model cannot do without and was not given; false when there is none.
  bool missing(TensorPlace& place) const;
  /// Tensors that a model of this shape can have, and the number of one of them.
  std::int64_t tensor_count() const;
  TensorPlace place(std::int64_t number) const;
  /// The numbers of a tensor that is held as float32, to be trained; null when it is absent.
  float* numbers(TensorPlace place);
  /// Bytes of all weights.
  std::int64_t bytes() const { return bytes_; }

  std::size_t index(TensorPlace place) const;
  const Matrix& whole(int tensor) const { return at({Part::whole, 0, tensor}).matrix; }
  const Matrix& tensor(TensorPlace place) const { return at(place).matrix; }
  /// The tensors of a layer, in the order of LayerTensor.
  class Layer {
   public:
    explicit Layer(const Model& model, Part part, std::int64_t layer)
        : model_(model), part_(part), layer_(layer) {}
    const Matrix& operator[](int tensor) const { return model_.at({part_, layer_, tensor}).matrix; }
    /// The numbers of a vector; null when it is absent.
    const float* vector(int tensor) const { return (*this)[tensor].floats(); }

   private:
    const Model& model_;
    Part part_;
    std::int64_t layer_;
  };
  Layer layer(Part part, std::int64_t layer) const { return Layer(*this, part, layer); }

 private:
  struct Tensor {
    Matrix matrix;
    Buffer<std::uint8_t> data;
    Buffer<float> scales;
  };

  const Tensor& at(TensorPlace place) const { return tensors_[index(place)]; }
  bool needed(TensorPlace place) const;

  ModelShape shape_;
  std::unique_ptr<Tensor[]> tensors_;
  std::int64_t bytes_ = 0;
};

}  // namespace posenc
