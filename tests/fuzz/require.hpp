// What must hold whatever the input is.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace posenc::fuzz {

/// Ends the program with a text when something does not hold: libFuzzer then saves the input.
inline void require(bool holds, const std::string& otherwise) {
  if (holds) return;
  std::fprintf(stderr, "== broken law: %s\n", otherwise.c_str());
  std::abort();
}

/// The same of a comparison, whose text says where two arrays differ.
inline void require_same(const std::string& differences, const std::string& what) {
  require(differences.empty(), what + ": " + differences);
}

}  // namespace posenc::fuzz
