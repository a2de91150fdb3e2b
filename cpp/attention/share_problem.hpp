// One problem of attention on several threads.
#pragma once

#include <memory>

#include "attention/problem.hpp"
#include "core/share.hpp"

namespace posenc {

/// Score terms of encodings that are copies: hooks keep scratch, so that no two threads may use the
/// same.
class OwnTerms {
 public:
  /// Once. `memory` when there is none.
  Status copy(const ScoreTerms& terms);
  const ScoreTerms& terms() const { return terms_; }

 private:
  std::unique_ptr<Encoding> owned_[ScoreTerms::kMost];
  ScoreTerms terms_;
};

/// True when `OwnTerms` can copy them.
bool copyable(const ScoreTerms& terms);

/// Has `run(problem, share)` done by the threads of the build, each with a problem of its own. The
/// result must not depend on who does which unit.
template <class Run>
Status share_problem(const AttentionProblem& problem, std::int64_t units, const Run& run) {
  const double worth = copyable(problem.terms) ? operations(problem) : 0.0;
  return share_out(units, worth, [&](Share& share) {
    if (share.thread() == 0) return run(problem, share);
    OwnTerms own;
    if (const Status status = own.copy(problem.terms); status != Status::ok) return status;
    AttentionProblem mine = problem;
    mine.terms = own.terms();
    return run(mine, share);
  });
}

}  // namespace posenc
