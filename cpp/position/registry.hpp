// What the registry says of each encoding: one description per line of registry.inc. Bindings,
// documentation, sliders and the tests that loop over all encodings read it.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "position/position.hpp"

namespace posenc {

/// A text in both languages of the project.
struct Text {
  const char* zh;
  const char* en;
};

/// One parameter of an encoding. Values travel as doubles: a choice as its index, a flag as 0 or 1,
/// an array as the address of an `Array`, "not given" as NaN.
struct Parameter {
  /// `doubles` are float64 data (frequency tables), `tensor` is trained float32 data. An encoding
  /// may read a tensor where it lies: the numbers must outlive it.
  enum class Kind : std::uint8_t { integer, real, choice, flag, doubles, tensor };
  /// How a value that was not given is found: in the table, by the encoding, or not at all.
  enum class Missing : std::uint8_t { initial, derived, error };

  const char* name;  ///< camelCase, as in the JavaScript options.
  Kind kind;
  double low, high;  ///< Inclusive range; of each number in `doubles`.
  std::span<const char* const> choices;
  Text meaning;
  Missing missing = Missing::derived;
  double initial = 0.0;  ///< Value when not given, for `Missing::initial`.

  static constexpr Parameter integer(const char* name, double low, double high, Text meaning) {
    return {name, Kind::integer, low, high, {}, meaning};
  }
  static constexpr Parameter real(const char* name, double low, double high, Text meaning) {
    return {name, Kind::real, low, high, {}, meaning};
  }
  static constexpr Parameter choice(const char* name, std::span<const char* const> choices,
                                    Text meaning) {
    return {name, Kind::choice, 0, static_cast<double>(choices.size()) - 1, choices, meaning};
  }
  static constexpr Parameter flag(const char* name, Text meaning) {
    return {name, Kind::flag, 0, 1, {}, meaning};
  }
  static constexpr Parameter doubles(const char* name, double low, double high, Text meaning) {
    return {name, Kind::doubles, low, high, {}, meaning};
  }
  static constexpr Parameter tensor(const char* name, Text meaning) {
    return {name, Kind::tensor, 0, 0, {}, meaning};
  }
  /// The same, with a value when none is given.
  constexpr Parameter or_else(double value) const {
    Parameter p = *this;
    p.missing = Missing::initial;
    p.initial = value;
    return p;
  }
  /// The same, refused when no value is given.
  constexpr Parameter required() const {
    Parameter p = *this;
    p.missing = Missing::error;
    return p;
  }
};

/// Where the numbers of an array parameter are, in doubles so that JavaScript can write it. A
/// tensor is not copied: it must outlive the encoding.
struct Array {
  double address;
  double count;
};

/// The numbers of an array parameter's value (float or double, by its kind); empty when not given.
template <class T>
std::span<const T> numbers(double value) {
  if (std::isnan(value)) return {};
  const auto& array = *reinterpret_cast<const Array*>(static_cast<std::uintptr_t>(value));
  return {reinterpret_cast<const T*>(static_cast<std::uintptr_t>(array.address)),
          static_cast<std::size_t>(array.count)};
}

/// What is wrong with a set of values.
struct Fault {
  Status status = Status::ok;
  int parameter = -1;  ///< Index into the parameter table.
  const char* rule = "";
};

/// The hooks that an encoding may fill, as a set.
enum class Hook : std::uint8_t { embed, rotate, content, bias, scale, mask };
inline constexpr const char* kHookNames[] = {"embed", "rotate", "content", "bias", "scale", "mask"};

struct Description {
  const char* name;
  Text title;
  int year;
  const char* paper;
  const char* url;
  /// Models and families that use it, separated by commas; empty where none is widely known.
  const char* users = "";
  std::span<const Hook> hooks;
  std::span<const Parameter> parameters;
  /// Fills derived values and checks what depends on several of them; null when there is nothing of
  /// the kind.
  Fault (*derive)(std::span<double> values);
  /// Makes the encoding from complete, checked values. Null when there is no memory.
  std::unique_ptr<Encoding> (*make)(std::span<const double> values);
};

/// All encodings in the order of registry.inc.
std::span<const Description* const> registry();

/// Index of an encoding by name, or −1.
int find_encoding(const char* name);

/// Checks `values` (one per parameter) against the table and fills in those that were not given
/// (NaN).
Fault resolve(const Description& description, std::span<double> values);

}  // namespace posenc
