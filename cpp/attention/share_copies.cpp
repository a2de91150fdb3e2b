#include "attention/share_copies.hpp"

#include <cstddef>
#include <memory>

namespace posenc {

namespace {

/// Score terms of encodings that are copies.
class OwnTerms {
 public:
  /// Once. `memory` when there is none.
  Status copy(const ScoreTerms& terms) {
    const Encoding* copies[ScoreTerms::kMost];
    std::size_t count = 0;
    for (const Encoding* encoding : terms.encodings) {
      if (encoding == nullptr) break;
      owned_[count] = encoding->copy();
      if (owned_[count] == nullptr) return Status::memory;
      copies[count] = owned_[count].get();
      ++count;
    }
    return collect({copies, count}, terms_);
  }
  const ScoreTerms& terms() const { return terms_; }

 private:
  std::unique_ptr<Encoding> owned_[ScoreTerms::kMost];
  ScoreTerms terms_;
};

bool copyable(const ScoreTerms& terms) {
  for (const Encoding* encoding : terms.encodings) {
    if (encoding != nullptr && !encoding->copyable()) return false;
  }
  return true;
}

class ProblemWork final : public SharedWork {
 public:
  ProblemWork(const AttentionProblem& problem, RunProblem does) : problem_(problem), does_(does) {}

  Status run(Share& share) const override {
    if (share.thread() == 0) return does_(problem_, share);
    OwnTerms own;
    if (const Status status = own.copy(problem_.terms); status != Status::ok) return status;
    AttentionProblem mine = problem_;
    mine.terms = own.terms();
    return does_(mine, share);
  }

 private:
  const AttentionProblem& problem_;
  RunProblem does_;
};

}  // namespace

Status share_copies(const AttentionProblem& problem, std::int64_t units, RunProblem run) {
  const double worth = copyable(problem.terms) ? operations(problem) : 0.0;
  return run_shared(ProblemWork(problem, run), units, worth);
}

}  // namespace posenc
