#include "made.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "table.hpp"

namespace posenc::test {

namespace {

const Description& described(const char* name) {
  const int index = find_encoding(name);
  REQUIRE_MESSAGE(index >= 0, "no encoding " << name);
  return *registry()[static_cast<std::size_t>(index)];
}

std::size_t parameter_of(const Description& description, const char* option) {
  const auto& all = description.parameters;
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Parameter& p) { return std::strcmp(p.name, option) == 0; });
  REQUIRE_MESSAGE(found != all.end(), description.name << " has no option " << option);
  return static_cast<std::size_t>(found - all.begin());
}

Status turn(const Encoding& encoding, const float* x, float* out,
            const std::vector<std::int32_t>& positions, TurnOptions options) {
  return rotate_tensor(*encoding.rotate(),
                       {.x = x,
                        .out = out,
                        .batch = 1,
                        .heads = options.heads,
                        .tokens = static_cast<std::int64_t>(positions.size()) / options.axes,
                        .positions = positions.data(),
                        .positions_per_batch = false,
                        .axes = options.axes,
                        .side = options.side,
                        .inverse = options.inverse});
}

}  // namespace

std::vector<double> values_of(const char* name, const Options& options) {
  const Description& description = described(name);
  std::vector<double> values(description.parameters.size(),
                             std::numeric_limits<double>::quiet_NaN());
  for (const auto& [option, value] : options) values[parameter_of(description, option)] = value;
  return values;
}

std::unique_ptr<Encoding> made(const char* name, const Options& options) {
  const Description& description = described(name);
  std::vector<double> values = values_of(name, options);
  const Fault fault = resolve(description, values);
  REQUIRE_MESSAGE(fault.status == Status::ok, name << ": " << fault.rule);
  auto encoding = description.make(values);
  REQUIRE(encoding != nullptr);
  return encoding;
}

Refusal refusal(const char* name, const Options& options) {
  const Description& description = described(name);
  std::vector<double> values = values_of(name, options);
  const Fault fault = resolve(description, values);
  REQUIRE(fault.status == Status::parameter);
  REQUIRE(fault.parameter >= 0);
  return {description.parameters[static_cast<std::size_t>(fault.parameter)].name, fault.rule};
}

double choice_of(const char* name, const char* option, const char* word) {
  const Description& description = described(name);
  const auto& choices = description.parameters[parameter_of(description, option)].choices;
  const auto found = std::find_if(choices.begin(), choices.end(), [&](const char* choice) {
    return std::strcmp(choice, word) == 0;
  });
  REQUIRE_MESSAGE(found != choices.end(), option << " has no choice " << word);
  return static_cast<double>(found - choices.begin());
}

std::vector<float> turned(const Encoding& encoding, const std::vector<float>& x,
                          const std::vector<std::int32_t>& positions, TurnOptions options) {
  const std::int64_t tokens = static_cast<std::int64_t>(positions.size()) / options.axes;
  std::vector<float> out(
      static_cast<std::size_t>(options.heads * tokens * encoding.rotate()->turned_dim()),
      kUnwritten);
  CHECK(turn(encoding, x.data(), out.data(), positions, options) == Status::ok);
  return out;
}

bool knows(const Encoding& encoding, const std::vector<std::int32_t>& positions, int axes) {
  return encoding.domain().holds(
      {positions.data(), static_cast<std::int64_t>(positions.size()) / axes, axes});
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

void check_turn_grad(
    std::vector<float> trained, const GradientCheck& check,
    const std::function<std::unique_ptr<Encoding>(const std::vector<float>&)>& make) {
  const auto tokens = static_cast<std::int64_t>(check.positions.size()) / check.axes;
  const Positions positions{check.positions.data(), tokens, check.axes};
  std::vector<float> x;
  std::vector<float> weights;  // of a sum over the turned rows: their gradient
  const auto loss = [&](const Encoding& encoding) {
    const Rotate& rotate = *encoding.rotate();
    const auto size = static_cast<std::size_t>(tokens * rotate.table_width());
    std::vector<float> cos(size);
    std::vector<float> sin(size);
    std::vector<float> out(static_cast<std::size_t>(tokens * rotate.turned_dim()));
    if (x.empty()) {
      x = random_floats(tokens * rotate.head_dim(), 5);
      weights = random_floats(tokens * rotate.turned_dim(), 6);
    }
    rotate.table(check.side, positions, cos.data(), sin.data());
    rotate.turn(check.side, check.head, x.data(), cos.data(), sin.data(), tokens, out.data());
    double sum = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += static_cast<double>(out[i]) * weights[i];
    return sum;
  };

  const auto encoding = make(trained);
  loss(*encoding);
  std::vector<float> grad(trained.size(), 1.0F);  // accumulated into
  std::vector<float*> grads(check.tensors, nullptr);
  encoding->rotate()->turn_grad(check.side, check.head, positions, x.data(), weights.data(), grads);
  grads[check.tensor] = grad.data();
  encoding->rotate()->turn_grad(check.side, check.head, positions, x.data(), weights.data(), grads);

  double largest = 0.0;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    constexpr float kStep = 1.0F / 256;
    const float value = trained[i];
    trained[i] = value + kStep;
    const double above = loss(*make(trained));
    trained[i] = value - kStep;
    const double below = loss(*make(trained));
    trained[i] = value;
    const double expected = (above - below) / (2 * kStep);
    CAPTURE(i);
    CHECK(grad[i] - 1.0 == doctest::Approx(expected).epsilon(2e-3).scale(1));
    largest = std::max(largest, std::abs(expected));
  }
  CHECK(largest > 0.1);
}

}  // namespace posenc::test
