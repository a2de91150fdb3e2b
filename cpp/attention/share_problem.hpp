// One problem of attention in units that threads may share.
#pragma once

#include <cstdint>

#include "attention/problem.hpp"
#include "core/share.hpp"

namespace posenc {

/// Does the units of a share. The result must not depend on who does which unit.
using RunProblem = Status (*)(const AttentionProblem& problem, Share& share);

/// Has the units 0 … `units` − 1 of a problem done. Here on the caller's thread; the build with
/// threads has another definition (cpp/bindings/threads), so that the others hold none of it.
Status share_problem(const AttentionProblem& problem, std::int64_t units, RunProblem run);

}  // namespace posenc
