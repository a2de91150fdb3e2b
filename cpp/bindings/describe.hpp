// What the module says of itself, once, when it is loaded.
#pragma once

#include <emscripten/val.h>

namespace posenc::bindings {

/// An object: status names, fields of the larger calls, and the registry of encodings with its
/// parameter tables.
emscripten::val describe();

}  // namespace posenc::bindings
