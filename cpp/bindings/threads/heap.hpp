// One heap for all threads.
#pragma once

#include <cstddef>

/// Of the glue: makes it take new views of the memory, which has grown. Does nothing in helpers.
extern "C" void emscripten_notify_memory_growth(std::size_t memory);
