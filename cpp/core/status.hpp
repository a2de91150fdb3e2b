// The outcomes of every call into the library. No exception crosses a boundary and no user input
// aborts.
#pragma once

#include <cstdint>

namespace posenc {

enum class Status : std::uint8_t {
  ok,         ///< The result is written.
  shape,      ///< A dimension is negative, zero where it may not be, or two dimensions do not fit.
  parameter,  ///< A parameter of an encoding is missing or outside its range.
  position,   ///< A position lies outside what an encoding knows, or has too few coordinates.
  unsupported,  ///< The encoding does not fill the hook that was asked for, or not for such keys.
  conflict,     ///< Two encodings fill the same hook.
  memory,       ///< There is not enough memory for the result or for scratch space.
  capacity,     ///< A cache has no room for more tokens.
};

/// Names of the values of `Status`, in their order.
inline constexpr const char* kStatusNames[] = {
    "ok", "shape", "parameter", "position", "unsupported", "conflict", "memory", "capacity",
};

/// Largest magnitude of a position. The difference of two may need 33 bits: it is formed in 64.
inline constexpr std::int32_t kMaxPosition = 1 << 30;

}  // namespace posenc
