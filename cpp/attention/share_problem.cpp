#include "attention/share_problem.hpp"

#include <cstddef>

namespace posenc {

Status OwnTerms::copy(const ScoreTerms& terms) {
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

bool copyable(const ScoreTerms& terms) {
  for (const Encoding* encoding : terms.encodings) {
    if (encoding != nullptr && !encoding->copyable()) return false;
  }
  return true;
}

}  // namespace posenc
