#include "bindings/transformer.hpp"

#include <cstddef>
#include <memory>

#include "bindings/attention_call.hpp"
#include "bindings/fields.hpp"
#include "core/objects.hpp"
#include "model/step.hpp"

namespace posenc::bindings {

namespace {

Model& model_at(Address handle) { return *at<Model>(handle); }

std::int64_t whole(double x) { return static_cast<std::int64_t>(x); }

TensorPlace place(int part, double layer, int tensor) {
  return {static_cast<Part>(part), whole(layer), tensor};
}

/// No layers at address 0.
StackShape stack_shape(double address) {
  using F = StackField;
  const auto* f = at<double>(address);
  if (f == nullptr) return {};
  return {.layers = whole(f[F::layers]),
          .heads = whole(f[F::heads]),
          .kv_heads = whole(f[F::kv_heads]),
          .head_dim = whole(f[F::head_dim]),
          .hidden = whole(f[F::hidden]),
          .norm = static_cast<NormKind>(f[F::norm]),
          .norm_epsilon = static_cast<float>(f[F::norm_epsilon]),
          .placement = static_cast<NormPlacement>(f[F::placement]),
          .causal = f[F::causal] != 0,
          .cross = f[F::cross] != 0,
          .parallel = f[F::parallel] != 0,
          .activation = static_cast<Activation>(f[F::activation]),
          .gated = f[F::gated] != 0,
          .softcap = static_cast<float>(f[F::softcap])};
}

/// The sets of encodings of a step.
class Groups {
 public:
  Groups(const double* fields, std::int64_t count) : made_(count), terms_(count), fields_(fields) {}

  Status make(std::int64_t count) {
    using F = GroupField;
    if (!made_.ok() || !terms_.ok()) return Status::memory;
    for (std::int64_t i = 0; i < count; ++i) {
      const double* f = fields_ + i * F::count;
      const Status status = made_.add().make(static_cast<Address>(f[F::encodings]),
                                             f[F::encoding_count], terms_.add());
      if (status != Status::ok) return status;
    }
    return Status::ok;
  }
  const ScoreTerms& terms(std::int64_t i) { return terms_[i]; }
  float scale(std::int64_t i) const {
    return static_cast<float>(fields_[i * GroupField::count + GroupField::scale]);
  }

 private:
  Objects<CallEncodings> made_;
  Objects<ScoreTerms> terms_;
  const double* fields_;
};

LayerTerms layer_terms(const double* f, Groups& groups) {
  using F = StepLayerField;
  const std::int64_t group = whole(f[F::group]);
  return {.terms = groups.terms(group),
          .scale = groups.scale(group),
          .window = whole(f[F::window]),
          .cache = at<KvCache>(f[F::cache]),
          .cache_layer = whole(f[F::cache_layer])};
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

int model_make(Address fields, Address out) {
  using F = ModelField;
  const auto* f = at<double>(fields);
  auto made = std::make_unique<Model>(ModelShape{
      .vocabulary = whole(f[F::vocabulary]),
      .width = whole(f[F::width]),
      .embedding_scale = static_cast<float>(f[F::embedding_scale]),
      .position_offset = whole(f[F::position_offset]),
      .logit_scale = static_cast<float>(f[F::logit_scale]),
      .logit_softcap = static_cast<float>(f[F::logit_softcap]),
      .decoder = stack_shape(f[F::decoder]),
      .encoder = stack_shape(f[F::encoder])});
  const Status status = made->allocate();
  if (status != Status::ok) return code(status);
  *at<double>(out) = static_cast<double>(reinterpret_cast<Address>(made.release()));
  return code(Status::ok);
}

void model_free(Address handle) { delete at<Model>(handle); }

void model_expected(Address handle, int part, double layer, int tensor, Address out) {
  const TensorShape shape = model_at(handle).expected(place(part, layer, tensor));
  at<double>(out)[0] = static_cast<double>(shape.rows);
  at<double>(out)[1] = static_cast<double>(shape.columns);
}

int model_add(Address handle, int part, double layer, int tensor, double rows, double columns,
              int precision) {
  return code(model_at(handle).add(place(part, layer, tensor), {whole(rows), whole(columns)},
                                   static_cast<Precision>(precision)));
}

void model_write(Address handle, int part, double layer, int tensor, double first, double count,
                 Address rows) {
  model_at(handle).write(place(part, layer, tensor), whole(first), whole(count), at<float>(rows));
}

int model_missing(Address handle, Address out) {
  TensorPlace missing;
  if (!model_at(handle).missing(missing)) return 0;
  auto* to = at<double>(out);
  to[0] = static_cast<double>(missing.part);
  to[1] = static_cast<double>(missing.layer);
  to[2] = missing.tensor;
  return 1;
}

double model_bytes(Address handle) { return static_cast<double>(model_at(handle).bytes()); }

int model_step(Address handle, Address fields) {
  using F = StepField;
  const auto* f = at<double>(fields);
  const std::int64_t group_count = whole(f[F::group_count]);
  Groups groups(at<double>(f[F::groups]), group_count);
  if (const Status s = groups.make(group_count); s != Status::ok) return code(s);

  const std::int64_t layer_count = whole(f[F::layer_count]);
  const auto* layer_fields = at<double>(f[F::layers]);
  const auto* trace_fields = at<double>(f[F::trace]);
  Objects<LayerTerms> layers(layer_count);
  Objects<LayerTrace> trace(layer_count);
  if (!layers.ok() || !trace.ok()) return code(Status::memory);
  for (std::int64_t i = 0; i < layer_count; ++i) {
    layers.add(layer_terms(layer_fields + i * StepLayerField::count, groups));
    if (trace_fields != nullptr) trace.add(layer_trace(trace_fields + i * TraceField::count));
  }
  const auto wanted = static_cast<std::size_t>(f[F::wanted_count]);
  return code(run_step(model_at(handle),
                       {.part = static_cast<Part>(f[F::part]),
                        .batch = whole(f[F::batch]),
                        .tokens = whole(f[F::tokens]),
                        .sequence = whole(f[F::sequence]),
                        .ids = at<std::int32_t>(f[F::ids]),
                        .positions = at<std::int32_t>(f[F::positions]),
                        .real = at<std::uint8_t>(f[F::real]),
                        .layers = {layers.begin(), layers.end()},
                        .cross = {.tokens = whole(f[F::cross_tokens]),
                                  .data = at<float>(f[F::cross]),
                                  .real = at<std::uint8_t>(f[F::cross_real])},
                        .wanted = {at<std::int32_t>(f[F::wanted]), wanted},
                        .hidden = at<float>(f[F::hidden]),
                        .logits = at<float>(f[F::logits]),
                        .trace = {trace.begin(), trace.end()}}));
}

int model_cross(Address handle, double batch, double tokens, Address encoded, Address out) {
  return code(cross_keys(model_at(handle), whole(batch), whole(tokens), at<float>(encoded),
                         at<float>(out)));
}

}  // namespace posenc::bindings
