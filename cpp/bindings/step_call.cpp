#include "bindings/step_call.hpp"

#include <cstddef>

#include "bindings/fields.hpp"

namespace posenc::bindings {

namespace {

std::int64_t whole(double x) { return static_cast<std::int64_t>(x); }

const double* group_fields(const double* fields, std::int64_t group) {
  return at<double>(fields[StepField::groups]) + group * GroupField::count;
}

const double* layer_fields(const double* fields, std::int64_t layer) {
  return at<double>(fields[StepField::layers]) + layer * StepLayerField::count;
}

LayerTrace layer_trace(const double* f) {
  using F = TraceField;
  return {.input = at<float>(f[F::input]),
          .normed = at<float>(f[F::normed]),
          .query = at<float>(f[F::query]),
          .key = at<float>(f[F::key]),
          .value = at<float>(f[F::value]),
          .scores = at<float>(f[F::scores]),
          .biased = at<float>(f[F::biased]),
          .logits = at<float>(f[F::logits]),
          .weights = at<float>(f[F::weights]),
          .heads = at<float>(f[F::heads]),
          .attention = at<float>(f[F::attention]),
          .mlp = at<float>(f[F::mlp])};
}

}  // namespace

StepCall::StepCall(const double* fields)
    : fields_(fields),
      group_count_(whole(fields[StepField::group_count])),
      layer_count_(whole(fields[StepField::layer_count])),
      made_(group_count_),
      terms_(group_count_),
      layers_(layer_count_),
      trace_(layer_count_) {}

const std::uint32_t* StepCall::blocks(std::int64_t group) const {
  return at<std::uint32_t>(group_fields(fields_, group)[GroupField::encodings]);
}

std::int64_t StepCall::group_of(std::int64_t layer) const {
  return whole(layer_fields(fields_, layer)[StepLayerField::group]);
}

Status StepCall::make_groups() {
  using F = GroupField;
  for (std::int64_t group = 0; group < group_count_; ++group) {
    const double* f = group_fields(fields_, group);
    const Status status =
        made_.add().make(static_cast<Address>(f[F::encodings]), f[F::encoding_count], terms_.add());
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

void StepCall::read_layers() {
  using F = StepLayerField;
  const auto* trace = at<double>(fields_[StepField::trace]);
  for (std::int64_t layer = 0; layer < layer_count_; ++layer) {
    const double* f = layer_fields(fields_, layer);
    const std::int64_t group = group_of(layer);
    layers_.add(
        LayerTerms{.terms = terms_[group],
                   .scale = static_cast<float>(group_fields(fields_, group)[GroupField::scale]),
                   .window = whole(f[F::window]),
                   .cache = at<KvCache>(f[F::cache]),
                   .cache_layer = whole(f[F::cache_layer])});
    if (trace != nullptr) trace_.add(layer_trace(trace + layer * TraceField::count));
  }
}

Status StepCall::read() {
  using F = StepField;
  const double* f = fields_;
  if (!made_.ok() || !terms_.ok() || !layers_.ok() || !trace_.ok()) return Status::memory;
  if (const Status status = make_groups(); status != Status::ok) return status;
  read_layers();
  if (f[F::embedding] != 0) {
    embedding_ = make(at<double>(f[F::embedding]));
    if (embedding_ == nullptr) return Status::memory;
  }
  const auto wanted = static_cast<std::size_t>(f[F::wanted_count]);
  step = {.part = static_cast<Part>(f[F::part]),
          .batch = whole(f[F::batch]),
          .tokens = whole(f[F::tokens]),
          .sequence = whole(f[F::sequence]),
          .ids = at<std::int32_t>(f[F::ids]),
          .positions = at<std::int32_t>(f[F::positions]),
          .real = at<std::uint8_t>(f[F::real]),
          .embedding = embedding_.get(),
          .layers = {layers_.begin(), layers_.end()},
          .cross = {.tokens = whole(f[F::cross_tokens]),
                    .data = at<float>(f[F::cross]),
                    .real = at<std::uint8_t>(f[F::cross_real])},
          .wanted = {at<std::int32_t>(f[F::wanted]), wanted},
          .hidden = at<float>(f[F::hidden]),
          .logits = at<float>(f[F::logits]),
          .trace = {trace_.begin(), trace_.end()}};
  return Status::ok;
}

}  // namespace posenc::bindings
