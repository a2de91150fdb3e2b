// One problem of attention on several threads.
#pragma once

#include <cstdint>

#include "attention/share_problem.hpp"

namespace posenc {

/// What `share_problem` is where there are threads: each has a problem with encodings of its own,
/// as hooks keep scratch. Adds `memory` to what `run` returns, when there is none for them.
Status share_copies(const AttentionProblem& problem, std::int64_t units, RunProblem run);

}  // namespace posenc
