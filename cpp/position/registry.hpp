// What the registry says of each encoding: one description per line of registry.inc. Bindings,
// documentation, sliders and the tests that loop over all encodings read it.
#pragma once

#include <cstdint>
#include <initializer_list>
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
/// "not given" as NaN.
struct Parameter {
  enum class Kind : std::uint8_t { integer, real, choice, flag };
  /// How a value that was not given is found.
  enum class Missing : std::uint8_t { initial, derived, error };

  const char* name;  ///< camelCase, as in the JavaScript options.
  Kind kind;
  Missing missing;
  double initial;    ///< Value when not given, for `Missing::initial`.
  double low, high;  ///< Inclusive range.
  std::span<const char* const> choices;
  Text meaning;
};

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
