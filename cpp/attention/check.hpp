// What a problem must be like before any of it is computed.
#pragma once

#include "attention/problem.hpp"

namespace posenc {

/// `ok`, or what is wrong with shapes, numbers, positions or the hooks that meet.
Status check(const AttentionProblem& problem);

}  // namespace posenc
