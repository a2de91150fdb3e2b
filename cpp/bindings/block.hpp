// What crosses the border to JavaScript: byte offsets as numbers, and encodings as blocks of
// doubles.
//
// An encoding's block is its index in the registry, then one value per parameter (NaN = not given).
// It is made anew in every call, which costs microseconds, so that JavaScript owns no C++ object.
#pragma once

#include <cstdint>
#include <memory>

#include "bindings/fields.hpp"
#include "position/registry.hpp"
#include "position/rotation.hpp"

namespace posenc::bindings {

using Address = std::uintptr_t;

template <class T>
T* at(double offset) {
  return reinterpret_cast<T*>(static_cast<Address>(offset));
}

template <class T>
T* at(Address offset) {
  return reinterpret_cast<T*>(offset);
}

inline int code(Status status) { return static_cast<int>(status); }

inline Positions positions_at(Address data, double count, int axes) {
  return {at<std::int32_t>(data), static_cast<std::int64_t>(count), axes};
}

/// What the registry says of a block's encoding; null when it has no such index.
const Description* description_of(const double* block);

/// Makes the encoding of a resolved block; null when there is no memory.
std::unique_ptr<Encoding> make(const double* block);

/// The call that the fields of RotateField describe.
RotateCall rotate_call(const double* fields);

}  // namespace posenc::bindings
