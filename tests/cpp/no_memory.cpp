#include "no_memory.hpp"

#include <cstddef>
#include <cstdint>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define POSENC_CAN_RUN_OUT 1
#else
#define POSENC_CAN_RUN_OUT 0
#endif

#if POSENC_CAN_RUN_OUT

namespace {

/// Largest allocation that succeeds.
std::size_t most = SIZE_MAX;

}  // namespace

extern "C" void* __libc_malloc(std::size_t count);

/// Stands before that of the C library in the whole test program.
extern "C" void* malloc(std::size_t count) noexcept {
  return count > most ? nullptr : __libc_malloc(count);
}

namespace posenc::test {

bool can_run_out() { return true; }

void without_memory(const std::function<void()>& call) {
  most = std::size_t{1} << 16;
  call();
  most = SIZE_MAX;
}

}  // namespace posenc::test

#else

namespace posenc::test {

bool can_run_out() { return false; }

void without_memory(const std::function<void()>& call) { call(); }

}  // namespace posenc::test

#endif
