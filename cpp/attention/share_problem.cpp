#include "attention/share_problem.hpp"

namespace posenc {

Status share_problem(const AttentionProblem& problem, std::int64_t units, RunProblem run) {
  Everything share(units);
  return run(problem, share);
}

}  // namespace posenc
