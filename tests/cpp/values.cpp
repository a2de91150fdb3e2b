#include "values.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace posenc::test {

Values::Values(const char* encoding) {
  const int index = find_encoding(encoding);
  REQUIRE(index >= 0);
  description_ = registry()[static_cast<std::size_t>(index)];
  values_.resize(description_->parameters.size(), std::numeric_limits<double>::quiet_NaN());
}

std::size_t Values::index(const std::string& parameter) const {
  const auto& table = description_->parameters;
  std::size_t i = 0;
  while (i < table.size() && parameter != table[i].name) ++i;
  REQUIRE_MESSAGE(i < table.size(), description_->name << " has no parameter " << parameter);
  return i;
}

Values& Values::set(const std::string& parameter, double value) {
  values_[index(parameter)] = value;
  return *this;
}

Values& Values::give(const std::string& parameter, std::vector<float> numbers) {
  return share(parameter, std::make_shared<Tensor>(std::move(numbers)));
}

Values& Values::share(const std::string& parameter, TensorPointer tensor) {
  set(parameter, tensor->value());
  tensors_.push_back(std::move(tensor));
  return *this;
}

std::string Values::fault() const {
  std::vector<double> values = values_;
  const Fault fault = resolve(*description_, values);
  if (fault.status == Status::ok) return "";
  return std::string(description_->parameters[static_cast<std::size_t>(fault.parameter)].name) +
         ": " + fault.rule;
}

std::shared_ptr<const Encoding> Values::make() const {
  std::vector<double> values = values_;
  const Fault fault = resolve(*description_, values);
  REQUIRE_MESSAGE(fault.status == Status::ok, description_->name << ": " << fault.rule);
  const Encoding* encoding = description_->make(values).release();
  REQUIRE(encoding != nullptr);
  return {encoding, [arrays = tensors_](const Encoding* e) { delete e; }};
}

}  // namespace posenc::test
