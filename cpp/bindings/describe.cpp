#include "bindings/describe.hpp"

#include <span>

#include "bindings/fields.hpp"
#include "core/status.hpp"
#include "model/model.hpp"
#include "position/registry.hpp"

namespace posenc::bindings {

namespace {

using emscripten::val;

val string(const char* value) { return val::u8string(value); }

val text(const Text& value) {
  val object = val::object();
  object.set("zh", string(value.zh));
  object.set("en", string(value.en));
  return object;
}

/// An array with `convert` applied to each value.
template <class T, class Convert>
val list(std::span<T> values, Convert convert) {
  val array = val::array();
  for (const auto& value : values) array.call<void>("push", convert(value));
  return array;
}

val strings(std::span<const char* const> values) { return list(values, string); }

val parameter(const Parameter& p) {
  static constexpr const char* kKinds[] = {"integer", "real",    "choice",
                                           "flag",    "doubles", "tensor"};
  val object = val::object();
  object.set("name", string(p.name));
  object.set("kind", string(kKinds[static_cast<int>(p.kind)]));
  object.set("required", p.missing == Parameter::Missing::error);
  object.set("initial", p.missing == Parameter::Missing::initial ? val(p.initial) : val::null());
  object.set("low", p.low);
  object.set("high", p.high);
  object.set("choices", strings(p.choices));
  object.set("meaning", text(p.meaning));
  return object;
}

val encoding(const Description* d) {
  val object = val::object();
  object.set("name", string(d->name));
  object.set("title", text(d->title));
  object.set("year", d->year);
  object.set("paper", string(d->paper));
  object.set("url", string(d->url));
  object.set("users", string(d->users));
  object.set("hooks",
             list(d->hooks, [](Hook hook) { return string(kHookNames[static_cast<int>(hook)]); }));
  object.set("parameters", list(d->parameters, parameter));
  return object;
}

}  // namespace

val describe() {
  val object = val::object();
  object.set("status", strings(kStatusNames));
  object.set("fields", strings(AttentionField::kNames));
  object.set("rotateFields", strings(RotateField::kNames));
  object.set("cacheFields", strings(CacheField::kNames));
  object.set("gradientFields", strings(GradientField::kNames));
  object.set("linearFields", strings(LinearField::kNames));
#ifndef POSENC_LITE
  object.set("modelFields", strings(ModelField::kNames));
  object.set("stackFields", strings(StackField::kNames));
  object.set("stepFields", strings(StepField::kNames));
  object.set("learnFields", strings(LearnField::kNames));
  object.set("updateFields", strings(UpdateField::kNames));
  object.set("groupFields", strings(GroupField::kNames));
  object.set("stepLayerFields", strings(StepLayerField::kNames));
  object.set("traceFields", strings(TraceField::kNames));
  object.set("layerTensors", strings(LayerTensor::kNames));
  object.set("modelTensors", strings(ModelTensor::kNames));
#endif
  object.set("encodings", list(registry(), encoding));
  return object;
}

}  // namespace posenc::bindings
