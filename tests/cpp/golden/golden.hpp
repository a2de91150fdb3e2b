// Reads the golden files; their format is described in tests/golden/import-conformance.mjs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace posenc::test {

struct GoldenTensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

struct GoldenCase {
  std::string name;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> words;
  std::map<std::string, GoldenTensor> tensors;

  bool has(const std::string& tensor) const { return tensors.contains(tensor); }
  double number(const std::string& key) const;
  const std::string& word(const std::string& key) const;
  const GoldenTensor& tensor(const std::string& key) const;
  std::int64_t size(const std::string& key, std::size_t dimension) const;
  std::vector<float> floats(const std::string& key) const;
  std::vector<std::int32_t> integers(const std::string& key) const;
};

/// The cases of tests/golden/GROUP.txt. Fails the test when they cannot be read.
std::vector<GoldenCase> golden(const std::string& group);

}  // namespace posenc::test
