// Training of a decoder: gradients of its loss, and the optimizer's steps.
#pragma once

#include <cstdint>
#include <span>

#include "core/buffer.hpp"
#include "core/objects.hpp"
#include "model/step.hpp"
#include "train/adamw.hpp"
#include "train/layer_pass.hpp"

namespace posenc {

/// What one step learns from.
struct TrainingBatch {
  /// Tokens of the decoder, without caches; `wanted`, results and trace are not read.
  Step step;
  const std::int32_t* targets = nullptr;  // (batch, tokens): what each token is to foresee
  const float* weights = nullptr;  // (batch, tokens): of a token's loss; 0 = not counted. Null = 1
  std::span<const LayerTrained> trained;    ///< One of each layer.
  std::span<float* const> embedding_grads;  ///< Of the trained numbers of Step::embedding.
  Dropout dropout;
};

class Trainer {
 public:
  /// The model outlives its trainer. `adopted`: how many arrays of encodings it will be given.
  Trainer(Model& model, std::int64_t adopted)
      : model_(model), parameters_(model.tensor_count() + adopted) {}

  /// Once, before all else. `unsupported` for layers that cannot be trained, and for weights in
  /// fewer bits.
  Status allocate();

  /// Trains another array, such as an encoding's table, and tells where its gradients are to be
  /// added. Null when there is no memory.
  float* adopt(float* values, std::int64_t count, bool decays);

  /// Sets all gradients to 0.
  void clear();
  /// Adds the gradients of the mean cross-entropy of a batch; writes that.
  Status learn(const TrainingBatch& batch, double& loss);
  /// Euclidean norm of all gradients together.
  double norm() const;
  /// The optimizer's step `number` (1, 2, …). Gradients are shortened to the norm `clip`; 0 = not.
  void update(const AdamW& optimizer, std::int64_t number, float clip);
  /// The gradient by a tensor of the model; null when it is absent.
  const float* gradient(TensorPlace place) const;

  /// Numbers that an interrupted run needs beside the model's: the moments of all parameters.
  std::int64_t state_size() const;
  void save_state(float* out) const;
  void load_state(const float* from);

 private:
  /// A trained array with its gradient and moments, which follow one another.
  struct Parameter {
    Parameter(float* trained, std::int64_t numbers, bool shrinks)
        : values(trained), count(numbers), decays(shrinks), state(3 * numbers) {}

    float* values;
    std::int64_t count;
    bool decays;
    Buffer<float> state;  // (3, count)

    float* gradient() { return state.data(); }
    const float* gradient() const { return state.data(); }
    float* first() { return state.data() + count; }
    float* second() { return state.data() + 2 * count; }
  };

  /// Adds a parameter whose gradient and moments are 0; false when there is no memory.
  bool add(float* values, std::int64_t count, bool decays);
  float* gradient_at(TensorPlace place);
  std::int64_t number_of(TensorPlace place) const;
  Status embedding_back(const TrainingBatch& batch, const std::int32_t* positions, const float* raw,
                        Buffer<float>& d_x);
  Status read_out(const TrainingBatch& batch, const float* x, float* d_x, double& loss);

  Model& model_;
  Objects<Parameter> parameters_;
  std::int64_t count_ = 0;
  Buffer<std::int64_t> by_tensor_;  // (tensor_count): number of its parameter; −1 = it is absent
  Buffer<float*> layer_gradients_;  // (layers, LayerTensor::count)
};

}  // namespace posenc
