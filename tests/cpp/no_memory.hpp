// Memory that has run out.
#pragma once

#include <functional>

namespace posenc::test {

/// False where it cannot be made to run out: under the address sanitizer, away from Linux.
bool can_run_out();

/// What `call` does while allocations of more than 64 kB fail.
void without_memory(const std::function<void()>& call);

}  // namespace posenc::test
