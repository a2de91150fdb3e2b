// One heap for all threads.
#pragma once

#include <cstddef>

namespace posenc {

/// Sets memory aside for small objects (at most 64 kB), which cannot report that there is none, as
/// larger ones do. To be called before and after small objects may have used it up; false when
/// there is not as much.
bool keep_reserve(std::size_t bytes);

}  // namespace posenc

/// Of the glue: makes it take new views of the memory, which has grown. Does nothing in helpers.
extern "C" void emscripten_notify_memory_growth(std::size_t memory);
