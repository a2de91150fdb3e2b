#include "golden/golden.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace posenc::test {

namespace {

template <class T>
std::vector<double> read(const std::string& bytes, std::size_t offset, std::size_t count) {
  REQUIRE(offset + count * sizeof(T) <= bytes.size());
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data() + offset, count * sizeof(T));
  return {values.begin(), values.end()};
}

GoldenTensor read_tensor(std::istringstream& words, const std::string& bytes) {
  std::string type;
  std::size_t offset = 0;
  words >> type >> offset;
  GoldenTensor tensor;
  std::size_t count = 1;
  for (std::int64_t size = 0; words >> size;) {
    tensor.shape.push_back(size);
    count *= static_cast<std::size_t>(size);
  }
  if (type == "f32") tensor.values = read<float>(bytes, offset, count);
  if (type == "f64") tensor.values = read<double>(bytes, offset, count);
  if (type == "i32") tensor.values = read<std::int32_t>(bytes, offset, count);
  if (type == "u8") tensor.values = read<std::uint8_t>(bytes, offset, count);
  REQUIRE(tensor.values.size() == count);
  return tensor;
}

}  // namespace

std::vector<GoldenCase> golden(const std::string& group) {
  const std::string path = std::string(POSENC_GOLDEN_DIR) + "/" + group;
  std::ifstream bin(path + ".bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(bin), {}};
  std::ifstream text(path + ".txt");
  REQUIRE_MESSAGE(text.good(), "cannot read " << path << ".txt");

  std::vector<GoldenCase> cases;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string key;
    words >> kind;
    if (kind == "case") {
      cases.emplace_back();
      words >> cases.back().name;
    } else if (kind == "number") {
      words >> key;
      for (double value = 0; words >> value;) cases.back().numbers[key].push_back(value);
    } else if (kind == "word") {
      words >> key >> cases.back().words[key];
    } else if (kind == "tensor") {
      words >> key;
      cases.back().tensors[key] = read_tensor(words, bytes);
    }
  }
  REQUIRE(!cases.empty());
  return cases;
}

double GoldenCase::number(const std::string& key) const {
  REQUIRE_MESSAGE(numbers.contains(key), name << " has no number " << key);
  return numbers.at(key).at(0);
}

const std::string& GoldenCase::word(const std::string& key) const {
  REQUIRE_MESSAGE(words.contains(key), name << " has no word " << key);
  return words.at(key);
}

const GoldenTensor& GoldenCase::tensor(const std::string& key) const {
  REQUIRE_MESSAGE(tensors.contains(key), name << " has no tensor " << key);
  return tensors.at(key);
}

std::int64_t GoldenCase::size(const std::string& key, std::size_t dimension) const {
  return tensor(key).shape.at(dimension);
}

std::vector<float> GoldenCase::floats(const std::string& key) const {
  const auto& values = tensor(key).values;
  std::vector<float> out;
  for (const double x : values) out.push_back(static_cast<float>(x));
  return out;
}

std::vector<std::int32_t> GoldenCase::integers(const std::string& key) const {
  const auto& values = tensor(key).values;
  std::vector<std::int32_t> out;
  for (const double x : values) out.push_back(static_cast<std::int32_t>(x));
  return out;
}

}  // namespace posenc::test
