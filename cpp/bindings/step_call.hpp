// Steps of a model, as blocks of doubles say them.
#pragma once

#include <cstdint>
#include <memory>

#include "bindings/attention_call.hpp"
#include "core/objects.hpp"
#include "model/step.hpp"

namespace posenc::bindings {

/// A step with what it needs.
class StepCall {
 public:
  /// Of the fields of StepField.
  explicit StepCall(const double* fields);

  Status read();

  /// The encodings of a group, and the blocks that they were made of.
  const CallEncodings& encodings(std::int64_t group) { return made_[group]; }
  const std::uint32_t* blocks(std::int64_t group) const;
  std::int64_t group_count() const { return group_count_; }
  std::int64_t group_of(std::int64_t layer) const;

  Step step;

 private:
  Status make_groups();
  void read_layers();

  const double* fields_;
  std::int64_t group_count_, layer_count_;
  Objects<CallEncodings> made_;
  Objects<ScoreTerms> terms_;
  Objects<LayerTerms> layers_;
  Objects<LayerTrace> trace_;
  std::unique_ptr<Encoding> embedding_;
};

}  // namespace posenc::bindings
