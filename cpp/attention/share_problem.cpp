#include "attention/share_problem.hpp"

#include <algorithm>

namespace posenc {

Status OwnTerms::copy(const ScoreTerms& terms) {
  for (const Encoding* encoding : terms.encodings) {
    owned_.push_back(encoding->copy());
    if (owned_.back() == nullptr) return Status::memory;
    encodings_.push_back(owned_.back().get());
  }
  return collect(encodings_, terms_);
}

bool copyable(const ScoreTerms& terms) {
  return std::all_of(terms.encodings.begin(), terms.encodings.end(),
                     [](const Encoding* encoding) { return encoding->copyable(); });
}

}  // namespace posenc
