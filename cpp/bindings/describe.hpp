// What the module says of itself, once, when it is loaded.
#pragma once

#include <string>

namespace posenc::bindings {

/// JSON: variant, status names, fields of the larger calls, and the registry of encodings with its
/// parameter tables.
std::string describe();

}  // namespace posenc::bindings
