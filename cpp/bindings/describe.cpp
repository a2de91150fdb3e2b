#include "bindings/describe.hpp"

#include <cstdio>
#include <span>

#include "bindings/fields.hpp"
#include "core/status.hpp"
#include "position/registry.hpp"

namespace posenc::bindings {

namespace {

/// Builds JSON text. Strings of the registry hold no control characters.
class Json {
 public:
  Json& key(const char* name) {
    comma();
    quote(name);
    text_ += ':';
    fresh_ = true;
    return *this;
  }
  Json& open(char bracket) {
    comma();
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  Json& string(const char* value) {
    comma();
    quote(value);
    return *this;
  }
  Json& number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return raw(digits);
  }
  Json& raw(const char* value) {
    comma();
    text_ += value;
    return *this;
  }
  Json& strings(std::span<const char* const> values) {
    open('[');
    for (const char* value : values) string(value);
    return close(']');
  }
  Json& text(const Text& value) {
    return open('{').key("zh").string(value.zh).key("en").string(value.en).close('}');
  }
  std::string take() { return std::move(text_); }

 private:
  void comma() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  void quote(const char* value) {
    text_ += '"';
    for (; *value != '\0'; ++value) {
      if (*value == '"' || *value == '\\') text_ += '\\';
      text_ += *value;
    }
    text_ += '"';
  }

  std::string text_;
  bool fresh_ = true;
};

void add_parameter(Json& json, const Parameter& p) {
  static constexpr const char* kKinds[] = {"integer", "real", "choice", "flag"};
  json.open('{').key("name").string(p.name);
  json.key("kind").string(kKinds[static_cast<int>(p.kind)]);
  json.key("required").raw(p.missing == Parameter::Missing::error ? "true" : "false");
  json.key("initial");
  if (p.missing == Parameter::Missing::initial) {
    json.number(p.initial);
  } else {
    json.raw("null");
  }
  json.key("low").number(p.low).key("high").number(p.high);
  json.key("choices").strings(p.choices);
  json.key("meaning").text(p.meaning).close('}');
}

void add_encoding(Json& json, const Description& d) {
  json.open('{').key("name").string(d.name).key("title").text(d.title);
  json.key("year").number(d.year).key("paper").string(d.paper).key("url").string(d.url);
  json.key("hooks").open('[');
  for (const Hook hook : d.hooks) json.string(kHookNames[static_cast<int>(hook)]);
  json.close(']').key("parameters").open('[');
  for (const Parameter& p : d.parameters) add_parameter(json, p);
  json.close(']').close('}');
}

}  // namespace

std::string describe() {
  Json json;
  json.open('{').key("version").string(POSENC_VERSION).key("variant");
#if defined(__wasm_relaxed_simd__)
  json.string("relaxed");
#else
  json.string("simd");
#endif
  json.key("status").strings(kStatusNames);
  json.key("fields").strings(AttentionField::kNames);
  json.key("rotateFields").strings(RotateField::kNames);
  json.key("encodings").open('[');
  for (const Description* d : registry()) add_encoding(json, *d);
  json.close(']').close('}');
  return json.take();
}

}  // namespace posenc::bindings
