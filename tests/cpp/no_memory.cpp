#include "no_memory.hpp"

#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>
#include <sys/resource.h>
#define POSENC_CAN_RUN_OUT 1
#else
#define POSENC_CAN_RUN_OUT 0
#endif

namespace posenc::test {

bool can_run_out() { return POSENC_CAN_RUN_OUT != 0; }

#if POSENC_CAN_RUN_OUT

void without_memory(const std::function<void()>& call) {
  // Larger pieces are mapped one by one, and no more may be mapped than is already.
  mallopt(M_MMAP_THRESHOLD, 1 << 16);
  mallopt(M_TOP_PAD, 1 << 20);
  std::free(std::malloc(1 << 15));
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_AS, &none);
  call();
  setrlimit(RLIMIT_AS, &before);
}

#else

void without_memory(const std::function<void()>& call) { call(); }

#endif

}  // namespace posenc::test
