#include "position/registry.hpp"

#include <array>
#include <cmath>
#include <cstring>

namespace posenc {

// The lite module holds nothing but the lines POSENC_LITE_ENCODING.
#define POSENC_LITE_ENCODING(name) POSENC_LISTED(name)
#if defined(POSENC_LITE)
#define POSENC_ENCODING(name)
#else
#define POSENC_ENCODING(name) POSENC_LISTED(name)
#endif

namespace encodings {
#define POSENC_LISTED(name) extern const Description name;
#include "position/registry.inc"
#undef POSENC_LISTED
}  // namespace encodings

std::span<const Description* const> registry() {
  static constexpr std::array kAll = {
#define POSENC_LISTED(name) &encodings::name,
#include "position/registry.inc"
#undef POSENC_LISTED
  };
  return kAll;
}

int find_encoding(const char* name) {
  const auto all = registry();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::strcmp(all[i]->name, name) == 0) return static_cast<int>(i);
  }
  return -1;
}

Fault resolve(const Description& description, std::span<double> values) {
  const auto& parameters = description.parameters;
  if (values.size() != parameters.size()) {
    return {Status::parameter, -1, "one value per parameter"};
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const int index = static_cast<int>(i);
    double& value = values[i];
    if (std::isnan(value)) {
      if (p.missing == Parameter::Missing::error) return {Status::parameter, index, "required"};
      if (p.missing == Parameter::Missing::initial) value = p.initial;
      continue;
    }
    if (p.kind == Parameter::Kind::tensor) continue;
    if (p.kind == Parameter::Kind::doubles) {
      for (const double number : numbers<double>(value)) {
        if (!(number >= p.low && number <= p.high)) {
          return {Status::parameter, index, "numbers within their range"};
        }
      }
      continue;
    }
    if (!(value >= p.low && value <= p.high)) {
      return {Status::parameter, index, "within its range"};
    }
    if (p.kind != Parameter::Kind::real && value != std::floor(value)) {
      return {Status::parameter, index, "a whole number"};
    }
  }
  return description.derive == nullptr ? Fault{} : description.derive(values);
}

}  // namespace posenc
