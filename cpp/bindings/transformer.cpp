#include "bindings/transformer.hpp"

#include <memory>

#include "bindings/fields.hpp"
#include "bindings/step_call.hpp"
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

}  // namespace

int model_make(Address fields, Address out) {
  using F = ModelField;
  const auto* f = at<double>(fields);
  auto made = std::make_unique<Model>(
      ModelShape{.vocabulary = whole(f[F::vocabulary]),
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

Address model_numbers(Address handle, int part, double layer, int tensor) {
  return reinterpret_cast<Address>(model_at(handle).numbers(place(part, layer, tensor)));
}

double model_bytes(Address handle) { return static_cast<double>(model_at(handle).bytes()); }

int model_step(Address handle, Address fields) {
  const auto* f = at<double>(fields);
  StepCall call(f);
  const Status status = call.read();
  return code(status == Status::ok ? run_step(model_at(handle), call.step) : status);
}

int model_cross(Address handle, double batch, double tokens, Address encoded, Address out) {
  return code(cross_keys(model_at(handle), whole(batch), whole(tokens), at<float>(encoded),
                         at<float>(out)));
}

}  // namespace posenc::bindings
